import MultipartEncoder

/// A picture in memory, in a format that PNG has too.
struct Picture {
    let name: String
    let layout: PixelLayout
    /// Rows without padding, 16 bits in the machine's order.
    let pixels: ContiguousArray<UInt8>

    /// Reads a PNG.
    init(pngAt path: String, name: String) throws(BenchError) {
        let file = try readFile(path)  // not in one line: Swift 6.3.1 makes broken code
        let decoded = try DecodedPNG(file.span)
        let format = try Self.format(decoded)
        self.name = name
        layout = try attempting(path) { () throws(PNGError) in
            try PixelLayout(
                width: decoded.width,
                height: decoded.height,
                format: format,
                palette: format.isIndexed ? Palette(rgba: decoded.palette) : nil
            )
        }
        pixels = Self.native(decoded)
    }

    /// Reads a PNM or PAM.
    init(netpbmAt path: String, name: String) throws(BenchError) {
        let file = try readFile(path)
        self.name = name
        do {
            var image = try NetpbmImage(file.span)
            layout = try image.header.layout()
            var row = ContiguousArray<UInt8>(repeating: 0, count: image.header.rowBytes)
            var rows = ContiguousArray<UInt8>()
            for _ in 0..<image.header.height {
                try image.read(into: &row)
                rows += row
            }
            pixels = rows
        } catch {
            throw .failed("\(path): \(error)")
        }
    }

    var paletteBytes: [UInt8] {
        guard let palette = layout.palette else { return [] }
        return (0..<palette.count).flatMap { index in
            let color = palette[index]
            return [color.red, color.green, color.blue, color.alpha]
        }
    }

    /// Bits a sample, as PNG's header says it.
    var bitDepth: Int {
        switch layout.format {
        case .gray1, .index1: 1
        case .gray2, .index2: 2
        case .gray4, .index4: 4
        case .gray8, .graya8, .rgb8, .rgba8, .index8, .bgra8, .bgrx8, .rgbx8, .argb8, .abgr8: 8
        case .gray16, .graya16, .rgb16, .rgba16: 16
        }
    }

    /// PNG's number for gray, color, palette, alpha.
    var colorType: Int {
        switch layout.format {
        case .gray1, .gray2, .gray4, .gray8, .gray16: 0
        case .rgb8, .rgb16, .bgrx8, .rgbx8: 2
        case .index1, .index2, .index4, .index8: 3
        case .graya8, .graya16: 4
        case .rgba8, .rgba16, .bgra8, .argb8, .abgr8: 6
        }
    }

    /// Calls `body` with the pixels as the library takes them.
    func withBuffer<Result>(
        _ body: (PixelBuffer) throws(BenchError) -> Result
    ) throws(BenchError) -> Result {
        let buffer: PixelBuffer
        do {
            buffer = try PixelBuffer(pixels.span, layout: layout)
        } catch {
            throw .failed("\(name): \(error)")
        }
        return try body(buffer)
    }

    /// Throws unless a PNG holds this very picture.
    func check(_ png: Span<UInt8>) throws(BenchError) {
        let decoded = try DecodedPNG(png)
        guard decoded.width == layout.width, decoded.height == layout.height,
            decoded.bitDepth == bitDepth, decoded.colorType == colorType,
            Self.native(decoded) == pixels
        else { throw .failed("\(name): the PNG holds another picture") }
    }

    private static func format(_ png: DecodedPNG) throws(BenchError) -> PixelFormat {
        switch (png.colorType, png.bitDepth) {
        case (0, 1): .gray1
        case (0, 2): .gray2
        case (0, 4): .gray4
        case (0, 8): .gray8
        case (0, 16): .gray16
        case (2, 8): .rgb8
        case (2, 16): .rgb16
        case (3, 1): .index1
        case (3, 2): .index2
        case (3, 4): .index4
        case (3, 8): .index8
        case (4, 8): .graya8
        case (4, 16): .graya16
        case (6, 8): .rgba8
        case (6, 16): .rgba16
        default: throw .failed("a PNG can't be of that type")
        }
    }

    private static func native(_ png: DecodedPNG) -> ContiguousArray<UInt8> {
        guard png.bitDepth == 16, UInt16(1).bigEndian != 1 else { return png.rows }
        var rows = png.rows
        for index in stride(from: 0, to: rows.count - 1, by: 2) { rows.swapAt(index, index + 1) }
        return rows
    }
}

/// The pictures of a folder, by name.
struct Corpus {
    let directory: String
    let files: [String]

    private static let extensions = ["png", "pnm", "pbm", "pgm", "ppm", "pam"]

    private static func fileExtension(_ name: String) -> String {
        String(name.split(separator: ".").last ?? "").lowercased()
    }

    init(_ directory: String) throws(BenchError) {
        self.directory = directory
        let names = try attempting(directory) { () throws(SystemError) in
            try systemNames(inDirectory: directory)
        }
        files = names.filter { Self.extensions.contains(Self.fileExtension($0)) }.sorted()
        guard !files.isEmpty else { throw .failed("\(directory) holds no pictures") }
    }

    func picture(_ file: String) throws(BenchError) -> Picture {
        let (path, name) = ("\(directory)/\(file)", String(file.prefix { $0 != "." }))
        return Self.fileExtension(file) == "png"
            ? try Picture(pngAt: path, name: name) : try Picture(netpbmAt: path, name: name)
    }
}
