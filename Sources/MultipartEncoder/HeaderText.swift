/// What may stand in a header's name or value.
package enum HeaderText {
    /// Whether a byte may stand in a token (RFC 9110, section 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: tokenSpecials.contains(byte)
        }
    }

    private static let tokenSpecials = Set("!#$%&'*+-.^_`|~".utf8)
}
