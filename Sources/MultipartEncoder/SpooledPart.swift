/// One part of a finished body: what was said about it, and where its content lies.
public struct SpooledPart: Hashable, Sendable {
    /// The part's name, as given.
    public let name: String
    /// The part's filename, as given; `nil` for a field.
    public let filename: String?
    /// The part's `Content-Type`; `nil` when the part has none.
    public let contentType: String?
    /// Where the content starts, in bytes from the start of the body.
    public let offset: Int64
    /// How many bytes of content there are.
    public let length: Int64

    package init(
        name: String,
        filename: String?,
        contentType: String?,
        offset: Int64,
        length: Int64
    ) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.offset = offset
        self.length = length
    }
}
