/// How far a body has come.
public struct BodyProgress: Hashable, Sendable {
    /// Bytes of the body so far, delimiters and headers included.
    public let bytesWritten: Int64
    /// The part that is being written, the first being 0.
    public let partIndex: Int
}

/// What is to happen after a progress report.
public enum ProgressAnswer: Hashable, Sendable {
    /// Go on.
    case proceed
    /// Stop with ``MultipartError/cancelled`` and remove the spool.
    case cancel
}
