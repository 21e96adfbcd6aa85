/// A header as people write it, `Name: value`.
package struct HeaderLine {
    package let name: String
    /// The value without the spaces and tabs around it (RFC 9110, section 5.5).
    package let value: String

    /// `nil` where there is no colon.
    package init?(_ text: Substring) {
        // Looked for as a byte: an accent behind it would make it another character.
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        name = String(text[..<colon])
        var bytes = text.utf8[colon...].dropFirst().drop(while: Self.isSpace)
        while let last = bytes.last, Self.isSpace(last) { bytes.removeLast() }
        value = String(Substring(bytes))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
