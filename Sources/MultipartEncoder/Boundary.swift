/// The text that separates the parts of a multipart body.
///
/// 1 to 70 characters of [RFC 2046, section 5.1.1][grammar]'s `bchars`, the last one no space.
///
/// [grammar]: https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1
public struct Boundary: Hashable, Sendable {
    /// The boundary itself, without the two hyphens that come before it in the body.
    public let text: String
    /// Whether a caller chose it, so that content may hold it.
    let isFixed: Bool

    /// Checks a boundary of your own.
    ///
    /// Everything that is written under it is searched for it, and a find is an error.
    ///
    /// - Parameter text: 1 to 70 of `0-9 A-Z a-z ' ( ) + _ , - . / : = ?` and space; no space at
    ///   the end.
    /// - Throws: ``BoundaryError`` that says which rule was broken.
    public init(_ text: String) throws(BoundaryError) {
        let bytes = ContiguousArray(text.utf8)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Self.maximumLength else { throw .tooLong(bytes.count) }
        if let offset = bytes.firstIndex(where: { !Self.allows($0) }) {
            throw .forbiddenByte(bytes[offset], offset: offset)
        }
        guard bytes.last != UInt8(ascii: " ") else { throw .endsInSpace }
        self.text = text
        isFixed = true
    }

    /// A new boundary of 32 random letters and digits (190 bits) from the system's generator.
    public static func random() -> Boundary {
        var generator = RandomPool()
        return random(using: &generator)
    }

    /// A new boundary from a generator of your own, for tests that want the same bytes each time.
    ///
    /// The generator must not be predictable where the body goes to a real server: who can guess
    /// the boundary can add parts.
    public static func random(using generator: inout some RandomNumberGenerator) -> Boundary {
        let text = (0..<randomLength).map { _ in
            alphanumerics[Int.random(in: 0..<alphanumerics.count, using: &generator)]
        }
        return Boundary(random: String(decoding: text, as: UTF8.self))
    }

    private init(random text: String) {
        self.text = text
        isFixed = false
    }

    /// The boundary as the value of a `boundary` parameter, in quotes only where a token can't
    /// hold it (RFC 2045, section 5.1): some servers can't read quotes.
    package var parameterValue: String {
        text.utf8.allSatisfy { HeaderText.isTokenByte($0) } ? text : "\"\(text)\""
    }

    private static let maximumLength = 70
    private static let randomLength = 32
    private static let alphanumerics = ContiguousArray(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
    )
    private static let specials = Set("'()+_,-./:=? ".utf8)

    private static func allows(_ byte: UInt8) -> Bool {
        alphanumerics.contains(byte) || specials.contains(byte)
    }
}

extension Boundary: CustomStringConvertible {
    /// The boundary itself.
    public var description: String { text }
}
