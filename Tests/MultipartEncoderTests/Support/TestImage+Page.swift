import MultipartEncoder

extension TestImage {
    /// A page of small text: words of letters with soft edges, in lines, each of one ink.
    static func page(
        _ format: PixelFormat,
        width: Int,
        height: Int,
        inks: Int
    ) throws -> TestImage {
        let layout = try PixelLayout(width: width, height: height, format: format)
        var generator = SeededGenerator(seed: 7)
        let letters = (0..<26).map { _ in Letter(&generator) }
        let words = (0..<80).map { _ in
            (0..<Int.random(in: 2...9, using: &generator)).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &generator)]
            }
        }
        let colors = (0..<inks).map { ink in
            ink == 0 ? [0, 0, 0] : (0..<3).map { _ in Int.random(in: 0...160, using: &generator) }
        }
        var page = Page(layout)
        for (line, top) in stride(from: 8, through: height - 20, by: 18).enumerated() {
            var left = 12
            while true {
                let word = words[Int.random(in: 0..<words.count, using: &generator)]
                guard left + word.count * Letter.width < width - 12 else { break }
                for letter in word {
                    page.draw(letter, left, top, colors[line % inks])
                    left += Letter.width
                }
                left += Letter.width / 2
            }
        }
        return TestImage(layout, bytes: page.bytes)
    }
}

/// How much of each pixel three strokes cover, in 255ths.
private struct Letter {
    static let width = 7
    static let height = 11
    let coverage: [Int]

    init(_ generator: inout SeededGenerator) {
        let strokes = (0..<3).map { _ in
            (0..<4).map { i in
                Double.random(
                    in: 1...Double(i % 2 == 0 ? Self.width : Self.height) - 1,
                    using: &generator
                )
            }
        }
        coverage = (0..<Self.width * Self.height).map { i in
            let (x, y) = (Double(i % Self.width) + 0.5, Double(i / Self.width) + 0.5)
            let distance =
                strokes.map { stroke in
                    let (dx, dy) = (stroke[2] - stroke[0], stroke[3] - stroke[1])
                    let along = ((x - stroke[0]) * dx + (y - stroke[1]) * dy) / (dx * dx + dy * dy)
                    let nearest = min(max(along, 0), 1)
                    let (ex, ey) = (x - stroke[0] - nearest * dx, y - stroke[1] - nearest * dy)
                    return (ex * ex + ey * ey).squareRoot()
                }.min() ?? 0
            return Int(min(max(1.2 - distance, 0), 1) * 255)
        }
    }
}

private struct Page {
    let layout: PixelLayout
    var bytes: [UInt8]

    init(_ layout: PixelLayout) {
        self.layout = layout
        bytes = Array(repeating: 255, count: layout.packedBytesPerRow * layout.height)
    }

    mutating func draw(_ letter: Letter, _ left: Int, _ top: Int, _ color: [Int]) {
        let pixel = layout.format.bitsPerPixel / 8
        let sample = layout.format == .rgba16 ? 2 : 1
        for (i, coverage) in letter.coverage.enumerated() where coverage > 0 {
            let (x, y) = (left + i % Letter.width, top + i / Letter.width)
            let start = y * layout.packedBytesPerRow + x * pixel
            for place in 0..<min(pixel / sample, 3) {
                let value = 255 - (255 - color[place]) * coverage / 255
                for byte in 0..<sample { bytes[start + place * sample + byte] = UInt8(value) }
            }
        }
    }
}
