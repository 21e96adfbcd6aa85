/// Why an upload could not be queued or sent.
public enum UploadError: Error, Hashable, Sendable {
    /// The upload was cancelled.
    case cancelled
}
