public import Foundation

/// Sends one request and brings back what the server answered.
///
/// It decides nothing: no retries, no redirects, no credentials of its own.
public protocol UploadTransport: Sendable {
    /// Whether the transport resumes a broken upload by itself, so that the uploader should leave
    /// the resumable-upload protocol to it.
    var resumesByItself: Bool { get }

    /// Performs one attempt, and returns when it is over.
    ///
    /// Cancelling the task ends the attempt soon, with ``TransportError/Kind/cancelled`` unless an
    /// answer was there already.
    ///
    /// - Parameters:
    ///   - attempt: What to send.
    ///   - report: Is told of progress and of interim responses, from any thread, one at a time.
    /// - Returns: What came back, or what broke.
    func perform(
        _ attempt: UploadAttempt,
        report: @escaping @Sendable (AttemptReport) -> Void
    ) async -> AttemptResult

    /// Is told that what an attempt came to is stored.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - isOver: Whether nothing more is wanted of the system for the upload: it is over, or
    ///     waits for somebody.
    func settled(_ upload: UploadID, isOver: Bool) async

    /// The upload that a background session of this transport is for.
    func upload(ofBackgroundSession identifier: String) -> UploadID?

    /// Calls `completion` once, when the events of an upload's background session have been told
    /// and what they came to is stored.
    func finishEvents(
        of upload: UploadID,
        completion: @escaping @MainActor @Sendable () -> Void
    ) async
}

extension UploadTransport {
    /// Nothing to resume.
    public var resumesByItself: Bool { false }

    /// Nothing to take back.
    public func settled(_ upload: UploadID, isOver: Bool) async {}

    /// No background sessions.
    public func upload(ofBackgroundSession identifier: String) -> UploadID? { nil }

    /// No events.
    public func finishEvents(
        of upload: UploadID,
        completion: @escaping @MainActor @Sendable () -> Void
    ) async { await completion() }
}

/// One request.
public struct UploadAttempt: Hashable, Sendable {
    /// The body of a request: part of a file.
    public struct Body: Hashable, Sendable {
        /// The file.
        public let path: String
        /// The file's whole size in bytes.
        public let fileSize: Int64
        /// Where in the file the body starts.
        public let offset: Int64
        /// How many bytes the body has.
        public let length: Int64

        /// A body, for transports' tests.
        public init(path: String, fileSize: Int64, offset: Int64, length: Int64) {
            self.path = path
            self.fileSize = fileSize
            self.offset = offset
            self.length = length
        }
    }

    /// What to do if an earlier process began the attempt.
    public enum Continuation: Hashable, Sendable {
        /// No process began it.
        case fresh
        /// Take over what the system still does for it, else start.
        case adoptOrStart
        /// Take over what the system still does for it, else fail: the request must not be
        /// repeated.
        case adoptOnly
    }

    /// The upload it belongs to.
    public let upload: UploadID
    /// The address.
    public let url: URL
    /// The method.
    public let method: String
    /// All header fields but `Content-Length`, which is the body's ``Body/length``.
    public let headers: [UploadHeader]
    /// The body; `nil` for a request without one.
    public let body: Body?
    /// Whether a connection of an earlier attempt may be used, where the transport might have to
    /// repeat the request by itself.
    public let mayReuseConnection: Bool
    /// The longest time the attempt may take.
    public let deadline: Duration?
    /// The longest time without a byte in either direction.
    public let stallTimeout: Duration
    /// What to do if an earlier process began it.
    public let continuation: Continuation

    /// An attempt, for transports' tests.
    public init(
        upload: UploadID,
        url: URL,
        method: String,
        headers: [UploadHeader] = [],
        body: Body?,
        mayReuseConnection: Bool = true,
        deadline: Duration? = nil,
        stallTimeout: Duration = .seconds(60),
        continuation: Continuation = .fresh
    ) {
        self.upload = upload
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.mayReuseConnection = mayReuseConnection
        self.deadline = deadline
        self.stallTimeout = stallTimeout
        self.continuation = continuation
    }
}

/// What a transport tells while an attempt runs.
public enum AttemptReport: Hashable, Sendable {
    /// So many bytes of the attempt's body have been given to the connection.
    case sent(Int64)
    /// A response with a status below 200.
    case interim(UploadResponse)
}
