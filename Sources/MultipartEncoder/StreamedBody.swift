/// A multipart body that was written to a descriptor.
public struct StreamedBody: Hashable, Sendable {
    /// The value of the request's `Content-Type` header, boundary included.
    public let contentType: String
    /// How many bytes were written.
    public let contentLength: Int64
    /// The boundary between the parts.
    public let boundary: Boundary
    /// The parts in order.
    public let parts: [SpooledPart]
}
