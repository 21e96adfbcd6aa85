import Foundation
import MultipartUpload
import Synchronization

/// Stands for the system's transfer service: its tasks and what they came to outlive the processes
/// that began them.
final class FakeTransferService: Sendable {
    struct Transfer: Hashable, Sendable {
        let session: String
        let number: Int
        let name: String
        let request: URLRequest
        let file: String
        var isStarted = false
        /// Whether the system still lists it.
        var isListed = true
        var wasCancelled = false
    }

    private struct State {
        var transfers: [Transfer] = []
        /// Events that no process was there to hear, in order.
        var untold: [String: [(SessionEvent, Int)]] = [:]
        /// The sessions of the process that lives.
        var channels: [String: SessionChannel] = [:]
        var made: [String] = []
        var problems: [String] = []
        var tasksToRefuse = 0
    }

    private let state = Mutex(State())
    /// Transfers as they are started.
    let started: AsyncStream<Transfer>
    private let startedContinuation: AsyncStream<Transfer>.Continuation

    init() { (started, startedContinuation) = AsyncStream.makeStream() }

    var transfers: [Transfer] { state.withLock { $0.transfers } }
    /// Every session ever made, by its identifier.
    var made: [String] { state.withLock { $0.made } }
    var live: [String] { state.withLock { $0.channels.keys.sorted() } }
    /// What no app may do.
    var problems: [String] { state.withLock { $0.problems } }

    func next() async -> Transfer? {
        var iterator = started.makeAsyncIterator()
        return await iterator.next()
    }

    /// Gives no task so many times.
    func refuseTasks(_ count: Int) { state.withLock { $0.tasksToRefuse = count } }

    /// Tells the process that lives, or keeps it for the next one.
    func tell(_ event: SessionEvent, _ transfer: Transfer, staysListed: Bool = false) {
        let channel = state.withLock { state -> SessionChannel? in
            if case .ended = event, !staysListed { unlist(transfer.number, &state) }
            guard let channel = state.channels[transfer.session] else {
                state.untold[transfer.session, default: []].append((event, transfer.number))
                return nil
            }
            return channel
        }
        channel?.take(event, of: transfer.number, named: transfer.name)
    }

    func end(_ transfer: Transfer, code: Int, staysListed: Bool = false) {
        let error = NSError(domain: NSURLErrorDomain, code: code)
        tell(.ended(error), transfer, staysListed: staysListed)
    }

    func answer(
        _ transfer: Transfer,
        _ status: Int,
        _ body: String = "",
        headers: [UploadHeader] = []
    ) {
        let size = (try? FileManager.default.attributesOfItem(atPath: transfer.file))?[.size]
        tell(.sent((size as? Int64) ?? Int64(size as? Int ?? 0)), transfer)
        tell(.response(UploadResponse(status: status, headers: headers)), transfer)
        tell(.data(Data(body.utf8)), transfer)
        tell(.ended(nil), transfer)
    }

    /// Says to the process that lives that it has told everything.
    func finishEvents(_ session: String) {
        state.withLock { $0.channels[session] }?.finishedEvents()
    }

    /// The process dies: nobody hears anything more, and nothing it does counts.
    func killProcess() { state.withLock { $0.channels = [:] } }

    /// What happened is lost too.
    func forgetEvents() { state.withLock { $0.untold = [:] } }

    private func unlist(_ number: Int, _ state: inout State) {
        if let index = state.transfers.firstIndex(where: { $0.number == number }) {
            state.transfers[index].isListed = false
        }
    }

    fileprivate func open(_ session: String, _ channel: SessionChannel, tellsAtOnce: Bool) {
        let untold = state.withLock { state in
            // AFNetworking#3573: "A background URLSession with identifier … already exists".
            if state.channels[session] != nil { state.problems.append("\(session) made twice") }
            state.made.append(session)
            state.channels[session] = channel
            return state.untold.removeValue(forKey: session) ?? []
        }
        for (event, number) in untold {
            guard let transfer = transfers.first(where: { $0.number == number }) else { continue }
            channel.take(event, of: number, named: transfer.name)
        }
        if tellsAtOnce { channel.finishedEvents() }
    }

    fileprivate func isLive(_ session: String, _ channel: SessionChannel) -> Bool {
        state.withLock { $0.channels[session] === channel }
    }

    fileprivate func make(
        _ session: String,
        _ request: URLRequest,
        _ body: SessionBody,
        name: String
    ) -> Transfer? {
        state.withLock { state in
            let isTransient = session.hasPrefix(FakeSessions.transientPrefix)
            let path: String
            switch body {
            case .file(let file) where !isTransient: path = file
            case .none where isTransient: path = ""
            case .file, .range, .none:
                // AFNetworking#4079: the system ends the app.
                state.problems.append("\(body) in \(session)")
                return nil
            }
            if request.httpBody != nil || request.httpBodyStream != nil {
                state.problems.append("a body of the request's own")
            }
            guard state.tasksToRefuse == 0 else {
                state.tasksToRefuse -= 1
                return nil
            }
            let transfer = Transfer(
                session: session,
                number: state.transfers.count + 1,
                name: name,
                request: request,
                file: path
            )
            state.transfers.append(transfer)
            return transfer
        }
    }

    fileprivate func start(_ number: Int) {
        let news = state.withLock { state -> Transfer? in
            guard let index = state.transfers.firstIndex(where: { $0.number == number }),
                !state.transfers[index].isStarted
            else { return nil }
            state.transfers[index].isStarted = true
            return state.transfers[index]
        }
        if let news { startedContinuation.yield(news) }
    }

    fileprivate func cancel(_ number: Int) {
        let news = state.withLock { state -> Transfer? in
            guard let index = state.transfers.firstIndex(where: { $0.number == number }),
                state.transfers[index].isListed, !state.transfers[index].wasCancelled
            else { return nil }
            state.transfers[index].wasCancelled = true
            return state.transfers[index]
        }
        if let news { end(news, code: NSURLErrorCancelled) }
    }

    fileprivate func close(_ session: String, _ channel: SessionChannel) {
        state.withLock { $0.channels[session] = nil }
        channel.invalidated()
    }
}

/// What one process makes of the service.
final class FakeSessions: UploadSessionFactory {
    static let transientPrefix = "transient-"
    private let service: FakeTransferService
    private let tellsAtOnce: Bool

    /// With `tellsAtOnce` a session says as soon as it is made that it has told everything.
    init(_ service: FakeTransferService, tellsAtOnce: Bool = false) {
        self.service = service
        self.tellsAtOnce = tellsAtOnce
    }

    var hasBackgroundSessions: Bool { true }

    func makeSession(
        _ kind: UploadSessionKind,
        for channel: SessionChannel
    )
        -> any UploadSession
    {
        let identifier =
            switch kind {
            case .transient: Self.transientPrefix + UUID().uuidString
            case .background(let identifier): identifier
            }
        service.open(identifier, channel, tellsAtOnce: tellsAtOnce)
        return FakeSession(service: service, identifier: identifier, channel: channel)
    }
}

private struct FakeSession: UploadSession {
    let service: FakeTransferService
    let identifier: String
    let channel: SessionChannel

    private var isLive: Bool { service.isLive(identifier, channel) }

    func tasks() async -> [any UploadSessionTask] {
        service.transfers.filter { $0.session == identifier && $0.isListed }
            .map { FakeTask(session: self, transfer: $0) }
    }

    func makeTask(
        _ request: URLRequest,
        _ body: SessionBody,
        name: String
    ) -> (any UploadSessionTask)? {
        guard isLive else { return nil }
        return service.make(identifier, request, body, name: name)
            .map { FakeTask(session: self, transfer: $0) }
    }

    func invalidate(cancellingTasks: Bool) {
        guard isLive else { return }
        if cancellingTasks {
            for transfer in service.transfers where transfer.session == identifier {
                service.cancel(transfer.number)
            }
        }
        // The system takes its time.
        DispatchQueue.global().async { service.close(identifier, channel) }
    }

    struct FakeTask: UploadSessionTask {
        let session: FakeSession
        let transfer: FakeTransferService.Transfer
        var number: Int { transfer.number }
        var name: String? { transfer.name }
        func resume() { if session.isLive { session.service.start(transfer.number) } }
        func cancel() { if session.isLive { session.service.cancel(transfer.number) } }
    }
}
