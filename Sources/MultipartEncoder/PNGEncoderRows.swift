import CPNG

/// An image whose rows come bit by bit, on its way into an output.
@safe struct PNGRowFeed: ~Copyable {
    private let layout: PixelLayout
    private let image: PNGHandles
    private let pipeline: PNGPipelineHandle
    /// Whether the fast path compresses it, not libpng.
    private let isFast: Bool
    private let output: UnsafeMutablePointer<PNGOutput>
    private var count = 0
    private var failure: PNGInterruption?

    @unsafe private init(
        layout: PixelLayout,
        image: PNGHandles,
        pipeline: PNGPipelineHandle,
        isFast: Bool,
        output: UnsafeMutablePointer<PNGOutput>
    ) {
        self.layout = layout
        unsafe self.image = image
        unsafe self.pipeline = pipeline
        self.isFast = isFast
        unsafe self.output = output
    }

    /// Which image it is.
    var identity: UInt { unsafe UInt(bitPattern: image.writer) }

    /// Writes an image whose rows `body` hands over.
    ///
    /// - Parameters:
    ///   - layout: Size, format, palette.
    ///   - options: How to write it.
    ///   - pipeline: Compresses it, unless libpng does.
    ///   - output: Where the PNG goes.
    ///   - part: What the image becomes, for errors.
    ///   - body: Hands over all rows; what it throws stops the image.
    /// - Returns: What `body` threw.
    /// - Throws: ``PNGInterruption``.
    static func write<Failure: Error>(
        _ layout: PixelLayout,
        options: PNGOptions,
        on pipeline: borrowing PNGPipeline,
        into output: inout PNGOutput,
        part: PartLabel,
        _ body: (inout PixelRows) throws(Failure) -> Void
    ) throws(PNGInterruption) -> Failure? {
        guard !options.isInterlaced else { throw .image(.interlacedRows) }
        let encoder = unsafe try PNGEncoder(layout, rows: nil, stride: 0, options: options)
        let level = cpng_level(options, layout)
        if let level {
            unsafe pipeline.handle.beginRows(of: encoder.handles, level)
        } else {
            unsafe try encoder.handles.begin(into: &output)
        }
        defer { unsafe pipeline.handle.cancelRows() }
        return unsafe try withUnsafeMutablePointer(to: &output) {
            output throws(PNGInterruption) in
            let feed = unsafe PNGRowFeed(
                layout: layout,
                image: encoder.handles,
                pipeline: pipeline.handle,
                isFast: level != nil,
                output: output
            )
            let identity = feed.identity
            var rows = PixelRows(layout: layout, feed: feed, part: part)
            do throws(Failure) {
                try body(&rows)
            } catch {
                // What a closure makes of the rows' error matters less than that error.
                if let failure = rows.feed.failure { throw failure }
                return error
            }
            precondition(
                rows.feed.identity == identity,
                "the rows were exchanged for another image's"
            )
            try rows.feed.finish()
            return nil
        }
    }

    /// Takes the next rows, as ``PixelRows`` describes them.
    mutating func add(_ bytes: Span<UInt8>, bytesPerRow: Int?) throws(PNGInterruption) {
        if let failure { throw failure }
        do throws(PNGInterruption) {
            let (stride, count) = try shape(of: bytes, bytesPerRow)
            self.count += count
            unsafe try bytes.withUnsafeBufferPointer { bytes throws(PNGInterruption) in
                unsafe try add(bytes.topRow(height: count, stride: stride), stride, count)
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// How the rows lie and how many there are.
    private func shape(
        of bytes: Span<UInt8>,
        _ bytesPerRow: Int?
    ) throws(PNGInterruption) -> (stride: Int, count: Int) {
        do throws(PNGError) {
            let stride = try layout.stride(bytesPerRow)
            let distance = Int(stride.magnitude)
            // The last row has no padding, or all of it.
            let padding = distance - layout.packedBytesPerRow
            let count = (bytes.count + padding) / distance
            let rest = bytes.count - (count * distance - padding)
            guard count > 0, rest == 0 || rest == padding else {
                throw .bufferTooSmall(missing: (count + 1) * distance - padding - bytes.count)
            }
            guard count <= layout.height - self.count else {
                throw .rowCount(self.count + count, expected: layout.height)
            }
            return (stride, count)
        } catch {
            throw .image(error)
        }
    }

    private func add(
        _ rows: UnsafePointer<UInt8>,
        _ stride: Int,
        _ count: Int
    ) throws(PNGInterruption) {
        if isFast {
            unsafe try pipeline.addRows(
                rows,
                stride: stride,
                count: count,
                of: image,
                into: &output.pointee
            )
        } else {
            unsafe try image.add(rows, stride: stride, count: count, into: &output.pointee)
        }
    }

    fileprivate func finish() throws(PNGInterruption) {
        if let failure { throw failure }
        guard count == layout.height else {
            throw .image(.rowCount(count, expected: layout.height))
        }
        if isFast {
            unsafe try pipeline.finishRows(of: image, into: &output.pointee)
        } else {
            unsafe try image.finish(into: &output.pointee)
        }
    }
}
