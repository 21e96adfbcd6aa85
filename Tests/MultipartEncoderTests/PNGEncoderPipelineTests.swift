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
}
