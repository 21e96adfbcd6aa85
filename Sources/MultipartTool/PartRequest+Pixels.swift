import MultipartEncoder

extension PartRequest {
    /// Appends pixels from a file that is mapped into memory.
    func appendImage(
        to writer: inout MultipartWriter,
        _ label: PartLabel
    ) throws(MultipartError) {
        do {
            try appendMapped(to: &writer, label)
        } catch MultipartError.image(_, let error) {
            throw .producer(label, ImageFileError(path: operand, defect: error))
        } catch MultipartError.producer(_, let error) {
            throw .producer(label, ImageFileError(path: operand, defect: error))
        } catch let error as MultipartError {
            throw error
        } catch let error as ImageFileError {
            throw .producer(label, error)
        } catch {
            throw .producer(label, ImageFileError(path: operand, defect: error))
        }
    }

    private func appendMapped(to writer: inout MultipartWriter, _ label: PartLabel) throws {
        let palette = try palette.map(Self.palette)
        let file = try MappedFile.open(operand)
        let change = ImageFileError(path: operand, defect: SourceDefect.changedWhileRead)
        systemWatchMappedInput("multipart: \(MultipartError.producer(label, change))")
        defer { systemWatchMappedInput(nil) }
        switch kind {
        case .image: try append(netpbm: file.bytes, to: &writer)
        default: try append(raw: file.bytes, palette: palette, to: &writer)
        }
        guard try file.isUnchanged() else { throw change }
    }

    private func append(
        raw bytes: Span<UInt8>,
        palette: Palette?,
        to writer: inout MultipartWriter
    ) throws {
        guard let size, let format else { throw ToolError.usage("--size or --format is missing") }
        let pixels = try PixelBuffer(
            bytes,
            width: size.width,
            height: size.height,
            format: format,
            bytesPerRow: bytesPerRow,
            premultiplied: isPremultiplied,
            palette: palette
        )
        // It does not overflow: all rows but one have just been found in the memory.
        let whole = Int(pixels.bytesPerRow.magnitude) * (size.height - 1)
        let surplus = bytes.count - whole - Int(pixels.bytesPerRow.magnitude)
        guard surplus <= 0 else {
            throw ToolError.failure("it has \(surplus) bytes more than --size and --format say")
        }
        try append(pixels, to: &writer)
    }

    private func append(netpbm bytes: Span<UInt8>, to writer: inout MultipartWriter) throws {
        let image = try NetpbmImage(bytes)
        let layout = try image.header.layout()
        if let pixels = try image.pixels { return try append(pixels, to: &writer) }
        // The search for a smaller form needs all of the image at once.
        if png.reduces {
            var all: ContiguousArray<UInt8> = []
            try Self.read(bytes) { all.append(contentsOf: $0) }
            return try append(PixelBuffer(all.span, layout: layout), to: &writer)
        }
        try writer.append(
            rowsOf: layout,
            named: name,
            filename: filename ?? "image.png",
            png: png,
            headers: headers
        ) { rows in try Self.read(bytes) { try rows.append($0.span) } }
    }

    /// Hands over the rows of an image whose samples can't be used as they lie.
    private static func read(
        _ bytes: Span<UInt8>,
        _ take: (ContiguousArray<UInt8>) throws -> Void
    ) throws {
        var image = try NetpbmImage(bytes)
        var row = ContiguousArray<UInt8>(repeating: 0, count: image.header.rowBytes)
        for _ in 0..<image.header.height {
            try image.read(into: &row)
            try take(row)
        }
    }

    private func append(
        _ pixels: PixelBuffer,
        to writer: inout MultipartWriter
    ) throws(MultipartError) {
        try writer.append(
            pixels,
            named: name,
            filename: filename ?? "image.png",
            png: png,
            headers: headers
        )
    }

    private static func palette(at path: String) throws -> Palette {
        do {
            let file = try MappedFile.open(path)
            let bytes = file.bytes
            guard bytes.count <= 1024 else {
                throw PNGError.paletteSize(bytes.count / 4, limit: 256)
            }
            return try Palette(rgba: bytes.indices.map { bytes[$0] })
        } catch {
            throw ImageFileError(path: path, defect: error)
        }
    }
}

/// What is wrong with a file of pixels, or of a palette.
struct ImageFileError: Error, CustomStringConvertible {
    let path: String
    let defect: any Error

    var description: String { "\(printable(path)): \(defect)" }
}
