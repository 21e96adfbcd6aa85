import MultipartEncoder

/// The name of one upload, kept from its start to its outcome and over relaunches.
///
/// It is also the upload's directory in the queue and its `Idempotency-Key`.
public struct UploadID: Hashable, Sendable {
    /// 32 hexadecimal digits in lower case.
    public let text: String

    /// Takes a name that was written down; `nil` unless it has the form of one.
    public init?(_ text: String) {
        guard text.utf8.count == Self.length, text.utf8.allSatisfy({ Self.digits.contains($0) })
        else { return nil }
        self.text = text
    }

    /// A new name of 128 random bits from the system's generator.
    public static func random() -> UploadID {
        var generator = RandomPool()
        return UploadID(
            digits: (0..<length).map { _ in
                digits[Int.random(in: 0..<digits.count, using: &generator)]
            }
        )
    }

    private init(digits: [UInt8]) { text = String(decoding: digits, as: UTF8.self) }

    private static let length = 32
    private static let digits = ContiguousArray("0123456789abcdef".utf8)
}

extension UploadID: CustomStringConvertible {
    /// The digits.
    public var description: String { text }
}

extension UploadID: Codable {
    /// Reads the digits as one string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = UploadID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not an upload's name"
            )
        }
        self = id
    }

    /// Writes the digits as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
