/// One header field of a request or a response.
public struct UploadHeader: Hashable, Sendable, Codable {
    /// The field's name, as given.
    public let name: String
    /// The field's value, without the white space around it.
    public let value: String

    /// A field; checked when it is used.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether nothing in it could end the line or start another one (RFC 9110, section 5.5).
    var isWellFormed: Bool {
        !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
            && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: specials.contains(byte)
        }
    }

    private static let specials = ContiguousArray("!#$%&'*+-.^_`|~".utf8)
}

extension [UploadHeader] {
    /// The value of the first field with a name, in any case of letters.
    subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return first { $0.name.lowercased() == wanted }?.value
    }
}
