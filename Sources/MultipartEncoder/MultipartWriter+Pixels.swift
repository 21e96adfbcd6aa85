extension MultipartWriter {
    /// Appends an image as a PNG.
    ///
    /// The pixels are read where they lie and may be reused as soon as this returns.
    ///
    /// - Parameters:
    ///   - pixels: The image.
    ///   - name: The part's name.
    ///   - filename: Servers take a part without one for a text and may damage it.
    ///   - options: Speed against size, metadata and the like.
    ///   - headers: Further headers of the part.
    /// - Throws: ``MultipartError/image(_:_:)`` if it can't become a PNG; the body is lost then.
    public mutating func append(
        _ pixels: PixelBuffer,
        named name: String,
        filename: String = "image.png",
        png options: PNGOptions = PNGOptions(),
        headers: [HeaderField] = []
    ) throws(MultipartError) {
        let label = nextLabel(name)
        let header = PartHeader(png: name, filename: filename, fields: headers)
        let pipeline = try takePipeline(for: label)
        try append(header) { (sink) throws(MultipartError) in
            do throws(PNGInterruption) {
                try PNGOutput.with(&sink) { (output) throws(PNGInterruption) in
                    try PNGEncoder.encode(pixels, options: options, on: pipeline, into: &output)
                }
            } catch {
                throw error.error(for: label)
            }
        }
        self.pipeline = consume pipeline
    }

    /// The writer's pipeline, which is to be put back.
    private mutating func takePipeline(
        for label: PartLabel
    ) throws(MultipartError) -> PNGPipeline {
        do throws(PNGInterruption) {
            if let pipeline = pipeline.take() { return pipeline }
            return try PNGPipeline(threads: options.threads)
        } catch {
            throw fail(error.error(for: label))
        }
    }
}

extension PartHeader {
    init(png name: String, filename: String, fields: [HeaderField]) {
        self.init(name: name, filename: filename, contentType: "image/png", fields: fields)
    }
}
