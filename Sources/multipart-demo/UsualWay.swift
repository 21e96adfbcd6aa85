import MultipartEncoder

/// The usual way: each image becomes a whole PNG in memory, as libpng's defaults make it, and is
/// appended to a body in memory, which is written to a file in the end.
enum UsualWay {
    static func write(_ parts: [DemoPart], to path: String, _ boundary: Boundary) throws {
        var body: ContiguousArray<UInt8> = []
        for part in parts {
            try timed(part) {
                body +=
                    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"".utf8
                if let filename = part.filename {
                    let type = MediaType.forFilename(filename)
                    body += "; filename=\"\(filename)\"\r\nContent-Type: \(type)".utf8
                }
                body += "\r\n\r\n".utf8
                try append(part, to: &body)
                body += "\r\n".utf8
            }
        }
        body += "--\(boundary)--\r\n".utf8
        let file = try SpoolFile(in: FilePath.directory(of: path))
        var written = 0
        while written < body.count {
            written += try systemWrite(
                file.descriptor,
                body.span.extracting(droppingFirst: written)
            )
        }
        try file.commit(to: path, replacing: true, synchronizing: false)
    }

    private static func append(
        _ part: DemoPart,
        to body: inout ContiguousArray<UInt8>
    ) throws {
        switch part.content {
        case .field(let value): body += value.utf8
        case .file(let path):
            let file = try MappedFile.open(path)
            let bytes = file.bytes
            body.reserveCapacity(body.count + bytes.count)
            for index in bytes.indices { body.append(bytes[index]) }
        case .pixels(let path, let layout, let bytesPerRow):
            let file = try MappedFile.open(path)
            let pixels = try PixelBuffer(file.bytes, layout: layout, bytesPerRow: bytesPerRow)
            body += try pixels.png(.libpng(level: 6))
        }
    }
}
