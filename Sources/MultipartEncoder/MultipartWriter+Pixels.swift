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
        let header = PartHeader(png: name, filename: filename, fields: headers)
        try append(pixels, header, options)
    }

    /// Appends an image as a PNG whose rows a closure hands over, so that nobody has to hold all of
    /// it.
    ///
    /// - Parameters:
    ///   - layout: Size, format, palette.
    ///   - name: The part's name.
    ///   - filename: Servers take a part without one for a text and may damage it.
    ///   - options: Speed against size, metadata and the like; neither reduced nor interlaced.
    ///   - headers: Further headers of the part.
    ///   - rows: Hands over all rows, as many at a time as it likes.
    /// - Throws: ``MultipartError/producer(_:_:)`` with what the closure threw, unless that is a
    ///   ``MultipartError`` itself; the body is lost then.
    public mutating func append(
        rowsOf layout: PixelLayout,
        named name: String,
        filename: String = "image.png",
        png options: PNGOptions = PNGOptions(),
        headers: [HeaderField] = [],
        rows: (inout PixelRows) throws -> Void
    ) throws(MultipartError) {
        let header = PartHeader(png: name, filename: filename, fields: headers)
        try append(rowsOf: layout, header, options, rows)
    }

    /// Appends parts in order; images that follow each other are compressed side by side.
    ///
    /// - Parameter parts: What to append.
    /// - Throws: ``MultipartError``; the body is lost then.
    public mutating func append(_ parts: [Part]) throws(MultipartError) {
        var rest = parts[...]
        while let part = rest.first {
            let images = rest.prefix(PNGBatch.limit).prefix(while: PNGBatch.takes)
            if images.count > 1 {
                try append(batch: images)
            } else {
                try append(part)
            }
            rest = rest.dropFirst(max(1, images.count))
        }
    }

    private mutating func append(batch: ArraySlice<Part>) throws(MultipartError) {
        let pipeline = try takePipeline()
        try guarded { (writer) throws(MultipartError) in
            try PNGBatch.write(batch, on: pipeline, to: &writer)
        }
        self.pipeline = consume pipeline
    }

    mutating func append(
        _ source: PixelSource,
        _ header: PartHeader,
        _ options: PNGOptions
    ) throws(MultipartError) {
        if case .rows(let rows) = source.storage {
            return try append(rowsOf: source.layout, header, options, rows)
        }
        let label = nextLabel(header.name)
        try append(header) { (output, pipeline) throws(PNGInterruption) in
            try source.withPixels(for: label) { (pixels) throws(PNGInterruption) in
                try PNGEncoder.encode(pixels, options: options, on: pipeline, into: &output)
            }
        }
    }

    private mutating func append(
        _ pixels: PixelBuffer,
        _ header: PartHeader,
        _ options: PNGOptions
    ) throws(MultipartError) {
        try append(header) { (output, pipeline) throws(PNGInterruption) in
            try PNGEncoder.encode(pixels, options: options, on: pipeline, into: &output)
        }
    }

    private mutating func append(
        rowsOf layout: PixelLayout,
        _ header: PartHeader,
        _ options: PNGOptions,
        _ rows: (inout PixelRows) throws -> Void
    ) throws(MultipartError) {
        let label = nextLabel(header.name)
        try append(header) { (output, pipeline) throws(PNGInterruption) in
            let failure = try PNGRowFeed.write(
                layout,
                options: options,
                on: pipeline,
                into: &output,
                part: label,
                rows
            )
            guard let failure else { return }
            throw .output(failure as? MultipartError ?? .producer(label, failure))
        }
    }

    /// Appends a part whose content is a PNG.
    private mutating func append(
        _ header: PartHeader,
        _ body: (inout PNGOutput, borrowing PNGPipeline) throws(PNGInterruption) -> Void
    ) throws(MultipartError) {
        let label = nextLabel(header.name)
        let pipeline = try takePipeline()
        try append(header) { (sink) throws(MultipartError) in
            do throws(PNGInterruption) {
                try PNGOutput.with(&sink) { (output) throws(PNGInterruption) in
                    try body(&output, pipeline)
                }
            } catch {
                throw error.error(for: label)
            }
        }
        self.pipeline = consume pipeline
    }

    /// The writer's pipeline, which is to be put back.
    private mutating func takePipeline() throws(MultipartError) -> PNGPipeline {
        do throws(PNGInterruption) {
            if let pipeline = pipeline.take() { return pipeline }
            return try PNGPipeline(threads: options.threads)
        } catch {
            throw fail(error.error(for: nextLabel("")))
        }
    }
}

extension PartHeader {
    init(png name: String, filename: String, fields: [HeaderField]) {
        self.init(name: name, filename: filename, contentType: "image/png", fields: fields)
    }
}
