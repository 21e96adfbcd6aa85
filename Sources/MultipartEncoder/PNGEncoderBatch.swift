import CPNG

/// Several images that go through a pipeline together, so that many small ones keep all threads
/// busy as one large one does.
@safe struct PNGBatch: ~Copyable {
    private var images: [(PNGHandles, cpng_level)] = unsafe []

    /// The most images at a time; each needs some memory for its container.
    static let limit = 64

    deinit {
        for index in unsafe images.indices { unsafe images[index].0.destroy() }
    }

    /// Whether an image can be one of a batch: its pixels stay where they are, and libpng doesn't
    /// compress them.
    static func takes(_ part: Part) -> Bool {
        guard case .image(let source, let options) = part.content else { return false }
        return source.isWhole && cpng_level(options, source.layout) != nil
    }

    /// Writes parts for which ``takes(_:)`` is true.
    ///
    /// - Throws: The index of the part that failed and why.
    static func write(
        _ parts: ArraySlice<Part>,
        on pipeline: borrowing PNGPipeline,
        to writer: inout MultipartWriter
    ) throws(MultipartError) {
        var batch = PNGBatch()
        let first = writer.nextLabel("").index
        do throws(PNGInterruption) {
            try batch.fill(parts, first) { (batch) throws(PNGInterruption) in
                try batch.write(parts, on: pipeline, to: &writer)
            }
        } catch {
            let prepared = unsafe batch.images.count
            let failed = prepared < parts.count ? prepared : pipeline.failedImage
            let name = parts[parts.startIndex + failed].name
            throw error.error(for: PartLabel(index: first + failed, name: name))
        }
    }

    /// Prepares the images one inside the other, as only there their pixels are sure to stay.
    private mutating func fill(
        _ parts: ArraySlice<Part>,
        _ index: Int,
        _ body: (borrowing PNGBatch) throws(PNGInterruption) -> Void
    ) throws(PNGInterruption) {
        guard let part = parts.first, case .image(let source, let options) = part.content,
            let level = cpng_level(options, source.layout)
        else { return try body(self) }
        let label = PartLabel(index: index, name: part.name)
        try source.withPixels(for: label) { (pixels) throws(PNGInterruption) in
            unsafe try pixels.withTopRow { top throws(PNGInterruption) in
                let encoder = unsafe try PNGEncoder(
                    source.layout,
                    rows: top,
                    stride: pixels.bytesPerRow,
                    options: options
                )
                unsafe images.append((encoder.release(), level))
                try fill(parts.dropFirst(), index + 1, body)
            }
        }
    }

    private func write(
        _ parts: ArraySlice<Part>,
        on pipeline: borrowing PNGPipeline,
        to writer: inout MultipartWriter
    ) throws(PNGInterruption) {
        let headers = parts.map { $0.header(in: writer.subtype) }
        unsafe try withUnsafeMutablePointer(to: &writer) { writer throws(PNGInterruption) in
            var offset: Int64 = 0
            var output = unsafe PNGOutput(
                write: { bytes throws(MultipartError) in
                    unsafe try writer.pointee.sink.write(bytes)
                },
                fill: { limit, fill throws(MultipartError) in
                    unsafe try writer.pointee.sink.append(atMost: limit, fill)
                },
                begin: { image throws(MultipartError) in
                    offset = unsafe try writer.pointee.openPart(headers[image])
                },
                end: { image throws(MultipartError) in
                    unsafe try writer.pointee.closePart(headers[image], from: offset)
                }
            )
            unsafe try pipeline.write(images, into: &output)
        }
    }
}
