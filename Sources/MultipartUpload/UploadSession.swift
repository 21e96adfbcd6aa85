package import Foundation

// What `URLSessionTransport` wants of sessions: the system's, or those of a test.

/// Makes sessions.
package protocol UploadSessionFactory: Sendable {
    /// Whether sessions with an identifier go on without the process. Such sessions take whole files
    /// only.
    var hasBackgroundSessions: Bool { get }

    /// Makes a session, whose events go to the channel, at once if the system has kept some.
    func makeSession(
        _ kind: UploadSessionKind,
        for channel: SessionChannel
    ) -> any UploadSession
}

/// What a session is for.
package enum UploadSessionKind: Hashable, Sendable {
    /// One attempt, in this process.
    case transient
    /// All attempts of one upload, in this process and later ones, by its identifier.
    case background(String)
}

/// A session.
package protocol UploadSession: Sendable {
    /// The tasks that the system still has, those of an earlier process included.
    func tasks() async -> [any UploadSessionTask]

    /// A task that isn't started; `nil` if the system gives none.
    func makeTask(
        _ request: URLRequest,
        _ body: SessionBody,
        name: String
    ) -> (any UploadSessionTask)?

    /// Ends the session when its tasks have ended, or ends them too; the channel hears of it.
    func invalidate(cancellingTasks: Bool)
}

/// Where a task's bytes come from.
package enum SessionBody: Hashable, Sendable {
    case none
    /// All of a file, read by the system, also without the process.
    case file(String)
    /// Part of a file, read by this process.
    case range(UploadAttempt.Body)
}

/// A task of a session.
package protocol UploadSessionTask: Sendable {
    /// Its number among all tasks of the session, higher than those of tasks before.
    var number: Int { get }
    /// What it was named, perhaps by an earlier process.
    var name: String? { get }
    func resume()
    func cancel()
}

/// What a session tells of one of its tasks.
package enum SessionEvent: Sendable {
    /// So many bytes of the body have been sent.
    case sent(Int64)
    /// A response, or an interim one.
    case response(UploadResponse)
    /// Some of the response's body.
    case data(Data)
    /// The server asked for a password, which it won't get: the 401 is the answer.
    case passwordRefused
    /// The final response, from a system that hasn't told it before.
    case lateResponse(UploadResponse)
    /// The body can't be read.
    case bodyFailed(String)
    /// The task is over.
    case ended((any Error)?)
}
