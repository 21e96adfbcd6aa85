/// What a multipart body turned out to hold.
public struct BodyInspection: Hashable, Sendable {
    /// The boundary, given or guessed; `nil` if the body does not start with one.
    public let boundary: String?
    /// The parts in order.
    public let parts: [InspectedPart]
    /// All that is wrong, in the order of the body; at most
    /// ``BodyInspector/faultLimit`` are kept.
    public let faults: [BodyFault]
    /// How many bytes the body has.
    public let length: Int64

    /// Whether every strict reader will read it as it was meant.
    public var isWellFormed: Bool { faults.isEmpty }
}

/// A part as it was found in a body.
public struct InspectedPart: Hashable, Sendable {
    /// The name as it stands between its quotes, escapes and all.
    public internal(set) var name: String?
    /// The filename as it stands between its quotes, escapes and all.
    public internal(set) var filename: String?
    /// The value of `Content-Type`.
    public internal(set) var contentType: String?
    /// All headers in order.
    public internal(set) var headers: [HeaderField] = []
    /// Where the content starts, in bytes from the start of the body.
    public internal(set) var offset: Int64
    /// How many bytes of content there are.
    public internal(set) var length: Int64 = 0
}
