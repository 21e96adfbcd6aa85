import Foundation
import Synchronization

/// Sends uploads with URLSession; the transport for Apple's platforms.
///
/// There the uploads are background sessions, which go on while the app is suspended or dead: one for
/// each upload, named by a prefix and the upload's name, found again by the next process.
///
/// On Linux the same class sends from within the process. FoundationNetworking ends the process when
/// a connection is closed within a response's headers ([5285][]), so ``CurlTransport`` is the better
/// choice there.
///
/// [5285]: https://github.com/swiftlang/swift-corelibs-foundation/issues/5285
public final class URLSessionTransport: UploadTransport {
    /// How sessions are made.
    public struct Configuration: Hashable, Sendable {
        /// What the identifiers of background sessions begin with.
        ///
        /// No two queues that an app uses at a time may share it.
        public var identifierPrefix: String
        /// The app group whose container the queue lies in, where an extension uploads.
        public var sharedContainerIdentifier: String?
        /// Bytes of each response's body to keep.
        public var responseLimit: Int
        /// Whether broken uploads are resumed by the system, which speaks the resumable-upload
        /// protocol by itself where it has background sessions, rather than by the uploader.
        public var leavesResumingToSystem: Bool

        /// The defaults, with 1 MiB of each response.
        public init(
            identifierPrefix: String = "multipart-upload.",
            sharedContainerIdentifier: String? = nil,
            responseLimit: Int = 1024 * 1024,
            leavesResumingToSystem: Bool = true
        ) {
            self.identifierPrefix = identifierPrefix
            self.sharedContainerIdentifier = sharedContainerIdentifier
            self.responseLimit = responseLimit
            self.leavesResumingToSystem = leavesResumingToSystem
        }
    }

    private let configuration: Configuration
    private let factory: any UploadSessionFactory
    /// The background sessions of this process, so that none is made twice.
    private let channels = Mutex<[UploadID: SessionChannel]>([:])

    /// A transport with sessions of the system.
    public convenience init(configuration: Configuration = Configuration()) {
        self.init(
            configuration: configuration,
            factory: SystemSessionFactory(configuration.sharedContainerIdentifier)
        )
    }

    /// A transport with sessions of any kind.
    package init(configuration: Configuration, factory: any UploadSessionFactory) {
        self.configuration = configuration
        self.factory = factory
    }

    /// Whether the system speaks the resumable-upload protocol.
    public var resumesByItself: Bool {
        factory.hasBackgroundSessions && configuration.leavesResumingToSystem
    }

    /// Performs one attempt; in the background, where there is one.
    public func perform(
        _ attempt: UploadAttempt,
        report: @escaping @Sendable (AttemptReport) -> Void
    ) async -> AttemptResult {
        guard Origin(attempt.url) != nil else {
            return .notSent(.unsupported, "only http and https can be sent")
        }
        if let body = attempt.body, attempt.continuation != .adoptOnly {
            do throws(UploadError) {
                _ = try UploadStore.openBody(body.path, size: body.fileSize)
            } catch {
                return .notSent(.bodyUnreadable, error.description)
            }
        }
        if factory.hasBackgroundSessions {
            if let body = attempt.body { return await performInBackground(attempt, body, report) }
            // Asking how much the server has means that what still runs for it is to end.
            if attempt.continuation != .fresh {
                let (channel, session) = await openChannel(of: attempt.upload)
                await endTasks(session, channel)
            }
        } else if attempt.continuation == .adoptOnly {
            return .lost
        }
        return await performInProcess(attempt, report)
    }

    private func performInProcess(
        _ attempt: UploadAttempt,
        _ report: @escaping @Sendable (AttemptReport) -> Void
    ) async -> AttemptResult {
        let channel = SessionChannel(attempt.upload, responseLimit: configuration.responseLimit)
        let session = factory.makeSession(.transient, for: channel)
        channel.opened(session)
        channel.begin(report)
        let result = await withTaskCancellationHandler {
            guard !Task.isCancelled else { return AttemptResult.notSent(.cancelled, "cancelled") }
            return await start(attempt, attempt.body.map { .range($0) } ?? .none, session, channel)
        } onCancel: {
            channel.stop(TransportError(.cancelled, "cancelled"))
        }
        channel.close(cancellingTasks: false)
        return result
    }

    private func performInBackground(
        _ attempt: UploadAttempt,
        _ body: UploadAttempt.Body,
        _ report: @escaping @Sendable (AttemptReport) -> Void
    ) async -> AttemptResult {
        let (channel, session) = await openChannel(of: attempt.upload)
        defer { try? UploadStore.removeTail(of: body) }
        channel.begin(report)  // which forgets a cancel, so before one can come
        return await withTaskCancellationHandler {
            if attempt.continuation != .fresh,
                let task = await adopt(attempt.upload, session, channel)
            {
                channel.follow(task.number, attempt, watchesStalls: false)
                task.resume()  // the process may have died before it did
                return await result(of: task, channel)
            }
            await endTasks(session, channel)
            guard !Task.isCancelled else {
                // What an earlier process sent, nobody knows.
                let mayBeSent = attempt.continuation != .fresh
                return .notSent(.cancelled, "cancelled", touchedServer: mayBeSent)
            }
            guard attempt.continuation != .adoptOnly else { return .lost }
            do throws(UploadError) {
                let path = try UploadStore.wholeFile(for: body)
                return await start(attempt, .file(path), session, channel)
            } catch {
                return .notSent(.interrupted, error.description)
            }
        } onCancel: {
            channel.stop(TransportError(.cancelled, "cancelled"))
        }
    }

    private func start(
        _ attempt: UploadAttempt,
        _ body: SessionBody,
        _ session: any UploadSession,
        _ channel: SessionChannel
    ) async -> AttemptResult {
        let name = attempt.upload.text
        guard let task = session.makeTask(request(for: attempt), body, name: name) else {
            return .notSent(.interrupted, "the system gave no task")
        }
        // A suspended process's clock says nothing about what the system does meanwhile.
        let isInProcess = !factory.hasBackgroundSessions || attempt.body == nil
        channel.follow(task.number, attempt, watchesStalls: isInProcess)
        task.resume()
        return await result(of: task, channel)
    }

    private func result(
        of task: any UploadSessionTask,
        _ channel: SessionChannel
    ) async
        -> AttemptResult
    {
        let timer = Task { await channel.keepTime() }
        let result = await channel.result()
        timer.cancel()
        if result.error != nil { task.cancel() }  // no harm if it has ended
        return result
    }

    /// The task that an earlier process began, running or ended since.
    private func adopt(
        _ upload: UploadID,
        _ session: any UploadSession,
        _ channel: SessionChannel
    ) async -> (any UploadSessionTask)? {
        let task = await session.tasks().filter { $0.name == upload.text }
            .max { $0.number < $1.number }
        if let task { return task }
        await channel.untilToldEverything(within: .seconds(20))
        return channel.endedTask.map { EndedTask(number: $0) }
    }

    private func endTasks(_ session: any UploadSession, _ channel: SessionChannel) async {
        for task in await session.tasks() { task.cancel() }
        channel.forgetTasks()
    }

    /// The background session of an upload, made now unless it is there.
    private func openChannel(of upload: UploadID) async -> (SessionChannel, any UploadSession) {
        while true {
            let channel = channels.withLock { channels -> SessionChannel in
                if let channel = channels[upload] { return channel }
                let channel = SessionChannel(upload, responseLimit: configuration.responseLimit)
                channels[upload] = channel
                let identifier = configuration.identifierPrefix + upload.text
                channel.opened(factory.makeSession(.background(identifier), for: channel))
                return channel
            }
            if let session = channel.session { return (channel, session) }
            // Until the system has let go of it, the identifier can't be used again.
            await forget(channel)
        }
    }

    private func forget(_ channel: SessionChannel) async {
        await channel.untilClosed()
        channels.withLock { channels in
            if channels[channel.upload] === channel { channels[channel.upload] = nil }
        }
    }

    /// Ends the upload's background session once the upload needs it no more.
    public func settled(_ upload: UploadID, isOver: Bool) async {
        guard factory.hasBackgroundSessions else { return }
        guard isOver else {
            channels.withLock { $0[upload] }?.settled(isOver: false)
            return
        }
        // One that isn't there may be one of an earlier process.
        let (channel, _) = await openChannel(of: upload)
        channel.close(cancellingTasks: true)
        channel.settled(isOver: true)
        Task { await forget(channel) }
    }

    /// The upload that an identifier is made of.
    public func upload(ofBackgroundSession identifier: String) -> UploadID? {
        guard factory.hasBackgroundSessions, identifier.hasPrefix(configuration.identifierPrefix)
        else { return nil }
        return UploadID(String(identifier.dropFirst(configuration.identifierPrefix.count)))
    }

    /// Makes the upload's session, unless it is there, and waits for its events.
    public func finishEvents(
        of upload: UploadID,
        completion: @escaping @MainActor @Sendable () -> Void
    ) async {
        let (channel, _) = await openChannel(of: upload)
        channel.expectEvents(completion)
    }

    private func request(for attempt: UploadAttempt) -> URLRequest {
        var request = URLRequest(url: attempt.url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = attempt.method
        for header in attempt.headers {
            request.addValue(header.value, forHTTPHeaderField: header.name)
        }
        // Within this process our own clock is to be first.
        let slack = factory.hasBackgroundSessions ? 0.0 : 30.0
        request.timeoutInterval = attempt.stallTimeout.inSeconds + slack
        return request
    }
}

/// A task that ended before anybody asked for it, and of which only the events are left.
private struct EndedTask: UploadSessionTask {
    let number: Int
    var name: String? { nil }
    func resume() {}
    func cancel() {}
}
