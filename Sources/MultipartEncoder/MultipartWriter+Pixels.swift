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
    /// - Throws: ``MultipartError/image(_:_:)`` if it can't become a PNG.
    public mutating func append(
        _ pixels: PixelBuffer,
        named name: String,
        filename: String = "image.png",
        png options: PNGOptions = PNGOptions(),
        headers: [HeaderField] = []
    ) throws(MultipartError) {
        let label = nextLabel(name)
        let header = PartHeader(png: name, filename: filename, fields: headers)
        try append(header) { (sink) throws(MultipartError) in
            do throws(PNGInterruption) {
                try PNGOutput.with(&sink) { (output) throws(PNGInterruption) in
                    try PNGEncoder.encode(pixels, options: options, into: &output)
                }
            } catch {
                throw error.error(for: label)
            }
        }
    }
}

extension PartHeader {
    init(png name: String, filename: String, fields: [HeaderField]) {
        self.init(name: name, filename: filename, contentType: "image/png", fields: fields)
    }
}
