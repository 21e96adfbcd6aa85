public import Foundation

/// What happens to an upload, as ``Uploader/events(of:)`` tells it.
public enum UploadEvent: Hashable, Sendable {
    /// The body is being written into the queue; so many bytes are there.
    case preparing(written: Int64)
    /// An attempt is running. `sent` never shrinks within an attempt and ends at `total`.
    case sending(sent: Int64, total: Int64, attempt: Int)
    /// An attempt failed, and the next one waits.
    case waiting(until: Date, attempt: Int, reason: String)
    /// The upload needs credentials that can't be had, and stays in the queue until it is resumed:
    /// the uploader has no `authorize`, or it gave none.
    case waitingForCredentials(reason: String)
    /// The upload was paused and stays so until it is resumed.
    case paused
    /// The end. The sequence ends too.
    case finished(UploadOutcome)

    /// Whether a later event of the same attempt makes this one worthless to a slow reader.
    func isReplaced(by later: UploadEvent) -> Bool {
        switch (self, later) {
        case (.preparing, .preparing): true
        case (.sending(_, _, let attempt), .sending(_, _, let laterAttempt)):
            attempt == laterAttempt
        default: false
        }
    }
}
