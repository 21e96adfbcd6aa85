/// What the header of a PNM or PAM image says (the pages pbm(5), pgm(5), ppm(5) and pam(5)).
package struct NetpbmHeader: Hashable, Sendable {
    /// How samples stand in the file.
    package enum Samples: Hashable, Sendable {
        /// Decimal numbers, for bits maybe without space between them.
        case text
        /// Eight pixels a byte, from the high bit, each row on a byte of its own; 1 is black.
        case bits
        /// One byte a sample.
        case bytes
        /// Two bytes a sample, the high one first.
        case words
    }

    package let width: Int
    package let height: Int
    /// Samples a pixel.
    package let depth: Int
    /// The sample that stands for full intensity.
    package let maximum: Int
    package let samples: Samples
    /// What the pixels become: 1, 8 or 16 bits a sample.
    package let format: PixelFormat
    /// Whether 1 is black, as in PBM and nowhere else.
    let isInverted: Bool
    /// Where the samples start in the file.
    package let offset: Int

    /// Whether the samples can be used as they lie in the file.
    package var isDirect: Bool { samples == .bytes && maximum == 255 }

    /// Reads the header of a file that starts with these bytes.
    package init(_ bytes: Span<UInt8>) throws(NetpbmError) {
        guard bytes.count >= 2, bytes[0] == UInt8(ascii: "P") else { throw .unknownKind }
        var reader = NetpbmReader(bytes, at: 2)
        switch bytes[1] {
        case UInt8(ascii: "1"): try self.init(&reader, samples: .text, depth: 1, bits: true)
        case UInt8(ascii: "2"): try self.init(&reader, samples: .text, depth: 1, bits: false)
        case UInt8(ascii: "3"): try self.init(&reader, samples: .text, depth: 3, bits: false)
        case UInt8(ascii: "4"): try self.init(&reader, samples: .bits, depth: 1, bits: true)
        case UInt8(ascii: "5"): try self.init(&reader, samples: .bytes, depth: 1, bits: false)
        case UInt8(ascii: "6"): try self.init(&reader, samples: .bytes, depth: 3, bits: false)
        case UInt8(ascii: "7"): try self.init(pam: &reader)
        default: throw .unknownKind
        }
    }

    private init(
        _ reader: inout NetpbmReader,
        samples: Samples,
        depth: Int,
        bits: Bool
    ) throws(NetpbmError) {
        width = try Self.side(reader.number(.width), .width)
        height = try Self.side(reader.number(.height), .height)
        maximum = bits ? 1 : try Self.maximum(reader.number(.maximum))
        // One white space character, after which the samples start.
        offset = try reader.endHeader()
        self.depth = depth
        isInverted = bits
        self.samples = samples == .bytes && maximum > 255 ? .words : samples
        switch (bits, depth) {
        case (true, _): format = .gray1
        case (false, 1): format = maximum > 255 ? .gray16 : .gray8
        case (false, _): format = maximum > 255 ? .rgb16 : .rgb8
        }
    }

    private init(pam reader: inout NetpbmReader) throws(NetpbmError) {
        var numbers: [String: Int] = [:]
        var type: [String] = []
        while let line = try reader.line() {
            let words = line.split(separator: " ", maxSplits: 1)
            guard let key = words.first.map(String.init) else { continue }
            if key == "ENDHDR" { break }
            let value = words.count > 1 ? String(words[1]) : ""
            switch key {
            case "WIDTH": numbers[key] = try Self.number(value, .width)
            case "HEIGHT": numbers[key] = try Self.number(value, .height)
            case "DEPTH": numbers[key] = try Self.number(value, .depth)
            case "MAXVAL": numbers[key] = try Self.number(value, .maximum)
            case "TUPLTYPE": type.append(value)
            default: throw .unknownLine(line)
            }
        }
        guard let width = numbers["WIDTH"] else { throw .missing(.width) }
        guard let height = numbers["HEIGHT"] else { throw .missing(.height) }
        guard let depth = numbers["DEPTH"] else { throw .missing(.depth) }
        guard let maximum = numbers["MAXVAL"] else { throw .missing(.maximum) }
        self.width = try Self.side(width, .width)
        self.height = try Self.side(height, .height)
        self.depth = depth
        self.maximum = try Self.maximum(maximum)
        isInverted = false
        samples = maximum > 255 ? .words : .bytes
        offset = reader.position
        format = try Self.format(
            type.joined(separator: " "),
            depth: depth,
            maximum: maximum
        )
    }

    private static func format(
        _ type: String,
        depth: Int,
        maximum: Int
    ) throws(NetpbmError) -> PixelFormat {
        let isDeep = maximum > 255
        switch (type, depth) {
        case ("BLACKANDWHITE", 1) where maximum == 1: return .gray1
        case ("BLACKANDWHITE_ALPHA", 2) where maximum == 1: return .graya8
        case ("GRAYSCALE", 1), ("", 1): return isDeep ? .gray16 : .gray8
        case ("GRAYSCALE_ALPHA", 2), ("", 2): return isDeep ? .graya16 : .graya8
        case ("RGB", 3), ("", 3): return isDeep ? .rgb16 : .rgb8
        case ("RGB_ALPHA", 4), ("", 4): return isDeep ? .rgba16 : .rgba8
        default: throw .tupleType(type, depth: depth)
        }
    }

    private static func number(
        _ text: String,
        _ field: NetpbmError.Field
    ) throws(NetpbmError) -> Int {
        let digits = text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(digits)
        else { throw .invalid(field) }
        return number
    }

    private static func side(_ side: Int, _ field: NetpbmError.Field) throws(NetpbmError) -> Int {
        guard (1...PixelLayout.maximumSide).contains(side) else { throw .invalid(field) }
        return side
    }

    private static func maximum(_ maximum: Int) throws(NetpbmError) -> Int {
        guard (1...65_535).contains(maximum) else { throw .invalid(.maximum) }
        return maximum
    }
}
