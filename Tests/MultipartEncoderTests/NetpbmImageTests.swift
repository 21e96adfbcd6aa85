import MultipartEncoder
import Testing

struct NetpbmImageTests {
    /// A file's text and bytes, and what must come out: format and rows, 16-bit samples native.
    struct Example: Sendable, CustomTestStringConvertible {
        let head: String
        var raster: [UInt8] = []
        let format: PixelFormat
        let rows: [[UInt8]]

        var testDescription: String { head }
        var file: ContiguousArray<UInt8> { ContiguousArray(head.utf8) + raster }
    }

    private static func native(_ samples: UInt16...) -> [UInt8] {
        samples.flatMap { sample in
            let bytes = [UInt8(truncatingIfNeeded: sample), UInt8(sample >> 8)]
            return 1.littleEndian == 1 ? bytes : bytes.reversed()
        }
    }

    private static let examples = [
        Example(head: "P1 3 2 101 0 1 0", format: .gray1, rows: [[0b0100_0000], [0b1010_0000]]),
        Example(head: "P2#c\n2 1#c\n 4 0 3", format: .gray8, rows: [[0, 191]]),
        Example(head: "P2 2 1 1000 1000 500", format: .gray16, rows: [native(65_535, 32_768)]),
        Example(head: "P3 1 1 255 1 2 3", format: .rgb8, rows: [[1, 2, 3]]),
        Example(head: "P4 9 1\n", raster: [0xF0, 0x80], format: .gray1, rows: [[0x0F, 0x00]]),
        Example(
            head: "P5 2 2 255\n",
            raster: [1, 2, 3, 4],
            format: .gray8,
            rows: [[1, 2], [3, 4]]
        ),
        Example(head: "P5 1 1 65535\n", raster: [1, 2], format: .gray16, rows: [native(0x0102)]),
        Example(head: "P6 1 1 15\n", raster: [0, 7, 15], format: .rgb8, rows: [[0, 119, 255]]),
        Example(
            head: "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n",
            raster: [1, 0],
            format: .gray1,
            rows: [[0b1000_0000]]
        ),
        Example(
            head: "P7\nMAXVAL 3\nDEPTH 4\nWIDTH 1\nHEIGHT 1\n#\n\nTUPLTYPE RGB_ALPHA\nENDHDR\n",
            raster: [0, 1, 2, 3],
            format: .rgba8,
            rows: [[0, 85, 170, 255]]
        ),
    ]

    @Test(arguments: examples)
    func `gives each row in the format it says`(example: Example) throws {
        let file = example.file
        var image = try NetpbmImage(file.span)
        #expect(image.header.format == example.format)
        #expect(image.header.height == example.rows.count)
        var row = ContiguousArray<UInt8>(repeating: 0xA5, count: image.header.rowBytes)
        for expected in example.rows {
            try image.read(into: &row)
            // What lies behind the last pixel of packed bits means nothing.
            if example.format == .gray1 {
                let unused = UInt8(row.count * 8 - image.header.width)
                row[row.count - 1] &= 0xFF << unused
            }
            #expect(Array(row) == expected)
        }
    }

    @Test func `samples of a whole byte are used where they lie`() throws {
        let file = ContiguousArray("P6 2 1 255\n".utf8) + [1, 2, 3, 4, 5, 6]
        let image = try NetpbmImage(file.span)
        let pixels = try Self.size(of: image)
        #expect(pixels?.width == 2 && pixels?.height == 1)
        let scaled = ContiguousArray("P6 1 1 254\n".utf8) + [1, 2, 3]
        #expect(try Self.size(of: try NetpbmImage(scaled.span)) == nil)
    }

    private static func size(of image: NetpbmImage) throws -> (width: Int, height: Int)? {
        guard let pixels = try image.pixels else { return nil }
        return (pixels.width, pixels.height)
    }

    @Test(
        arguments: [
            ("", NetpbmError.unknownKind),
            ("P9 1 1 255 ", .unknownKind),
            ("P5", .endsInHeader),
            ("P5 1 1 255", .endsInHeader),
            ("P51 1 255 x", .invalid(.width)),
            ("P5 0 1 255 x", .invalid(.width)),
            ("P5 1 2147483648 255 x", .invalid(.height)),
            ("P5 1 1 0 x", .invalid(.maximum)),
            ("P5 1 1 65536 xx", .invalid(.maximum)),
            ("P5 1 1 255x", .invalid(.maximum)),
            ("P5 2 2 255 abc", .truncated(missing: 1)),
            ("P6 2147483647 2147483647 65535 ", .overflow),
            ("P7\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nENDHDR\n", .missing(.width)),
            ("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\n", .missing(.maximum)),
            ("P7\nCOLOR red\nENDHDR\n", .unknownLine("COLOR red")),
            (
                "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 1\nTUPLTYPE RGB\nENDHDR\n",
                .tupleType("RGB", depth: 2)
            ),
        ]
    )
    func `says what is wrong with a header`(text: String, error: NetpbmError) {
        let file = ContiguousArray(text.utf8)
        #expect(throws: error) {
            let image = try NetpbmImage(file.span)
            _ = image.header
        }
    }

    @Test(
        arguments: [
            ("P2 2 2 9 1 2 3 10", NetpbmError.invalidSample(row: 1)),
            ("P2 2 1 9 1 x", .invalidSample(row: 0)),
            ("P1 2 1 12", .invalidSample(row: 0)),
            ("P2 2 2 9 1 2 3", .truncated(missing: 1)),
        ]
    )
    func `says what is wrong with a sample`(text: String, error: NetpbmError) {
        let file = ContiguousArray(text.utf8)
        #expect(throws: error) {
            var image = try NetpbmImage(file.span)
            var row = ContiguousArray<UInt8>(repeating: 0, count: image.header.rowBytes)
            for _ in 0..<image.header.height { try image.read(into: &row) }
        }
    }
}
