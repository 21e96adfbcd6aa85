import MultipartEncoder
import Testing

@Suite struct PNGEncoderReductionTests {
    static let levels: [PNGCompression] = [.libpng(level: 6), .fast]

    /// What an image is reduced to.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let format: PixelFormat
        var premultiplied = false
        let bitDepth: Int
        let colorType: Int
        /// Red, green, blue, alpha of a pixel in 16 bits, as the PNG shows it.
        let color: @Sendable (Int, Int) -> [UInt16]

        var testDescription: String { "\(name) in \(format.rawValue)" }
    }

    private static func gray(_ value: Int, alpha: Int = 255) -> [UInt16] {
        [value, value, value, alpha].map { UInt16($0 * 257) }
    }

    private static func hash(_ x: Int, _ y: Int) -> Int { (x * 7919 + y * 104_729) % 65_521 }

    static let cases: [Case] = [
        Case(name: "opaque", format: .rgba8, bitDepth: 8, colorType: 2) { x, y in
            let h = hash(x, y)
            return [h % 256, h / 256, x % 256, 255].map { UInt16($0 * 257) }
        },
        Case(name: "opaque", format: .bgra8, premultiplied: true, bitDepth: 8, colorType: 2) {
            x,
            y in
            let h = hash(x, y)
            return [h % 256, h / 256, x % 256, 255].map { UInt16($0 * 257) }
        },
        Case(name: "opaque", format: .rgba16, bitDepth: 16, colorType: 2) { x, y in
            [UInt16(hash(x, y)), UInt16(hash(y, x)), 5, 65535]
        },
        Case(name: "many grays", format: .rgb8, bitDepth: 8, colorType: 0) { x, y in
            gray(hash(x, y) % 256)
        },
        Case(name: "many grays", format: .abgr8, bitDepth: 8, colorType: 0) { x, y in
            gray(hash(x, y) % 256)
        },
        Case(name: "gray and alpha", format: .argb8, bitDepth: 8, colorType: 4) { x, y in
            gray(hash(x, y) % 256, alpha: hash(y, x) % 256)
        },
        Case(name: "gray of 16 bits", format: .rgb16, bitDepth: 16, colorType: 0) { x, y in
            Array(repeating: UInt16(hash(x, y)), count: 3) + [65535]
        },
        Case(name: "8 bits in 16", format: .rgb16, bitDepth: 8, colorType: 2) { x, y in
            let h = hash(x, y)
            return [h % 256, h / 256, y % 256, 255].map { UInt16($0 * 257) }
        },
        Case(name: "8 bits in 16", format: .rgba16, bitDepth: 8, colorType: 6) { x, y in
            let h = hash(x, y)
            return [h % 256, h / 256, y % 256, x % 256].map { UInt16($0 * 257) }
        },
        Case(name: "8 bits in 16", format: .graya16, bitDepth: 8, colorType: 4) { x, y in
            gray(hash(x, y) % 256, alpha: hash(y, x) % 256)
        },
        Case(name: "200 colors", format: .rgba8, bitDepth: 8, colorType: 3) { x, y in
            let h = hash(x, y) % 200
            return [h, 255 - h, 3, 255].map { UInt16($0 * 257) }
        },
        Case(name: "16 colors with alpha", format: .rgba8, bitDepth: 4, colorType: 3) { x, y in
            let h = hash(x, y) % 16
            return [h, 2 * h, 3, 17 * h].map { UInt16($0 * 257) }
        },
        Case(name: "4 colors", format: .rgb16, bitDepth: 2, colorType: 3) { x, y in
            [UInt16(hash(x, y) % 4 * 257), 0, 257, 65535]
        },
        Case(name: "2 colors", format: .bgrx8, bitDepth: 1, colorType: 3) { x, y in
            [UInt16(hash(x, y) % 2 * 257), 0, 257, 65535]
        },
        Case(name: "5 grays", format: .gray8, bitDepth: 4, colorType: 3) { x, y in
            gray(hash(x, y) % 5)
        },
        Case(name: "nothing to win", format: .rgba8, bitDepth: 8, colorType: 6) { x, y in
            let h = hash(x, y)
            return [h % 256, h / 256, x % 256, y % 256].map { UInt16($0 * 257) }
        },
        Case(name: "nothing to win", format: .rgb16, bitDepth: 16, colorType: 2) { x, y in
            [UInt16(hash(x, y)), UInt16(hash(y, x)), 5, 65535]
        },
    ]

    private func bytes(_ testCase: Case, _ width: Int, _ height: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let color = testCase.color(x, y)
                let low = color.map { UInt8(truncatingIfNeeded: $0) }
                switch testCase.format {
                case .rgba8: bytes += low
                case .bgra8: bytes += [low[2], low[1], low[0], low[3]]
                case .abgr8: bytes += low.reversed()
                case .argb8: bytes += [low[3], low[0], low[1], low[2]]
                case .rgb8: bytes += low.prefix(3)
                case .bgrx8: bytes += [low[2], low[1], low[0], UInt8(x % 256)]
                case .gray8: bytes.append(low[0])
                case .rgba16: bytes += native(color)
                case .rgb16: bytes += native(Array(color.prefix(3)))
                case .graya16: bytes += native([color[0], color[3]])
                default: Issue.record("no such case")
                }
            }
        }
        return bytes
    }

    private func native(_ samples: [UInt16]) -> [UInt8] {
        samples.flatMap {
            [UInt8(truncatingIfNeeded: $0.littleEndian), UInt8($0.littleEndian >> 8)]
        }
    }

    @Test(arguments: cases, levels)
    func `the smaller form shows the same colors`(
        testCase: Case,
        level: PNGCompression
    ) throws {
        let (width, height) = (67, 41)
        let layout = try PixelLayout(
            width: width,
            height: height,
            format: testCase.format,
            premultiplied: testCase.premultiplied
        )
        let image = TestImage(layout, bytes: bytes(testCase, width, height))
        let png = try image.png(PNGOptions(compression: level, reduces: true))
        #expect(LibpngDecoded(png).complaint == "")
        let decoded = try DecodedPNG(png)
        #expect(decoded.bitDepth == testCase.bitDepth)
        #expect(decoded.colorType == testCase.colorType)
        var expected: [UInt16] = []
        for y in 0..<height {
            for x in 0..<width { expected += testCase.color(x, y) }
        }
        #expect(decoded.colors == expected)
    }

    @Test func `rows wider than what is converted at once`() throws {
        let layout = try PixelLayout(width: 1500, height: 3, format: .bgra8)
        let bytes = (0..<4500).flatMap { i -> [UInt8] in
            [UInt8(i % 3), 0, UInt8(i / 700), 255]
        }
        let image = TestImage(layout, bytes: bytes)
        let decoded = try DecodedPNG(image.png(PNGOptions(reduces: true)))
        #expect(decoded.colorType == 3)
        let plain = try DecodedPNG(image.png(PNGOptions()))
        #expect(decoded.colors == plain.colors)
    }

    @Test func `a palette that costs more than it saves is not used`() throws {
        let layout = try PixelLayout(width: 3, height: 1, format: .rgb8)
        let image = TestImage(layout, bytes: [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(try DecodedPNG(image.png(PNGOptions(reduces: true))).colorType == 2)
    }
}

extension DecodedPNG {
    /// Red, green, blue, alpha of each pixel in 16 bits, whatever the file's form.
    var colors: [UInt16] {
        let palette = bytes(of: "PLTE") ?? []
        let alphas = bytes(of: "tRNS") ?? []
        var colors: [UInt16] = []
        for start in stride(from: 0, to: samples.count, by: channels) {
            let pixel = Array(samples[start..<start + channels])
            if colorType == 3 {
                let index = Int(pixel[0])
                let alpha = index < alphas.count ? alphas[index] : 255
                colors += palette[index * 3..<index * 3 + 3].map { UInt16($0) * 257 }
                colors.append(UInt16(alpha) * 257)
                continue
            }
            let scaled = pixel.map { $0 * (bitDepth == 16 ? 1 : 257) }
            let color = channels < 3 ? Array(repeating: scaled[0], count: 3) : scaled
            colors += color.prefix(3)
            colors.append(channels % 2 == 0 ? scaled[channels - 1] : 65535)
        }
        return colors
    }
}
