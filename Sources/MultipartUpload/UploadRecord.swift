import Foundation

/// What the queue remembers of an upload that isn't over.
struct UploadRecord: Hashable, Sendable, Codable {
    /// Where the upload stands.
    enum Phase: String, Hashable, Sendable, Codable {
        /// It waits for its turn, or for ``UploadRecord/notBefore``.
        case pending
        /// An attempt runs, or ran when the process died.
        case sending
        /// Somebody paused it.
        case paused
    }

    /// A file by its path and by what makes it that very file.
    struct OriginalFile: Hashable, Sendable, Codable {
        let path: String
        let size: Int64
        let device: UInt64
        let inode: UInt64
    }

    static let currentVersion = 1

    var version = Self.currentVersion
    let id: UploadID
    let request: UploadRequest
    let contentType: String
    let contentLength: Int64
    let createdAt: Date
    /// The file that the body came from, while it is still to be removed.
    var original: OriginalFile?
    var phase = Phase.pending
    /// Failed attempts in a row that didn't move the upload forward.
    var failures = 0
    /// All attempts, for people and events.
    var attempts = 0
    var notBefore: Date?
    /// When the wait until ``notBefore`` began, by the same clock.
    var waitsSince: Date?
    var lastProblem: String?
    /// Whether the uploader that queued it had credentials to give, of which nothing is kept.
    ///
    /// `nil` in the records of earlier versions: the server's answer tells then.
    var needsCredentials: Bool?
    /// Whether a request without `Idempotency-Key` may have reached the server.
    var mayHaveBeenDelivered = false
    /// Where a 308 said that the server now is.
    var movedTo: URL?
    var resumption: Resumption?

    /// When the wait ends, if it isn't over: never later than was meant when it began, though the
    /// clock may have been set back since.
    func endOfWait(now: Date) -> Date? {
        guard let notBefore, notBefore > now else { return nil }
        let policy = request.retryPolicy
        let jitter = 1.0
        let longest =
            max(policy.maximumDelay.inSeconds, policy.maximumRetryAfter.inSeconds) + jitter
        let meant = waitsSince.map { notBefore.timeIntervalSince($0) } ?? longest
        return min(notBefore, now.addingTimeInterval(min(max(0, meant), longest)))
    }

    /// Whether the numbers are such as an uploader writes: more would be counted over the edge.
    var isPossible: Bool {
        let counts = 0...Int(Int32.max)
        return contentLength >= 0 && counts.contains(failures) && counts.contains(attempts)
    }

    /// The part of the resumable-upload protocol that must survive.
    struct Resumption: Hashable, Sendable, Codable {
        /// The interop version that is spoken; `nil` once the server turned out to speak none.
        var version: InteropVersion?
        /// The upload's own resource on the server.
        var resource: URL?
        /// The most bytes that one request may append.
        var appendLimit: Int64?
        /// The highest offset that the server has acknowledged for any of the upload's resources:
        /// only what is beyond it is progress.
        var acknowledged: Int64 = 0
    }
}

/// The versions of the resumable-upload draft that are spoken
/// (draft-ietf-httpbis-resumable-upload).
enum InteropVersion: Int, Hashable, Sendable, Codable {
    case draft05 = 6
    case draft11 = 8

    /// What to try when a server doesn't take this one.
    var older: InteropVersion? {
        switch self {
        case .draft11: .draft05
        case .draft05: nil
        }
    }
}
