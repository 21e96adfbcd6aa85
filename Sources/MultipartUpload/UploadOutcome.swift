/// How an upload ended.
///
/// Kept in the queue until it is removed.
public enum UploadOutcome: Hashable, Sendable, Codable {
    /// The server answered 2xx.
    case delivered(UploadResponse)
    /// The server gave another final answer.
    case rejected(UploadResponse)
    /// No answer, and no more attempts.
    case failed(UploadFailure)
    /// ``Uploader/cancel(_:)`` was called.
    case cancelled

    /// Whether the server has the body.
    public var isDelivered: Bool {
        switch self {
        case .delivered: true
        case .rejected, .failed, .cancelled: false
        }
    }

    /// The server's answer, if there was one.
    public var response: UploadResponse? {
        switch self {
        case .delivered(let response), .rejected(let response): response
        case .failed, .cancelled: nil
        }
    }
}

/// Why an upload failed for good without an answer from the server.
public struct UploadFailure: Error, Hashable, Sendable, Codable {
    /// What kind of failure.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// The last of the allowed attempts failed.
        case attemptsExhausted
        /// Trying again could not help: an untrusted certificate, say.
        case permanent
        /// The request may have reached the server and must not be sent twice.
        case mayHaveBeenDelivered
        /// The body's file is gone, changed or unreadable.
        case bodyUnusable
        /// The server broke the rules of resumable uploads.
        case protocolViolation
        /// The redirects are too many, lead to another origin, or to plain `http`.
        case redirectRefused
    }

    /// What kind of failure.
    public let reason: Reason
    /// What happened, for people.
    public let message: String
    /// The last error of the transport, if there was one.
    public let transportError: TransportError?

    /// A failure.
    public init(_ reason: Reason, _ message: String, transportError: TransportError? = nil) {
        self.reason = reason
        self.message = message
        self.transportError = transportError
    }
}
