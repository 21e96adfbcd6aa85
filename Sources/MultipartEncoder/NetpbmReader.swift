/// Reads numbers and lines from the front of a PNM or PAM file.
struct NetpbmReader: ~Escapable {
    private let bytes: Span<UInt8>
    private(set) var position: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    private static let hash = UInt8(ascii: "#")
    private static let newline = UInt8(ascii: "\n")

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            ? Int(byte - UInt8(ascii: "0")) : nil
    }

    /// The next number of a header, after white space and comments.
    mutating func number(_ field: NetpbmError.Field) throws(NetpbmError) -> Int {
        let start = position
        skipSpace()
        guard position < bytes.count else { throw .endsInHeader }
        guard position > start, let number = digits() else { throw .invalid(field) }
        return number
    }

    /// The place after the one white space character that ends the header.
    mutating func endHeader() throws(NetpbmError) -> Int {
        // A comment may stand between the last number and that character.
        if position < bytes.count, bytes[position] == Self.hash { skipComment() }
        guard position < bytes.count else { throw .endsInHeader }
        guard Self.isSpace(bytes[position]) else { throw .invalid(.maximum) }
        position += 1
        return position
    }

    /// The next line of a header that is no comment, without its end; `nil` at the file's end.
    mutating func line() throws(NetpbmError) -> String? {
        guard position < bytes.count else { throw .endsInHeader }
        var text: ContiguousArray<UInt8> = []
        while position < bytes.count, bytes[position] != Self.newline {
            text.append(bytes[position])
            position += 1
        }
        guard position < bytes.count else { throw .endsInHeader }
        position += 1
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        let line = String(decoding: text.drop(while: Self.isSpace), as: UTF8.self)
        return line.hasPrefix("#") ? "" : line
    }

    /// The next sample of an image in text; `nil` where there is none.
    mutating func sample() -> Int? {
        skipSpace()
        return digits()
    }

    /// The next bit of an image in text; `nil` where there is none.
    mutating func bit() -> Int? {
        skipSpace()
        guard position < bytes.count, let digit = Self.digit(bytes[position]), digit < 2
        else { return nil }
        position += 1
        return digit
    }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position >= bytes.count
        }
    }

    private mutating func digits() -> Int? {
        var number: Int?
        while position < bytes.count, let digit = Self.digit(bytes[position]) {
            // Far above any limit, and far below what an integer can hold.
            guard (number ?? 0) < 1 << 40 else { return nil }
            number = (number ?? 0) * 10 + digit
            position += 1
        }
        return number
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            if bytes[position] == Self.hash {
                skipComment()
            } else if Self.isSpace(bytes[position]) {
                position += 1
            } else {
                return
            }
        }
    }

    private mutating func skipComment() {
        while position < bytes.count, bytes[position] != Self.newline { position += 1 }
    }
}
