import MultipartEncoder
import MultipartUpload

/// Stops an uploader, leaving its uploads in the queue, when the process is asked to end.
struct UploadWatch {
    private let task: Task<Void, Never>

    init(_ uploader: Uploader) {
        task = Task {
            while !Task.isCancelled, systemInterruption() == nil {
                try? await Task.sleep(for: .milliseconds(50))
            }
            if systemInterruption() != nil { await uploader.close() }
        }
    }

    func stop() { task.cancel() }
}
