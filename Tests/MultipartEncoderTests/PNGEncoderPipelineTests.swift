import MultipartEncoder
import Testing

@Suite struct PNGEncoderPipelineTests {
    static let levels: [PNGCompression] = [.fastest, .fast, .balanced, .small]

    @Test(arguments: FormatCase.all, levels)
    func `every format decodes to its pixels at every level`(
        format: FormatCase,
        level: PNGCompression
    ) throws {
        for width in 1...17 {
            let strides = TestImage.Stride.allCases
            let layout = try format.layout(width: width, height: 1 + width % 4)
            let image = TestImage(
                layout,
                stride: strides[width % strides.count],
                content: TestImage.Content.allCases[width % 3],
                seed: UInt64(width)
            )
            let png = try image.png(PNGOptions(compression: level))
            try expect(png, holds: image, "\(format), width \(width), \(level)")
        }
    }

    /// Formats and levels, and how many rows of 400 pixels make at least five strips.
    static let sizes: [(PixelFormat, PNGCompression, Int)] = [
        (.gray1, .fast, 10_000), (.bgra8, .fastest, 310), (.bgra8, .fast, 310),
        (.rgba16, .fast, 160), (.index8, .fast, 1300), (.rgb8, .balanced, 1200),
        (.rgb8, .small, 2300),
    ]

    @Test(arguments: sizes)
    func `any number of threads gives the same bytes, which decode to the pixels`(
        format: PixelFormat,
        level: PNGCompression,
        height: Int
    ) throws {
        let testCase = FormatCase(format: format, premultiplied: format == .bgra8)
        let layout = try testCase.layout(width: 400, height: height)
        let image = TestImage(layout, stride: .bottomUpPadded, content: .noise)
        let options = PNGOptions(compression: level)
        let png = try image.png(options, threads: 1)
        let reference = LibpngDecoded(try image.png(.libpng(level: 1)))
        let decoded = LibpngDecoded(png)
        #expect(decoded.complaint == "")
        #expect(decoded.rows == reference.rows)
        for threads in [2, 3, 5] {
            #expect(try image.png(options, threads: threads) == png, "\(threads) threads")
        }
    }

    /// Memory for a PNG is reserved for what will come, not doubled each time it is full.
    @Test(arguments: sizes, [1, 2])
    func `a PNG in memory has little room to spare`(
        size: (PixelFormat, PNGCompression, Int),
        threads: Int
    ) throws {
        let (format, level, height) = size
        let layout = try FormatCase(format: format, premultiplied: false)
            .layout(width: 400, height: height)
        let image = TestImage(layout, content: .noise)
        let png = try image.png(PNGOptions(compression: level), threads: threads)
        #expect(png.capacity <= png.count + png.count / 4 + 4096)
    }

    /// An image may begin quite unlike the rest of it.
    @Test func `a PNG in memory isn't reserved by its first rows`() throws {
        let layout = try PixelLayout(width: 1024, height: 4096, format: .rgba8)
        let noise = TestImage(try PixelLayout(width: 1024, height: 40, format: .rgba8)).bytes
        let flat = [UInt8](repeating: 0, count: layout.height * layout.packedBytesPerRow)
        let image = TestImage(layout, bytes: Array(noise) + flat.dropFirst(noise.count))
        let png = try image.png(PNGOptions())
        #expect(png.capacity <= flat.count / 4)
    }

    /// Words come again, and letters much more often: libpng's matches find both.
    ///
    /// The fast levels once looked for runs only, and made three times as much of a page.
    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, .rgba16], [1, 3])
    func `a page of small text stays small`(format: PixelFormat, inks: Int) throws {
        let page = try TestImage.page(format, width: 600, height: 400, inks: inks)
        let usual = try page.png(.libpng(level: 6)).count
        for (level, most) in [(PNGCompression.fastest, 1.5), (.fast, 1.3), (.balanced, 1.1)] {
            let png = try page.png(PNGOptions(compression: level))
            let ratio = Double(png.count) / Double(usual)
            #expect(ratio < most, "\(level)")
            try expect(png, holds: page, "\(format), \(level)", slowly: false)
        }
    }

    /// Pictures as people send them, which bring the levels' choices about.
    @Test(arguments: pictures, levels)
    func `real content decodes to its pixels at every level`(
        picture: (name: String, format: PixelFormat),
        level: PNGCompression
    ) throws {
        let original = LibpngDecoded(try bytes(ofFile: "\(fixtures)/pictures/\(picture.name).png"))
        try #require(original.complaint == "")
        let grays: [UInt8] = (0..<256).flatMap { [UInt8($0), UInt8($0), UInt8($0), 255] }
        let layout = try PixelLayout(
            width: original.width,
            height: original.height,
            format: picture.format,
            palette: picture.format.isIndexed ? try Palette(rgba: grays) : nil
        )
        // PNG's 16-bit samples are big-endian, memory's here are not.
        let rows = original.rows
        let isDeep = original.bitDepth == 16 && 1.littleEndian == 1
        let pixels = isDeep ? rows.indices.map { rows[$0 ^ 1] } : rows
        let png = try TestImage(layout, bytes: pixels).png(PNGOptions(compression: level))
        let decoded = LibpngDecoded(png)
        #expect(decoded.complaint == "")
        #expect(decoded.rows == rows)
    }

    static let pictures: [(name: String, format: PixelFormat)] = [
        ("chart_palette8", .index8), ("cutout_rgba8", .rgba8), ("drawing_gray1", .gray1),
        ("gradient_rgb8", .rgb8), ("icon_rgba8", .rgba8), ("noise_rgb8", .rgb8),
        ("page_gray8", .gray8), ("radiograph_gray16", .gray16), ("render_rgb16", .rgb16),
    ]
}
