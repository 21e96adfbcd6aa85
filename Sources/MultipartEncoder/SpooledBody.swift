/// A finished multipart body in a file, ready to be uploaded.
public struct SpooledBody: Hashable, Sendable {
    /// Where the file is.
    public let path: String
    /// The value of the request's `Content-Type` header, boundary included.
    public let contentType: String
    /// The value of the request's `Content-Length` header: the size of the file in bytes.
    public let contentLength: Int64
    /// The boundary between the parts.
    public let boundary: Boundary
    /// The parts in order.
    public let parts: [SpooledPart]

    package init(
        path: String,
        contentType: String,
        contentLength: Int64,
        boundary: Boundary,
        parts: [SpooledPart]
    ) {
        self.path = path
        self.contentType = contentType
        self.contentLength = contentLength
        self.boundary = boundary
        self.parts = parts
    }
}
