import MultipartEncoder
import Testing

@Suite struct PixelBufferTests {
    private static let bytes = ContiguousArray<UInt8>(repeating: 7, count: 100)

    @Test(arguments: [(0, 1), (1, 0), (-3, 4), (0x8000_0000, 1), (1, Int.max)])
    func `sides that PNG can't have are an error`(width: Int, height: Int) {
        #expect(throws: PNGError.size(width: width, height: height)) {
            _ = try PixelBuffer(Self.bytes.span, width: width, height: height, format: .gray8)
        }
    }

    @Test(arguments: [1, 3, 40, 5000])
    func `a short buffer says how many bytes are missing`(missing: Int) throws {
        let layout = try PixelLayout(width: 100 + missing, height: 1, format: .gray8)
        #expect(throws: PNGError.bufferTooSmall(missing: missing)) {
            _ = try PixelBuffer(Self.bytes.span, layout: layout)
        }
    }

    @Test func `padding behind the last row is not needed`() throws {
        // 9 rows at a distance of 12 bytes, and 4 bytes of the tenth.
        _ = try PixelBuffer(
            ContiguousArray<UInt8>(repeating: 0, count: 112).span,
            width: 1,
            height: 10,
            format: .rgba8,
            bytesPerRow: 12
        ).bytesPerRow
        #expect(throws: PNGError.bufferTooSmall(missing: 1)) {
            _ = try PixelBuffer(
                ContiguousArray<UInt8>(repeating: 0, count: 111).span,
                width: 1,
                height: 10,
                format: .rgba8,
                bytesPerRow: -12
            )
        }
    }

    @Test(arguments: [7, -7, 0, .min, 1])
    func `rows that overlap are an error`(bytesPerRow: Int) {
        #expect(throws: PNGError.bytesPerRow(bytesPerRow, minimum: 8)) {
            _ = try PixelBuffer(
                Self.bytes.span,
                width: 2,
                height: 2,
                format: .rgba8,
                bytesPerRow: bytesPerRow
            )
        }
    }

    @Test(arguments: [
        (36_864, 73_728, PixelFormat.rgba16, Int.max), (1, 0x7FFF_FFFF, .gray8, Int.max / 2),
        (0x7FFF_FFFF, 0x7FFF_FFFF, .rgba16, -Int.max),
    ])
    func `sizes beyond an integer are an error`(
        width: Int,
        height: Int,
        format: PixelFormat,
        bytesPerRow: Int
    ) {
        // AOMediaCodec/libavif#992, pnggroup/libpng#890
        #expect(
            throws: PNGError.overflow(width: width, height: height, bytesPerRow: bytesPerRow)
        ) {
            _ = try PixelBuffer(
                Self.bytes.span,
                width: width,
                height: height,
                format: format,
                bytesPerRow: bytesPerRow
            )
        }
    }

    @Test func `products beyond 32 bits are no trap`() {
        let missing = 36_864 * 73_728 * 4 - 100
        #expect(throws: PNGError.bufferTooSmall(missing: missing)) {
            _ = try PixelBuffer(Self.bytes.span, width: 36_864, height: 73_728, format: .rgba8)
        }
    }

    @Test func `palette, format and alpha must fit together`() throws {
        let palette = try Palette([Palette.Color(red: 1, green: 2, blue: 3)])
        let three = try Palette(rgba: Array(repeating: 9, count: 12))
        #expect(throws: PNGError.noPalette(.index4)) {
            try PixelLayout(width: 1, height: 1, format: .index4)
        }
        #expect(throws: PNGError.unexpectedPalette(.rgb8)) {
            try PixelLayout(width: 1, height: 1, format: .rgb8, palette: palette)
        }
        #expect(throws: PNGError.paletteSize(3, limit: 2)) {
            try PixelLayout(width: 1, height: 1, format: .index1, palette: three)
        }
        #expect(throws: PNGError.premultipliedWithoutAlpha(.bgrx8)) {
            try PixelLayout(width: 1, height: 1, format: .bgrx8, premultiplied: true)
        }
    }
}
