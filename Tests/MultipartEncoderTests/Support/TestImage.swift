import MultipartEncoder

/// An image in memory and, by slow arithmetic for each pixel, what its PNG must hold.
struct TestImage {
    enum Stride: CaseIterable {
        case packed, padded, bottomUp, bottomUpPadded
    }

    enum Content: CaseIterable {
        case noise, gradient, flat
    }

    let layout: PixelLayout
    let bytesPerRow: Int
    let bytes: ContiguousArray<UInt8>

    init(
        _ layout: PixelLayout,
        stride: Stride = .packed,
        content: Content = .noise,
        seed: UInt64 = 1
    ) {
        var generator = SeededGenerator(seed: seed)
        let packed = layout.packedBytesPerRow
        let distance =
            switch stride {
            case .packed, .bottomUp: packed
            case .padded, .bottomUpPadded: packed + 5
            }
        let isBottomUp = stride == .bottomUp || stride == .bottomUpPadded
        let count = distance * (layout.height - 1) + packed
        // Noise comes again in large images, but farther away than any match reaches.
        let period = content == .noise ? min(count, 65_521) : count
        var bytes = ContiguousArray<UInt8>()
        bytes.reserveCapacity(count)
        for i in 0..<period {
            switch content {
            case .noise: bytes.append(UInt8(truncatingIfNeeded: generator.next()))
            case .gradient:
                bytes.append(UInt8(truncatingIfNeeded: 3 * (i % distance) + i / distance * 7))
            case .flat: bytes.append(0x5A)
            }
        }
        let piece = bytes
        while bytes.count < count { bytes += piece.prefix(count - bytes.count) }
        self.layout = layout
        self.bytes = bytes
        bytesPerRow = isBottomUp ? -distance : distance
        limitIndexes()
        mixAlphas(&generator)
    }

    init(_ layout: PixelLayout, bytes: [UInt8], bytesPerRow: Int? = nil) {
        self.layout = layout
        self.bytes = ContiguousArray(bytes)
        self.bytesPerRow = bytesPerRow ?? layout.packedBytesPerRow
    }

    var buffer: PixelBuffer {
        @_lifetime(borrow self)
        get throws(PNGError) {
            try PixelBuffer(bytes.span, layout: layout, bytesPerRow: bytesPerRow)
        }
    }

    func png(_ options: PNGOptions, threads: Int = 1) throws -> [UInt8] {
        try buffer.png(options, threads: threads)
    }

    /// Rows in the order of the image, with their padding gone.
    var rows: [ArraySlice<UInt8>] {
        (0..<layout.height).map { y -> ArraySlice<UInt8> in
            let row = bytesPerRow < 0 ? layout.height - 1 - y : y
            let start = row * abs(bytesPerRow)
            return ArraySlice(bytes[start..<start + layout.packedBytesPerRow])
        }
    }

    private mutating func setBytes(_ change: (inout ContiguousArray<UInt8>) -> Void) {
        var bytes = bytes
        change(&bytes)
        self = TestImage(layout, bytes: Array(bytes), bytesPerRow: bytesPerRow)
    }

    /// Keeps indexes below the palette's count.
    private mutating func limitIndexes() {
        guard let palette = layout.palette else { return }
        let bits = layout.format.bitsPerPixel
        setBytes { bytes in
            for i in bytes.indices {
                var packed = 0
                for shift in stride(from: 8 - bits, through: 0, by: -bits) {
                    let index = (Int(bytes[i]) >> shift) & ((1 << bits) - 1)
                    packed |= (index % palette.count) << shift
                }
                bytes[i] = UInt8(packed)
            }
        }
    }

    /// Puts the alphas where errors hide (0, 1, 127, 255) among the others.
    private mutating func mixAlphas(_ generator: inout SeededGenerator) {
        guard let place = Self.alphaOffset(layout.format) else { return }
        let size = layout.format.bitsPerPixel / 8
        let sample = Self.sampleBytes(layout.format)
        let choices = (0..<64).map { _ in Int.random(in: 0..<8, using: &generator) }
        let distance = abs(bytesPerRow)
        let layout = layout
        setBytes { bytes in
            for y in 0..<layout.height {
                for x in 0..<layout.width {
                    let i = y * distance + x * size + place * sample
                    let choice = choices[(x + 5 * y) % choices.count]
                    guard choice < 4 else { continue }
                    let alpha: UInt8 = [0, 1, 127, 255][choice]
                    for j in 0..<sample { bytes[i + j] = alpha }
                }
            }
        }
    }

    /// Which sample is alpha.
    private static func alphaOffset(_ format: PixelFormat) -> Int? {
        switch format {
        case .graya8, .graya16: 1
        case .rgba8, .rgba16, .bgra8: 3
        case .argb8, .abgr8: 0
        default: nil
        }
    }

    private static func sampleBytes(_ format: PixelFormat) -> Int {
        switch format {
        case .gray16, .graya16, .rgb16, .rgba16: 2
        default: 1
        }
    }

    /// The PNG's depth and color type.
    var expectedHeader: (bitDepth: Int, colorType: Int) {
        switch layout.format {
        case .gray1: (1, 0)
        case .gray2: (2, 0)
        case .gray4: (4, 0)
        case .gray8: (8, 0)
        case .gray16: (16, 0)
        case .graya8: (8, 4)
        case .graya16: (16, 4)
        case .rgb8, .bgrx8, .rgbx8: (8, 2)
        case .rgb16: (16, 2)
        case .rgba8, .bgra8, .argb8, .abgr8: (8, 6)
        case .rgba16: (16, 6)
        case .index1: (1, 3)
        case .index2: (2, 3)
        case .index4: (4, 3)
        case .index8: (8, 3)
        }
    }

    /// The PNG's samples, row by row, pixel by pixel.
    var expectedSamples: [UInt16] {
        var all: [UInt16] = []
        for row in rows {
            for x in 0..<layout.width { all += samples(of: row, x) }
        }
        return all
    }

    private func samples(of row: ArraySlice<UInt8>, _ x: Int) -> [UInt16] {
        func byte(_ i: Int) -> UInt16 { UInt16(row[row.startIndex + i]) }
        func word(_ i: Int) -> UInt16 {
            // In the machine's own order, whichever that is.
            UInt16(littleEndian: byte(2 * i) | byte(2 * i + 1) << 8)
        }
        func bytes(_ order: Int...) -> [UInt16] { order.map { byte(4 * x + $0) } }
        func bits(_ count: Int) -> [UInt16] {
            let shift = UInt16(8 - count - x * count % 8)
            let mask = UInt16((1 << count) - 1)
            return [(byte(x * count / 8) >> shift) & mask]
        }
        func straight(_ samples: [UInt16], _ maximum: Int) -> [UInt16] {
            guard layout.isPremultiplied, let alpha = samples.last.map({ Int($0) }) else {
                return samples
            }
            var result: [UInt16] = []
            for color in samples.dropLast() {
                // Half of the divisor is added, in whole numbers: rounded half up.
                let rounded = alpha == 0 ? 0 : (2 * Int(color) * maximum + alpha) / (2 * alpha)
                result.append(UInt16(min(maximum, rounded)))
            }
            return result + [UInt16(alpha)]
        }
        switch layout.format {
        case .gray1, .index1: return bits(1)
        case .gray2, .index2: return bits(2)
        case .gray4, .index4: return bits(4)
        case .gray8, .index8: return [byte(x)]
        case .gray16: return [word(x)]
        case .graya8: return straight([byte(2 * x), byte(2 * x + 1)], 255)
        case .graya16: return straight([word(2 * x), word(2 * x + 1)], 65535)
        case .rgb8: return [byte(3 * x), byte(3 * x + 1), byte(3 * x + 2)]
        case .rgb16: return [word(3 * x), word(3 * x + 1), word(3 * x + 2)]
        case .rgba8: return straight(bytes(0, 1, 2, 3), 255)
        case .rgba16: return straight([0, 1, 2, 3].map { word(4 * x + $0) }, 65535)
        case .bgra8: return straight(bytes(2, 1, 0, 3), 255)
        case .argb8: return straight(bytes(1, 2, 3, 0), 255)
        case .abgr8: return straight(bytes(3, 2, 1, 0), 255)
        case .bgrx8: return bytes(2, 1, 0)
        case .rgbx8: return bytes(0, 1, 2)
        }
    }
}

/// A format, with or without premultiplied alpha.
struct FormatCase: Hashable, Sendable, CustomStringConvertible {
    let format: PixelFormat
    let premultiplied: Bool

    static let all: [FormatCase] = PixelFormat.allCases.flatMap { format in
        (format.hasAlpha ? [false, true] : [false]).map {
            FormatCase(format: format, premultiplied: $0)
        }
    }

    var description: String { format.rawValue + (premultiplied ? " premultiplied" : "") }

    /// A layout of this format; an indexed one gets a palette with alpha, one color short of all.
    func layout(width: Int, height: Int) throws -> PixelLayout {
        var palette: Palette?
        if format.isIndexed {
            let count = (1 << format.bitsPerPixel) - 1
            var colors: [UInt8] = []
            for i in 0..<count {
                let alpha = i < 3 ? UInt8(i * 100) : 255
                colors += [UInt8(i), UInt8(255 - i), UInt8(i * 7 % 256), alpha]
            }
            palette = try Palette(rgba: colors)
        }
        return try PixelLayout(
            width: width,
            height: height,
            format: format,
            premultiplied: premultiplied,
            palette: palette
        )
    }
}
