import CPNGReader
import MultipartEncoder

/// Six bytes of how, then pixels, which come again until the image is full.
///
/// Whatever the format, level and layout, libpng must read the PNG as exactly these pixels.
func fuzzPNG(_ input: [UInt8]) {
    var source = ByteSource(input)
    let formats = PixelFormat.allCases
    let format = formats[Int(source.byte()) % formats.count]
    let width = Int(source.byte()) + 1
    let height = Int(source.byte() % 64) + 1
    let level = source.byte()
    let flags = source.byte()
    let padding = Int(flags >> 4)
    let isPremultiplied = flags & 1 == 1 && format.hasAlpha
    let pattern = source.bytes(.max)
    let colors = format.isIndexed ? Palette.fuzzed(pattern, bits: format.bitsPerPixel) : nil
    guard
        let layout = try? PixelLayout(
            width: width,
            height: height,
            format: format,
            premultiplied: isPremultiplied,
            palette: colors
        )
    else { preconditionFailure("a layout that should do") }
    let packed = (width * format.bitsPerPixel + 7) / 8
    let distance = packed + padding
    var bytes = ContiguousArray<UInt8>(repeating: 0, count: distance * height)
    for index in bytes.indices where !pattern.isEmpty {
        bytes[index] = pattern[index % pattern.count]
    }
    let isBottomUp = flags & 2 == 2
    let image = FuzzedImage(
        bytes: bytes,
        format: format,
        bytesPerRow: distance,
        isBottomUp: isBottomUp,
        isPremultiplied: isPremultiplied,
        palette: colors
    )
    let options = PNGOptions(
        compression: compression(level),
        reduces: flags & 4 == 4,
        interlaced: flags & 8 == 8 && level % 14 >= 4
    )
    let isRefused = image.hasIndexBeyondPalette(width: width, height: height)
    guard
        let png = encode(
            bytes,
            layout,
            bytesPerRow: isBottomUp ? -distance : distance,
            options,
            threads: padding % 2 + 1
        )
    else {
        precondition(isRefused, "refused without a reason")
        return
    }
    guard !isRefused else { return }
    let decoded = DecodedImage(png)
    precondition(decoded.width == width && decoded.height == height, "another size")
    for y in 0..<height {
        for x in 0..<width {
            precondition(
                decoded.color(x, y) == image.color(x, isBottomUp ? height - 1 - y : y),
                "another color at \(x), \(y)"
            )
        }
    }
}

private func compression(_ level: UInt8) -> PNGCompression {
    switch level % 14 {
    case 0: .fastest
    case 1: .fast
    case 2: .balanced
    case 3: .small
    case let level: .libpng(level: Int(level) - 4)
    }
}

private func encode(
    _ bytes: ContiguousArray<UInt8>,
    _ layout: PixelLayout,
    bytesPerRow: Int,
    _ options: PNGOptions,
    threads: Int
) -> [UInt8]? {
    do throws(PNGError) {
        let buffer = try PixelBuffer(bytes.span, layout: layout, bytesPerRow: bytesPerRow)
        return try buffer.png(options, threads: threads)
    } catch {
        return nil
    }
}

/// A color with 16 bits a channel, to which every other depth can be brought without loss.
private struct WideColor: Equatable {
    var red, green, blue, alpha: UInt16

    init(_ red: UInt16, _ green: UInt16, _ blue: UInt16, _ alpha: UInt16 = .max) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    init(gray: UInt16, _ alpha: UInt16 = .max) { self.init(gray, gray, gray, alpha) }
}

/// A sample of fewer bits, stretched so that white stays white.
private func wide(_ sample: UInt16, bits: Int) -> UInt16 {
    UInt16(UInt32(sample) * 65_535 / (1 << UInt32(bits) - 1))
}

extension Palette {
    /// As many colors as the first byte says, of all the indexes can name, from the bytes after it.
    fileprivate static func fuzzed(_ pattern: [UInt8], bits: Int) -> Palette? {
        let count = Int(pattern.first ?? 0) % (1 << bits) + 1
        let rgba = (0..<count * 4).map { index in
            pattern.isEmpty ? UInt8(index & 255) : pattern[(index * 7 + 1) % pattern.count]
        }
        return try? Palette(rgba: rgba)
    }
}

private struct FuzzedImage {
    let bytes: ContiguousArray<UInt8>
    let format: PixelFormat
    let bytesPerRow: Int
    let isBottomUp: Bool
    let isPremultiplied: Bool
    let palette: Palette?

    func hasIndexBeyondPalette(width: Int, height: Int) -> Bool {
        guard let palette else { return false }
        return (0..<height).contains { y in
            (0..<width).contains { x in Int(packed(x, y)) >= palette.count }
        }
    }

    func color(_ x: Int, _ y: Int) -> WideColor {
        if let palette {
            let color = palette[Int(packed(x, y))]
            return WideColor(
                byte(color.red),
                byte(color.green),
                byte(color.blue),
                byte(color.alpha)
            )
        }
        let straight = stored(x, y)
        guard isPremultiplied else { return straight }
        return WideColor(
            divided(straight.red, straight.alpha),
            divided(straight.green, straight.alpha),
            divided(straight.blue, straight.alpha),
            straight.alpha
        )
    }

    private func stored(_ x: Int, _ y: Int) -> WideColor {
        switch format {
        case .gray1, .gray2, .gray4, .index1, .index2, .index4, .index8:
            WideColor(gray: wide(packed(x, y), bits: format.bitsPerPixel))
        case .gray8: WideColor(gray: narrow(x, y, 0))
        case .gray16: WideColor(gray: word(x, y, 0))
        case .graya8: WideColor(gray: narrow(x, y, 0), narrow(x, y, 1))
        case .graya16: WideColor(gray: word(x, y, 0), word(x, y, 1))
        case .rgb8, .rgbx8: WideColor(narrow(x, y, 0), narrow(x, y, 1), narrow(x, y, 2))
        case .rgb16: WideColor(word(x, y, 0), word(x, y, 1), word(x, y, 2))
        case .rgba8:
            WideColor(narrow(x, y, 0), narrow(x, y, 1), narrow(x, y, 2), narrow(x, y, 3))
        case .rgba16: WideColor(word(x, y, 0), word(x, y, 1), word(x, y, 2), word(x, y, 3))
        case .bgra8:
            WideColor(narrow(x, y, 2), narrow(x, y, 1), narrow(x, y, 0), narrow(x, y, 3))
        case .bgrx8: WideColor(narrow(x, y, 2), narrow(x, y, 1), narrow(x, y, 0))
        case .argb8:
            WideColor(narrow(x, y, 1), narrow(x, y, 2), narrow(x, y, 3), narrow(x, y, 0))
        case .abgr8:
            WideColor(narrow(x, y, 3), narrow(x, y, 2), narrow(x, y, 1), narrow(x, y, 0))
        }
    }

    /// Divides by alpha at the format's own depth, to the nearest, as far as white.
    private func divided(_ sample: UInt16, _ alpha: UInt16) -> UInt16 {
        let isWide = format == .rgba16 || format == .graya16
        let unit: UInt64 = isWide ? 65_535 : 255
        let scale: UInt64 = isWide ? 1 : 257
        let (sample, alpha) = (UInt64(sample) / scale, UInt64(alpha) / scale)
        guard alpha > 0 else { return 0 }
        return UInt16(min(unit, (sample * unit + alpha / 2) / alpha) * scale)
    }

    private func packed(_ x: Int, _ y: Int) -> UInt16 {
        let bits = format.bitsPerPixel
        let byte = bytes[y * bytesPerRow + x * bits / 8]
        return UInt16(byte >> UInt8(8 - bits - x * bits % 8)) & (1 << UInt16(bits) - 1)
    }

    private func narrow(_ x: Int, _ y: Int, _ sample: Int) -> UInt16 {
        byte(bytes[y * bytesPerRow + x * (format.bitsPerPixel / 8) + sample])
    }

    /// A sample in the machine's byte order.
    private func word(_ x: Int, _ y: Int, _ sample: Int) -> UInt16 {
        let index = y * bytesPerRow + x * (format.bitsPerPixel / 8) + sample * 2
        return UInt16(littleEndian: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
    }

    private func byte(_ value: UInt8) -> UInt16 { UInt16(value) * 257 }
}

/// A PNG as libpng reads it, with its palette.
private struct DecodedImage {
    let width: Int
    let height: Int
    private let depth: Int
    private let colorType: Int
    private let rowBytes: Int
    private let rows: [UInt8]
    private let palette: [UInt8]
    private let alphas: [UInt8]

    init(_ png: [UInt8]) {
        var image = unsafe png_reader_image()
        unsafe png.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe png_reader_read(&image, start, bytes.count)
        }
        defer { unsafe png_reader_free(&image) }
        let error = unsafe String(cString: png_reader_error(&image))
        precondition(error.isEmpty, "libpng: \(error)")
        width = Int(unsafe image.width)
        height = Int(unsafe image.height)
        depth = Int(unsafe image.bit_depth)
        colorType = Int(unsafe image.color_type)
        rowBytes = unsafe image.row_bytes
        rows = unsafe Array(UnsafeBufferPointer(start: image.rows, count: rowBytes * height))
        palette = Self.chunk("PLTE", of: png)
        alphas = Self.chunk("tRNS", of: png)
        precondition(colorType == 3 || alphas.isEmpty, "a color key that nobody asked for")
    }

    func color(_ x: Int, _ y: Int) -> WideColor {
        switch colorType {
        case 0: return WideColor(gray: value(x, y))
        case 2: return WideColor(value(x * 3, y), value(x * 3 + 1, y), value(x * 3 + 2, y))
        case 3:
            let index = Int(sample(x, y))
            let alpha = index < alphas.count ? alphas[index] : 255
            let entry = palette[(index * 3)...].prefix(3).map { UInt16($0) * 257 }
            return WideColor(entry[0], entry[1], entry[2], UInt16(alpha) * 257)
        case 4: return WideColor(gray: value(x * 2, y), value(x * 2 + 1, y))
        default:
            return WideColor(
                value(x * 4, y),
                value(x * 4 + 1, y),
                value(x * 4 + 2, y),
                value(x * 4 + 3, y)
            )
        }
    }

    private func value(_ index: Int, _ y: Int) -> UInt16 {
        wide(sample(index, y), bits: depth)
    }

    private func sample(_ index: Int, _ y: Int) -> UInt16 {
        let row = y * rowBytes
        switch depth {
        case 16: return UInt16(rows[row + index * 2]) << 8 | UInt16(rows[row + index * 2 + 1])
        case 8: return UInt16(rows[row + index])
        default:
            let byte = UInt16(rows[row + index * depth / 8])
            return byte >> UInt16(8 - depth - index * depth % 8) & (1 << UInt16(depth) - 1)
        }
    }

    private static func chunk(_ type: String, of png: [UInt8]) -> [UInt8] {
        var position = 8
        while position + 12 <= png.count {
            let length = png[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let name = png[position + 4..<position + 8]
            if name.elementsEqual(type.utf8) {
                return Array(png[position + 8..<position + 8 + length])
            }
            position += 12 + length
        }
        return []
    }
}
