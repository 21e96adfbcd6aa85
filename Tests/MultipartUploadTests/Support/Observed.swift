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

/// A text that tells one test's requests from all others'.
func uniqueText() -> String { UUID().uuidString }
