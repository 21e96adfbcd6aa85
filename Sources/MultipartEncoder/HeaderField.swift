/// A header of your own for a part.
public struct HeaderField: Hashable, Sendable {
    /// The name: a token, such as `X-Checksum`.
    public let name: String
    /// The value, written as it is; CR, LF and NUL are refused.
    public let value: String

    /// A header with this name and value, checked when the part is written.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
