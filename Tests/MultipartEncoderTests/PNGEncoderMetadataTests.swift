import MultipartEncoder
import Testing

@Suite struct PNGEncoderMetadataTests {
    static let levels: [PNGCompression] = [.libpng(level: 6), .fast]

    private func chunks(
        _ metadata: PNGMetadata,
        _ compression: PNGCompression = .fast,
        format: PixelFormat = .rgb8
    ) throws -> DecodedPNG {
        let image = TestImage(try PixelLayout(width: 3, height: 2, format: format))
        let png = try image.png(PNGOptions(compression: compression, metadata: metadata))
        #expect(LibpngDecoded(png).complaint == "")
        let decoded = try DecodedPNG(png)
        #expect(decoded.samples == image.expectedSamples)
        return decoded
    }

    @Test(arguments: levels)
    func `everything at once arrives as it was given`(level: PNGCompression) throws {
        var metadata = PNGMetadata()
        metadata.sRGB = .saturation
        metadata.gamma = 1 / 2.2
        metadata.chromaticities = PNGMetadata.Chromaticities(
            white: .init(x: 0.3127, y: 0.3290),
            red: .init(x: 0.64, y: 0.33),
            green: .init(x: 0.30, y: 0.60),
            blue: .init(x: 0.15, y: 0.06)
        )
        metadata.codingPoints = PNGMetadata.CodingPoints(primaries: 9, transferFunction: 16)
        metadata.density = PNGMetadata.PixelDensity(x: 3780, y: 5669)
        metadata.exif = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 0]
        metadata.texts = [
            PNGMetadata.Text("Gr\u{FC}n", keyword: "Title"),
            PNGMetadata.Text("\u{6C34}", keyword: "Comment"),
            PNGMetadata.Text("x", keyword: "A", language: "de-AT", translatedKeyword: "\u{C4}"),
        ]
        metadata.modified = PNGMetadata.Time(year: 2024, month: 2, day: 29, second: 60)
        let png = try chunks(metadata, level)
        #expect(png.bytes(of: "sRGB") == [2])
        #expect(png.bytes(of: "gAMA") == bigEndian(45455))
        #expect(
            png.bytes(of: "cHRM")
                == [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000].flatMap(bigEndian)
        )
        #expect(png.bytes(of: "cICP") == [9, 16, 0, 1])
        #expect(png.bytes(of: "pHYs") == bigEndian(3780) + bigEndian(5669) + [1])
        #expect(png.bytes(of: "eXIf") == metadata.exif)
        #expect(png.bytes(of: "tEXt") == Array("Title".utf8) + [0, 0x47, 0x72, 0xFC, 0x6E])
        let international = png.chunks.filter { $0.type == "iTXt" }.map(\.bytes)
        #expect(
            international == [
                Array("Comment\0\0\0\0\0\u{6C34}".utf8), Array("A\0\0\0de-AT\0\u{C4}\0x".utf8),
            ]
        )
        #expect(png.bytes(of: "tIME") == [7, 232, 2, 29, 0, 0, 60])
    }

    private func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    @Test(arguments: levels)
    func `cICP comes before the palette`(level: PNGCompression) throws {
        var options = PNGOptions(compression: level)
        options.metadata.codingPoints = PNGMetadata.CodingPoints(primaries: 1, transferFunction: 13)
        let testCase = FormatCase(format: .index2, premultiplied: false)
        let image = TestImage(try testCase.layout(width: 5, height: 2))
        let types = try DecodedPNG(image.png(options)).chunks.map(\.type)
        #expect(types == ["IHDR", "cICP", "PLTE", "tRNS", "IDAT", "IEND"])
    }

    @Test(arguments: levels)
    func `a profile is kept, and sRGB left out beside it`(level: PNGCompression) throws {
        var metadata = PNGMetadata()
        let profile = ICCProfileMaker.profile(space: "RGB ")
        metadata.iccProfile = PNGMetadata.ICCProfile(name: "mine", bytes: profile)
        metadata.sRGB = .perceptual
        let png = try chunks(metadata, level)
        #expect(png.bytes(of: "sRGB") == nil)
        let chunk = try #require(png.bytes(of: "iCCP"))
        #expect(chunk.starts(with: Array("mine\0\0".utf8)))
        #expect(try Inflate.zlib(chunk[6...]) == profile)
    }

    @Test func `reducing leaves the color space that a profile describes`() throws {
        var options = PNGOptions(compression: .fast, reduces: true)
        options.metadata.iccProfile = PNGMetadata.ICCProfile(
            bytes: ICCProfileMaker.profile(space: "RGB ")
        )
        let layout = try PixelLayout(width: 30, height: 30, format: .rgba8)
        let gray = (0..<900).flatMap { i -> [UInt8] in
            let value = UInt8(i % 256)
            return [value, value, value, 255]
        }
        let png = try DecodedPNG(TestImage(layout, bytes: gray).png(options))
        #expect(png.colorType != 0)
        #expect(png.bytes(of: "iCCP") != nil)
    }

    /// Metadata with one thing that can't be written, and the word that its error must have.
    private static func broken(
        _ word: String,
        _ change: (inout PNGMetadata) -> Void
    ) -> (String, PNGMetadata) {
        var metadata = PNGMetadata()
        change(&metadata)
        return (word, metadata)
    }

    private static func brokenText(
        keyword: String,
        text: String = "x",
        language: String = ""
    ) -> (String, PNGMetadata) {
        let text = PNGMetadata.Text(text, keyword: keyword, language: language)
        return broken("text") { $0.texts = [text] }
    }

    private static func brokenProfile(_ bytes: [UInt8]) -> (String, PNGMetadata) {
        broken("iCCP") { $0.iccProfile = PNGMetadata.ICCProfile(bytes: bytes) }
    }

    static let broken: [(String, PNGMetadata)] = [
        broken("gAMA") { $0.gamma = .nan },
        broken("gAMA") { $0.gamma = -1 },
        broken("gAMA") { $0.gamma = 1e9 },
        broken("eXIf") { $0.exif = Array("Exif".utf8) },
        broken("eXIf") { $0.exif = [] },
        broken("pHYs") { $0.density = PNGMetadata.PixelDensity(x: .max, y: 1) },
        broken("tIME") { $0.modified = PNGMetadata.Time(year: 2024, month: 13, day: 1) },
        brokenText(keyword: ""),
        brokenText(keyword: " A"),
        brokenText(keyword: "A  B"),
        brokenText(keyword: "\u{6C34}"),
        brokenText(keyword: "A\nB"),
        brokenText(keyword: String(repeating: "k", count: 80)),
        brokenText(keyword: "A", text: "a\0b"),
        brokenText(keyword: "A", language: "de AT"),
        brokenProfile([1, 2, 3]),
        brokenProfile(ICCProfileMaker.profile(space: "GRAY")),
    ]

    @Test(arguments: broken, levels)
    func `what can't be written is an error that says which`(
        broken: (word: String, metadata: PNGMetadata),
        level: PNGCompression
    ) throws {
        let error = #expect(throws: PNGError.self) { try chunks(broken.metadata, level) }
        guard case .metadata(let words)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words.contains(broken.word), "\(words)")
    }
}

/// Makes a small ICC profile that libpng takes for one: a header and a tag that holds noise.
enum ICCProfileMaker {
    static func profile(space: String) -> [UInt8] {
        var bytes = Array(repeating: UInt8(0), count: 144)
        bytes.replaceSubrange(2..<4, with: [0x01, 0x90])  // 400 bytes in all
        bytes[8] = 2
        bytes.replaceSubrange(12..<24, with: Array("mntr\(space)XYZ ".utf8))
        bytes.replaceSubrange(36..<40, with: Array("acsp".utf8))
        // The illuminant D50, as every profile has it.
        let illuminant: [UInt8] = [0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D]
        bytes.replaceSubrange(68..<80, with: illuminant)
        bytes[131] = 1
        bytes.replaceSubrange(132..<144, with: Array("desc".utf8) + [0, 0, 0, 144, 0, 0, 1, 0])
        var generator = SeededGenerator(state: 5)
        while bytes.count < 400 { bytes.append(UInt8.random(in: 0...255, using: &generator)) }
        return bytes
    }
}
