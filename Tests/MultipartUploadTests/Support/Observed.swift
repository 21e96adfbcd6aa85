import Foundation
import MultipartUpload
import Synchronization

/// Collects what comes from several threads.
final class Collected<Element: Sendable>: Sendable {
    private let items = Mutex<[Element]>([])
    func append(_ item: Element) { items.withLock { $0.append(item) } }
    var all: [Element] { items.withLock { $0 } }
}

extension RetryPolicy {
    /// Quick enough for tests.
    static func quick(_ attempts: Int) -> RetryPolicy {
        RetryPolicy(
            maximumAttempts: attempts,
            baseDelay: .milliseconds(5),
            maximumDelay: .milliseconds(20)
        )
    }
}

extension UploadHeader {
    /// Makes the test server stop when so many bytes of a request's body have come.
    ///
    /// Its log has the request then; there is no answer.
    static func hold(at count: Int) -> UploadHeader { UploadHeader("X-Hold", String(count)) }
}

/// What a process gives that goes on with uploads whose credentials were for the test's sake.
let noCredentials: Uploader.Authorize = { _ in [] }

/// A text that tells one test's requests from all others'.
func uniqueText() -> String { UUID().uuidString }

/// Waits until something is so, which on a busy machine may take long.
func until(_ what: String = "what was waited for", _ condition: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw TestFailure("it never came to \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
