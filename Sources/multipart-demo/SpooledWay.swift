import MultipartEncoder

/// This library's way: each part goes straight into the spool.
enum SpooledWay {
    static func write(_ parts: [DemoPart], to path: String, _ boundary: Boundary) throws {
        let options = WritingOptions(boundary: boundary)
        var writer = try MultipartWriter(spoolingTo: path, replacing: true, options: options)
        for part in parts {
            try timed(part) { try append(part, to: &writer) }
        }
        _ = try writer.finish()
    }

    private static func append(_ part: DemoPart, to writer: inout MultipartWriter) throws {
        switch part.content {
        case .field(let value): try writer.append(value, named: part.name)
        case .file(let path): try writer.append(fileAt: path, named: part.name)
        case .pixels(let path, let layout, let bytesPerRow):
            let file = try MappedFile.open(path)
            let pixels = try PixelBuffer(file.bytes, layout: layout, bytesPerRow: bytesPerRow)
            try writer.append(pixels, named: part.name, filename: "\(part.name).png")
        }
    }
}
