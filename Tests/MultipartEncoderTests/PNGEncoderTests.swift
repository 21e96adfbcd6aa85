import MultipartEncoder
import Testing

@Suite struct PNGEncoderTests {
    @Test(arguments: FormatCase.all, TestImage.Stride.allCases)
    func `every format decodes to its pixels`(
        format: FormatCase,
        stride: TestImage.Stride
    ) throws {
        for width in 1...17 {
            let layout = try format.layout(width: width, height: 1 + width % 4)
            let image = TestImage(layout, stride: stride, seed: UInt64(width))
            let png = try image.png(.libpng(level: width % 10))
            try expect(png, holds: image, "\(format), width \(width)")
        }
    }

    @Test(arguments: FormatCase.all)
    func `interlaced images decode to their pixels`(format: FormatCase) throws {
        for (width, height) in [(1, 1), (2, 5), (4, 4), (5, 2), (8, 8), (9, 17), (17, 9)] {
            let image = TestImage(
                try format.layout(width: width, height: height),
                stride: .bottomUpPadded
            )
            let options = PNGOptions(compression: .libpng(level: 1), interlaced: true)
            let png = try image.png(options)
            #expect(try DecodedPNG(png).isInterlaced)
            try expect(png, holds: image, "\(format), \(width)x\(height)")
        }
    }

    @Test(
        arguments: PNGCompression.Strategy.allCases,
        [
            PNGCompression.Filters.none, .sub, .up, .average, .paeth, [.sub, .paeth], .all,
        ]
    )
    func `every strategy and filter decodes to the pixels`(
        strategy: PNGCompression.Strategy,
        filters: PNGCompression.Filters
    ) throws {
        let layout = try PixelLayout(width: 40, height: 30, format: .rgb8)
        for content in TestImage.Content.allCases {
            let image = TestImage(layout, content: content)
            let options = PNGOptions.libpng(level: 6, strategy: strategy, filters: filters)
            try expect(try image.png(options), holds: image, "\(content)")
        }
    }

    @Test func `all premultiplied pairs are divided as exact arithmetic does`() throws {
        var bytes: [UInt8] = []
        for alpha in 0..<256 {
            for color in 0..<256 {
                bytes += [UInt8(color), UInt8(255 - color), UInt8(color / 2), UInt8(alpha)]
            }
        }
        let layout = try PixelLayout(width: 256, height: 256, format: .rgba8, premultiplied: true)
        let image = TestImage(layout, bytes: bytes)
        try expect(try image.png(.libpng(level: 0)), holds: image, "rgba8")
        let gray = try PixelLayout(width: 512, height: 256, format: .graya8, premultiplied: true)
        let grayImage = TestImage(gray, bytes: bytes)
        try expect(try grayImage.png(.libpng(level: 0)), holds: grayImage, "graya8")
    }

    @Test func `16-bit samples are big-endian in the file`() throws {
        var bytes: [UInt8] = []
        for sample in [UInt16(0x57D8), 0x0001, 0xFF00] {
            let stored = sample.littleEndian
            bytes += [UInt8(truncatingIfNeeded: stored), UInt8(stored >> 8)]
        }
        let layout = try PixelLayout(width: 1, height: 1, format: .rgb16)
        let png = try TestImage(layout, bytes: bytes).png(.libpng(level: 6))
        #expect(try DecodedPNG(png).samples == [0x57D8, 0x0001, 0xFF00])
    }

    @Test(arguments: [1, 100_000])
    func `narrow and wide images`(width: Int) throws {
        let layout = try PixelLayout(width: width, height: 100_001 - width, format: .gray8)
        let image = TestImage(layout, content: .gradient)
        try expect(try image.png(.libpng(level: 1)), holds: image, "\(width)", slowly: false)
    }

    @Test func `sides beyond libpng's default limit`() throws {
        let layout = try PixelLayout(width: 1_500_000, height: 1, format: .gray1)
        let image = TestImage(layout, content: .gradient)
        let decoded = LibpngDecoded(try image.png(.libpng(level: 1)))
        #expect(decoded.complaint == "")
        #expect(decoded.rows == Array(image.bytes))
    }

    @Test(arguments: [(PixelFormat.index1, 1), (.index2, 3), (.index4, 9), (.index8, 200)])
    func `an index outside the palette is an error that says where`(
        format: PixelFormat,
        count: Int
    ) throws {
        let palette = try Palette(
            (0..<count).map { Palette.Color(red: UInt8($0), green: 0, blue: 0) }
        )
        let layout = try PixelLayout(width: 13, height: 5, format: format, palette: palette)
        var bytes = Array(TestImage(layout).bytes)
        let place = layout.packedBytesPerRow * 3 + 12 * format.bitsPerPixel / 8
        let shift = 8 - format.bitsPerPixel - 12 * format.bitsPerPixel % 8
        bytes[place] = UInt8(truncatingIfNeeded: count << shift)
        let image = TestImage(layout, bytes: bytes)
        #expect(
            throws: PNGError.indexOutsidePalette(UInt8(count), x: 12, y: 3, paletteCount: count)
        ) { try image.png(.libpng(level: 6)) }
    }

    @Test func `bits behind a row's last index are no indexes`() throws {
        let palette = try Palette([Palette.Color(red: 0, green: 0, blue: 0)])
        let layout = try PixelLayout(width: 3, height: 2, format: .index2, palette: palette)
        let image = TestImage(layout, bytes: [0b0000_0011, 0b0000_0010])
        #expect(try DecodedPNG(try image.png(.libpng(level: 6))).samples == [0, 0, 0, 0, 0, 0])
    }
}
