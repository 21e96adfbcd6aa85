import CPNG

/// An image on its way to a PNG: C's view of its pixels, and libpng's container around them.
@safe struct PNGEncoder: ~Copyable {
    /// Can't outlive the encoder.
    let handles: PNGHandles

    /// Prepares a PNG; nothing is written yet.
    ///
    /// - Parameters:
    ///   - layout: Size, format, palette.
    ///   - rows: The top row, which stays where it is as long as the encoder lives, or `nil` when
    ///     rows will be handed over one by one.
    ///   - stride: Bytes from a row to the one below it.
    ///   - options: How to write it.
    /// - Throws: ``PNGInterruption``.
    @unsafe init(
        _ layout: PixelLayout,
        rows: UnsafePointer<UInt8>?,
        stride: Int,
        options: PNGOptions
    ) throws(PNGInterruption) {
        do throws(PNGError) {
            unsafe handles = try PNGHandles(layout, rows: rows, stride: stride, options: options)
        } catch {
            throw .image(error)
        }
    }

    deinit { unsafe handles.destroy() }

    /// The version of libpng that this process runs with, such as `1.6.39`.
    static var libpngVersion: String { unsafe String(cString: cpng_libpng_version()) }

    /// Gives the handles away, to be destroyed by the caller.
    consuming func release() -> PNGHandles {
        let handles = unsafe handles
        discard self
        return unsafe handles
    }

    /// Writes a whole image.
    ///
    /// - Parameters:
    ///   - pixels: The image.
    ///   - options: How to write it.
    ///   - pipeline: Compresses it, unless libpng does.
    ///   - output: Where the PNG goes.
    /// - Throws: ``PNGInterruption``; what has been written until then is no PNG.
    static func encode(
        _ pixels: PixelBuffer,
        options: PNGOptions,
        on pipeline: borrowing PNGPipeline,
        into output: inout PNGOutput
    ) throws(PNGInterruption) {
        unsafe try pixels.withTopRow { top throws(PNGInterruption) in
            let encoder = unsafe try PNGEncoder(
                pixels.layout,
                rows: top,
                stride: pixels.bytesPerRow,
                options: options
            )
            if let level = cpng_level(options, pixels.layout) {
                unsafe try pipeline.write([(encoder.handles, level)], into: &output)
            } else {
                let image = unsafe encoder.handles
                unsafe try image.begin(into: &output)
                unsafe try image.add(
                    top,
                    stride: pixels.bytesPerRow,
                    count: pixels.height,
                    into: &output
                )
                unsafe try image.finish(into: &output)
            }
        }
    }
}

extension PixelBuffer {
    /// Calls `body` with the image's top row, which is the last one in a bottom-up buffer.
    func withTopRow<Result>(
        _ body: (UnsafePointer<UInt8>) throws(PNGInterruption) -> Result
    ) throws(PNGInterruption) -> Result {
        unsafe try bytes.withUnsafeBufferPointer { bytes throws(PNGInterruption) in
            unsafe try body(bytes.topRow(height: height, stride: bytesPerRow))
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The top row of an image in this memory, which has been found to be large enough.
    func topRow(height: Int, stride: Int) -> UnsafePointer<UInt8> {
        guard let start = baseAddress else {
            preconditionFailure("a pixel buffer has at least one byte")
        }
        return unsafe stride < 0 ? start - stride * (height - 1) : start
    }
}

extension cpng_level {
    /// The fast path's level, or `nil` where libpng has to do it all.
    init?(_ options: PNGOptions, _ layout: PixelLayout) {
        // A row must fit into an IDAT, and two of them into memory.
        let longestRow = 256 << 20
        guard !options.isInterlaced, layout.packedBytesPerRow <= longestRow else { return nil }
        switch options.compression {
        case .fastest: self = .fastest
        case .fast: self = .fast
        case .balanced: self = .balanced
        case .small: self = .small
        case .libpng: return nil
        }
    }
}
