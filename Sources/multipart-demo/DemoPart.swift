import MultipartEncoder

/// One part of the demo's body.
struct DemoPart {
    let name: String
    let content: Content

    enum Content {
        case field(String)
        case file(path: String)
        case pixels(path: String, layout: PixelLayout, bytesPerRow: Int)
    }

    /// Reads `field NAME VALUE`, `file NAME PATH` and `pixels NAME PATH WIDTH HEIGHT FORMAT
    /// BYTES-PER-ROW PREMULTIPLIED PALETTE`, where a palette of `-` is none.
    static func parse(_ arguments: ArraySlice<String>) throws -> [DemoPart] {
        var rest = arguments
        var parts: [DemoPart] = []
        while let kind = rest.popFirst() {
            let count = kind == "pixels" ? 8 : 2
            guard rest.count >= count else { throw DemoError(words: "\(kind) needs more") }
            let words = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            let content: Content
            switch kind {
            case "field": content = .field(words[1])
            case "file": content = .file(path: words[1])
            case "pixels": content = try pixels(words)
            default: throw DemoError(words: "there is no part called \(kind)")
            }
            parts.append(DemoPart(name: words[0], content: content))
        }
        return parts
    }

    private static func pixels(_ words: [String]) throws -> Content {
        guard let width = Int(words[2]), let height = Int(words[3]),
            let format = PixelFormat(rawValue: words[4]), let bytesPerRow = Int(words[5])
        else { throw DemoError(words: "\(words) are no pixels") }
        var palette: Palette?
        if words[7] != "-" {
            let file = try MappedFile.open(words[7])
            let bytes = file.bytes
            palette = try Palette(rgba: bytes.indices.map { bytes[$0] })
        }
        let layout = try PixelLayout(
            width: width,
            height: height,
            format: format,
            premultiplied: words[6] == "true",
            palette: palette
        )
        return .pixels(path: words[1], layout: layout, bytesPerRow: bytesPerRow)
    }

    var filename: String? {
        switch content {
        case .field: nil
        case .file(let path): FilePath.lastComponent(of: path)
        case .pixels: "\(name).png"
        }
    }
}

struct DemoError: Error, CustomStringConvertible {
    let words: String
    var description: String { words }
}
