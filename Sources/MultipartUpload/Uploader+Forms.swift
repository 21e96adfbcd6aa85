import Foundation
public import MultipartEncoder
import Synchronization

extension Uploader {
    /// A name for an upload that is about to be enqueued.
    ///
    /// Its events can be read from now on, so that nothing of the preparation is missed.
    public nonisolated func makeID() -> UploadID {
        let id = UploadID.random()
        hub.open(id)
        return id
    }

    /// Writes a form straight into the queue and starts to send it.
    ///
    /// - Parameters:
    ///   - form: What to send.
    ///   - request: Where it goes.
    ///   - id: The upload's name, from ``makeID()``.
    /// - Returns: The upload's name, once the upload can't be lost any more.
    /// - Throws: ``UploadError``; nothing is queued then.
    @discardableResult
    public func enqueue(
        _ form: FormData,
        to request: UploadRequest,
        as id: UploadID? = nil
    ) async throws(UploadError) -> UploadID {
        let expected: Int64?
        do throws(MultipartError) {
            expected = try form.contentLength()
        } catch {
            throw .spoolingFailed(error.description)
        }
        return try await enqueue(
            to: request,
            as: id,
            options: form.options,
            expectedLength: expected
        ) { (writer) throws(MultipartError) in
            for part in form.parts { try writer.append(part) }
        }
    }

    /// Writes a form straight into the queue, like ``enqueue(_:to:as:)``, to go where a `URLRequest`
    /// says; see ``UploadRequest/init(_:)``.
    @discardableResult
    public func enqueue(
        _ form: FormData,
        to request: URLRequest,
        as id: UploadID? = nil
    ) async throws(UploadError) -> UploadID {
        try await enqueue(form, to: UploadRequest(request), as: id)
    }

    /// Writes a body straight into the queue and starts to send it.
    ///
    /// - Parameters:
    ///   - request: Where it goes.
    ///   - id: The upload's name, from ``makeID()``.
    ///   - options: How the body is written.
    ///   - expectedLength: How many bytes the body will have, if that is known: a body for which
    ///     there is no room then isn't begun.
    ///   - write: Appends the parts, on a thread of its own.
    /// - Returns: The upload's name, once the upload can't be lost any more.
    /// - Throws: ``UploadError``; nothing is queued then.
    @discardableResult
    public func enqueue(
        to request: UploadRequest,
        as id: UploadID? = nil,
        options: WritingOptions = WritingOptions(),
        expectedLength: Int64? = nil,
        writing write: @escaping @Sendable (inout MultipartWriter) throws(MultipartError) -> Void
    ) async throws(UploadError) -> UploadID {
        let id = id ?? makeID()
        do throws(UploadError) {
            try checkOpen()
            try request.validate()
            try store.checkQuota(for: expectedLength ?? 0)
            try store.checkSpace(for: expectedLength ?? 0)
            let staging = try store.makeStaging(id)
            let body = try await spool(id, to: staging + "/body", options, write)
            try checkOpen()
            let record = newRecord(id, request, body.contentType, body.contentLength)
            start(try store.commit(record))
            return id
        } catch {
            store.removeStaging(id)
            hub.close(id)
            throw error
        }
    }

    /// Writes on a thread of its own: a body may take minutes, and threads of tasks are few.
    private nonisolated func spool(
        _ id: UploadID,
        to path: String,
        _ options: WritingOptions,
        _ write: @escaping @Sendable (inout MultipartWriter) throws(MultipartError) -> Void
    ) async throws(UploadError) -> SpooledBody {
        let watch = SpoolWatch(id, store: store, hub: hub, progress: options.progress)
        var watched = options
        watched.progress = { watch.answer($0) }
        let final = watched
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: watch.spool(to: path, final, write))
                }
            }
        } onCancel: {
            watch.cancel()
        }
        return try result.get()
    }
}

/// Follows a body while it is written, and stops it when there is no room for more.
private final class SpoolWatch: Sendable {
    private struct State {
        var problem: UploadError?
        var checkedAt: Int64 = 0
    }

    /// Bytes between two looks at how much room is left.
    private static let interval: Int64 = 16 * 1024 * 1024

    private let id: UploadID
    private let store: UploadStore
    private let hub: EventHub
    private let progress: (@Sendable (BodyProgress) -> ProgressAnswer)?
    private let state = Mutex(State())

    init(
        _ id: UploadID,
        store: UploadStore,
        hub: EventHub,
        progress: (@Sendable (BodyProgress) -> ProgressAnswer)?
    ) {
        self.id = id
        self.store = store
        self.hub = hub
        self.progress = progress
    }

    func cancel() { state.withLock { $0.problem = $0.problem ?? .cancelled } }

    func answer(_ progress: BodyProgress) -> ProgressAnswer {
        hub.publish(.preparing(written: progress.bytesWritten), of: id)
        let hasProblem = state.withLock { state in
            if state.problem == nil, progress.bytesWritten - state.checkedAt >= Self.interval {
                state.checkedAt = progress.bytesWritten
                do throws(UploadError) {
                    // The bytes so far are in no named file yet where the system can hide it.
                    try store.checkQuota(for: progress.bytesWritten)
                    try store.checkSpace(for: Self.interval)
                } catch {
                    state.problem = error
                }
            }
            return state.problem != nil
        }
        if hasProblem { return .cancel }
        return self.progress?(progress) ?? .proceed
    }

    func spool(
        to path: String,
        _ options: WritingOptions,
        _ write: (inout MultipartWriter) throws(MultipartError) -> Void
    ) -> Result<SpooledBody, UploadError> {
        do throws(MultipartError) {
            var writer = try MultipartWriter(spoolingTo: path, replacing: false, options: options)
            try write(&writer)
            return .success(try writer.finish())
        } catch {
            if let problem = state.withLock({ $0.problem }) { return .failure(problem) }
            if case .cancelled = error { return .failure(.cancelled) }
            return .failure(.spoolingFailed(error.description))
        }
    }
}
