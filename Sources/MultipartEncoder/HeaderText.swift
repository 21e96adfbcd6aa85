/// What may stand in a header's name or value, and how a name is written there.
enum HeaderText {
    /// Whether a byte may stand in a token (RFC 9110, section 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: tokenSpecials.contains(byte)
        }
    }

    /// The first byte of a value that could end the header or the whole text early.
    static func forbiddenByte(in value: String) -> UInt8? {
        value.utf8.first { $0 == carriageReturn || $0 == lineFeed || $0 == 0 }
    }

    /// Appends a name or filename between quotes, with `"`, CR and LF as `%22`, `%0D` and `%0A`
    /// and nothing else changed (the WHATWG's multipart/form-data encoding algorithm).
    static func append(quoted text: String, to header: inout ContiguousArray<UInt8>) {
        header.append(quote)
        for byte in text.utf8 {
            switch byte {
            case quote: header.append(contentsOf: "%22".utf8)
            case carriageReturn: header.append(contentsOf: "%0D".utf8)
            case lineFeed: header.append(contentsOf: "%0A".utf8)
            default: header.append(byte)
            }
        }
        header.append(quote)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let tokenSpecials = Set("!#$%&'*+-.^_`|~".utf8)
}
