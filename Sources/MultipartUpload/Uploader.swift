public import Foundation
public import MultipartEncoder

/// Uploads spooled bodies from a queue on the disk, and finishes what an earlier process began.
///
/// One uploader at a time has a queue. Nothing is sent before ``enqueue(_:to:keepsOriginal:)`` or
/// ``resume()`` is called.
public actor Uploader {
    /// What an `authorize` closure is asked for.
    public struct Authorization: Hashable, Sendable {
        /// The upload.
        public let upload: UploadID
        /// The address that the credentials are for: of the request's own origin.
        public let url: URL
        /// The number of the attempt, from 1.
        public let attempt: Int
        /// Whether the server just answered 401 to what the closure gave before.
        public let wasRefused: Bool
    }

    /// Gives the header fields that hold credentials.
    ///
    /// It is called before every request of an upload that was queued with it, and what it gives is
    /// never written to the disk. If it throws, the attempt has failed; after the policy's last
    /// attempt the upload isn't over, but waits for credentials
    /// (``UploadEvent/waitingForCredentials(reason:)``). So it does if it gives nothing and the
    /// server answers 401, and at once if it gives a field that can't be sent. Its time is part of
    /// the attempt's: at ``UploadRequest/attemptDeadline`` its task is cancelled, as it is when the
    /// upload is stopped, and it should end then.
    public typealias Authorize = @Sendable (Authorization) async throws -> [UploadHeader]

    /// How much is done at once, and how much room the queue may take.
    public struct Configuration: Hashable, Sendable {
        /// The most uploads that send at the same time.
        public var maximumConcurrentUploads: Int
        /// The most bytes that all bodies in the queue may have together; `nil` for no limit.
        public var quota: Int64?
        /// Bytes of the file system that the queue leaves free.
        public var reserve: Int64

        /// The defaults: 4 at a time, no quota, 64 MiB left free.
        public init(
            maximumConcurrentUploads: Int = 4,
            quota: Int64? = nil,
            reserve: Int64 = 64 * 1024 * 1024
        ) {
            self.maximumConcurrentUploads = max(1, maximumConcurrentUploads)
            self.quota = quota
            self.reserve = reserve
        }
    }

    /// One upload in a queue, for lists.
    public struct Item: Hashable, Sendable {
        /// Where an upload stands.
        public enum State: Hashable, Sendable {
            /// It waits for its turn, or until the date.
            case pending(notBefore: Date?)
            /// An attempt runs, or ran when the process died.
            case sending
            /// It is paused.
            case paused
            /// It is over.
            case ended(UploadOutcome)
            /// It can't be read, or is of a version that isn't known here. It is neither sent nor
            /// removed.
            case unreadable(reason: String)
        }

        /// Its name.
        public let id: UploadID
        /// Where it goes; `nil` once it is over, or if it is unreadable.
        public let url: URL?
        /// The body's size in bytes; `nil` once it is over, or if it is unreadable.
        public let contentLength: Int64?
        /// Where it stands.
        public let state: State
        /// How many attempts were made.
        public let attempts: Int
        /// What the last failed attempt came to.
        public let lastProblem: String?
        /// Whether an uploader needs an `authorize` closure to send it: the one that queued it had
        /// one.
        public let needsCredentials: Bool
    }

    let store: UploadStore
    let hub = EventHub()
    private let transport: any UploadTransport
    private let authorize: Authorize?
    private let configuration: Configuration
    private var entries: [UploadID: Entry] = [:]
    /// What couldn't be read so far.
    private var unreadable: Set<UploadID> = []
    private var ready = ReadyList()
    private var runningCount = 0
    private var isClosed = false
    /// Whether the queue may be another uploader's by now.
    private var isGivenBack = false

    private struct Entry {
        var record: UploadRecord
        var state = State.idle
        /// What somebody asked for while an attempt runs.
        var wish: Wish?
        var continuation = UploadAttempt.Continuation.fresh

        enum State {
            /// Not started in this process, or paused.
            case idle
            case ready
            case waiting(Task<Void, Never>)
            case running(Task<Void, Never>)
        }

        enum Wish { case cancel, pause }
    }

    /// Opens a queue, creating it with permissions for its owner only.
    ///
    /// - Parameters:
    ///   - directory: The queue's directory.
    ///   - transport: How requests are sent.
    ///   - configuration: Limits.
    ///   - authorize: Gives credentials at every attempt. Without it, uploads that were queued with
    ///     it stay where they are; where none are needed any more, give one that returns none.
    /// - Throws: ``UploadError/queueIsInUse(_:)`` if another uploader has it, and
    ///   ``UploadError/queueIsUnsafe(path:reason:)`` if others could have changed it, or can read
    ///   what is in it.
    public init(
        directory: String,
        transport: any UploadTransport,
        configuration: Configuration = Configuration(),
        authorize: Authorize? = nil
    ) throws(UploadError) {
        try self.init(
            directory: directory,
            transport: transport,
            configuration: configuration,
            protection: .system,
            authorize: authorize
        )
    }

    package init(
        directory: String,
        transport: any UploadTransport,
        configuration: Configuration = Configuration(),
        protection: FileProtection,
        authorize: Authorize? = nil
    ) throws(UploadError) {
        store = try UploadStore(
            path: systemAbsolute(directory),
            limits: .init(quota: configuration.quota, reserve: configuration.reserve),
            protection: protection
        )
        self.transport = transport
        self.authorize = authorize
        self.configuration = configuration
        for entry in try store.contents() {
            switch entry {
            case .pending(let record):
                entries[record.id] = Entry(record: record)
                hub.open(record.id)
            case .unreadable(let id, _): unreadable.insert(id)
            case .ended: break
            }
        }
    }

    /// Queues a finished body and starts to send it.
    ///
    /// - Parameters:
    ///   - body: The body. Its file becomes the uploader's, which removes it at the end.
    ///   - request: Where it goes.
    ///   - keepsOriginal: Whether the file stays yours, and a copy is queued.
    /// - Returns: The upload's name, once the upload can't be lost any more.
    /// - Throws: ``UploadError``; the body is where it was then, and nothing is queued.
    public func enqueue(
        _ body: SpooledBody,
        to request: UploadRequest,
        keepsOriginal: Bool = false
    ) throws(UploadError) -> UploadID {
        try enqueue(
            fileAt: body.path,
            contentType: body.contentType,
            contentLength: body.contentLength,
            to: request,
            keepsOriginal: keepsOriginal
        )
    }

    /// Queues a finished body, like ``enqueue(_:to:keepsOriginal:)``, to go where a `URLRequest`
    /// says; see ``UploadRequest/init(_:)``.
    public func enqueue(
        _ body: SpooledBody,
        to request: URLRequest,
        keepsOriginal: Bool = false
    ) throws(UploadError) -> UploadID {
        try enqueue(body, to: UploadRequest(request), keepsOriginal: keepsOriginal)
    }

    /// Queues any finished file as a body; see ``enqueue(_:to:keepsOriginal:)``.
    @discardableResult
    public func enqueue(
        fileAt path: String,
        contentType: String,
        contentLength: Int64,
        to request: UploadRequest,
        keepsOriginal: Bool = false,
        as id: UploadID? = nil
    ) throws(UploadError) -> UploadID {
        let id = id ?? .random()
        do throws(UploadError) {
            try stage(id, path, contentType, contentLength, request, keepsOriginal)
        } catch {
            store.removeStaging(id)
            hub.close(id)
            throw error
        }
        return id
    }

    private func stage(
        _ id: UploadID,
        _ path: String,
        _ contentType: String,
        _ contentLength: Int64,
        _ request: UploadRequest,
        _ keepsOriginal: Bool
    ) throws(UploadError) {
        try checkOpen()
        try request.validate()
        guard UploadHeader("Content-Type", contentType).isWellFormed else {
            throw .malformedHeader("Content-Type")
        }
        let original = try UploadStore.identify(systemAbsolute(path), size: contentLength)
        try store.checkQuota(for: contentLength)
        _ = try store.makeStaging(id)
        try store.stageBody(original, for: id, keepsOriginal: keepsOriginal)
        var record = newRecord(id, request, contentType, contentLength)
        record.original = keepsOriginal ? nil : original
        start(try store.commit(record))
    }

    func checkOpen() throws(UploadError) {
        guard !isClosed else { throw .cancelled }
    }

    /// What is asked for while the uploader closes still counts.
    private func checkOwned() throws(UploadError) {
        guard !isGivenBack else { throw .cancelled }
    }

    func newRecord(
        _ id: UploadID,
        _ request: UploadRequest,
        _ contentType: String,
        _ contentLength: Int64
    ) -> UploadRecord {
        var record = UploadRecord(
            id: id,
            request: request,
            contentType: contentType,
            contentLength: contentLength,
            createdAt: Date()
        )
        record.needsCredentials = authorize != nil
        if request.isResumable, !transport.resumesByItself {
            record.resumption = UploadRecord.Resumption(version: .draft11)
        }
        return record
    }

    /// Makes a committed record one of the uploads that run.
    func start(_ record: UploadRecord) {
        hub.open(record.id)
        entries[record.id] = Entry(record: record)
        makeReady(record.id)
    }

    /// What happens to an upload, from now on; the last event first.
    ///
    /// Ends at once for an upload that isn't known.
    public nonisolated func events(of id: UploadID) -> UploadEvents {
        if let mailbox = hub.subscribe(id) { return UploadEvents(mailbox) }
        let mailbox = EventMailbox()
        if let outcome = store.outcome(id) { mailbox.put(.finished(outcome)) }
        mailbox.close()
        return UploadEvents(mailbox)
    }

    /// How an upload ended, also in an earlier process; `nil` if it isn't over, not known or
    /// unreadable.
    public nonisolated func outcome(of id: UploadID) -> UploadOutcome? { store.outcome(id) }

    /// Waits for an upload's end; `nil` if it isn't known, or waits for credentials.
    public nonisolated func finalOutcome(of id: UploadID) async -> UploadOutcome? {
        for await event in events(of: id) {
            switch event {
            case .finished(let outcome): return outcome
            case .waitingForCredentials: return nil
            case .preparing, .sending, .waiting, .paused: continue
            }
        }
        return outcome(of: id)
    }

    /// Forgets an outcome that has been dealt with.
    public func removeOutcome(of id: UploadID) throws(UploadError) {
        try checkOwned()
        try store.removeOutcome(id)
    }

    /// Everything in the queue, oldest first.
    public nonisolated func items() throws(UploadError) -> [Item] {
        try Self.items(in: store.path)
    }

    /// Everything in a queue that another process may be working on.
    ///
    /// - Throws: ``UploadError/queueIsUnsafe(path:reason:)`` as for an uploader.
    public static func items(in directory: String) throws(UploadError) -> [Item] {
        try UploadStore.contents(ofQueue: systemAbsolute(directory)).map { Item($0) }
    }

    /// Continues everything in the queue that isn't paused, and for which there are credentials if
    /// it needs them.
    ///
    /// To be called once at launch. What could not be read then, for want of descriptors say, is
    /// looked at again by every call.
    ///
    /// - Returns: The uploads that aren't over, paused ones included, oldest first.
    @discardableResult
    public func resume() -> [UploadID] {
        readAgain()
        let records = entries.values.map(\.record).sorted { $0.createdAt < $1.createdAt }
        // First what the system may be sending already.
        for record in records.filter({ $0.phase == .sending })
            + records.filter({ $0.phase != .sending })
        {
            guard case .idle? = entries[record.id]?.state, record.phase != .paused else { continue }
            guard !lacksCredentials(record) else {
                let reason = "it was queued with credentials, and none are given now"
                hub.publish(.waitingForCredentials(reason: reason), of: record.id)
                continue
            }
            continueAfterRelaunch(record)
        }
        return records.map(\.id)
    }

    private func readAgain() {
        for id in unreadable {
            switch store.tidy(id) {
            case .unreadable: continue
            case .pending(let record):
                entries[id] = Entry(record: record)
                hub.open(id)
            case .ended, nil: break
            }
            unreadable.remove(id)
        }
    }

    /// Whether an upload was queued with credentials, and none can be given here: the server's
    /// answer would end it.
    private func lacksCredentials(_ record: UploadRecord) -> Bool {
        authorize == nil && record.needsCredentials == true
    }

    /// Why an upload isn't one of those that can be worked on.
    private func problem(of id: UploadID) -> UploadError {
        if case .unreadable(_, let reason) = store.entry(id) {
            return .uploadIsUnreadable(id, reason: reason)
        }
        return .unknownUpload(id)
    }

    /// Continues a paused upload, or one that waits for credentials.
    public func resume(_ id: UploadID) throws(UploadError) {
        try checkOwned()
        guard let entry = entries[id] else { throw problem(of: id) }
        // A pause that hasn't been carried out is taken back, a cancel never.
        if entry.wish == .pause { entries[id]?.wish = nil }
        guard case .idle = entry.state else { return }
        guard !lacksCredentials(entry.record) else { throw .needsCredentials(id) }
        var record = entry.record
        if record.phase == .paused {
            record.phase = .pending
            record.notBefore = nil
            try store.save(record)
            entries[id]?.record = record
        }
        continueAfterRelaunch(record)
    }

    /// Stops an upload until it is resumed, also over relaunches.
    ///
    /// A resumable upload goes on later where the server has it; another starts again, and fails
    /// if it may not be repeated.
    public func pause(_ id: UploadID) async throws(UploadError) {
        try checkOwned()
        guard let entry = entries[id] else { throw problem(of: id) }
        guard case .running(let task) = entry.state else {
            if isInDoubt(entry) { entries[id]?.record.mayHaveBeenDelivered = true }
            try settlePause(id)
            await endLeftovers(of: entry.record)
            return
        }
        if entry.wish == nil { entries[id]?.wish = .pause }
        task.cancel()
        await task.value
    }

    /// Ends an upload for good, unless it is over already.
    public func cancel(_ id: UploadID) async throws(UploadError) {
        try checkOwned()
        guard let entry = entries[id] else {
            guard store.outcome(id) == nil else { return }
            throw problem(of: id)
        }
        guard case .running(let task) = entry.state else {
            if case .waiting(let timer) = entry.state { timer.cancel() }
            finish(id, .cancelled)
            await endLeftovers(of: entry.record)
            await giveUpResource(entry.record)
            return
        }
        entries[id]?.wish = .cancel
        task.cancel()
        await task.value
    }

    /// Stops everything without changing where any upload stands, and gives the queue back.
    ///
    /// What was running is continued by the next uploader's ``resume()``. This one takes no more
    /// uploads, and changes none: ``UploadError/cancelled`` is thrown.
    public func close() async {
        isClosed = true
        let attempts = entries.values.compactMap { entry -> Task<Void, Never>? in
            guard case .running(let task) = entry.state else { return nil }
            return task
        }
        // All of them before any is waited for: a slow one doesn't keep another running.
        for attempt in attempts { attempt.cancel() }
        for attempt in attempts { await attempt.value }
        for (id, entry) in entries {
            if case .waiting(let timer) = entry.state { timer.cancel() }
            hub.close(id)
        }
        isGivenBack = true
        store.unlock()
    }

    /// Tells the uploader that the system woke the app for a background session.
    ///
    /// To be called from the app delegate's method of the same purpose. The uploads go on, and
    /// `completion` is called once, on the main actor, when what the session told is stored. A
    /// session that isn't one of this uploader's transport has its `completion` called at once.
    public func handleEvents(
        forBackgroundSession identifier: String,
        completion: @escaping @MainActor @Sendable () -> Void
    ) async {
        guard let id = transport.upload(ofBackgroundSession: identifier), !isClosed else {
            await completion()
            return
        }
        readAgain()
        if isSending(id) {
            // Before anything is resumed: the session's events may come at once.
            await transport.finishEvents(of: id, completion: completion)
            resume()
        } else {
            // Nobody waits for it any more, unless it can only not be read, or be sent: the system
            // keeps for it what it has to tell.
            if entries[id] == nil, !unreadable.contains(id) {
                await transport.settled(id, isOver: true)
            }
            resume()
            await completion()
        }
    }

    /// Whether an attempt runs, or ran when an earlier process died: the record in memory tells of
    /// one of this process only once it is over.
    private func isSending(_ id: UploadID) -> Bool {
        guard let entry = entries[id], !lacksCredentials(entry.record) else { return false }
        if case .running = entry.state { return true }
        return entry.record.phase == .sending
    }

    private func continueAfterRelaunch(_ record: UploadRecord) {
        hub.forgetLast(record.id)
        if record.phase == .sending {
            entries[record.id]?.continuation =
                Self.mayBeSentAgain(record) ? .adoptOrStart : .adoptOnly
        }
        let now = Date()
        if let date = record.endOfWait(now: now) {
            if date != record.notBefore {
                // Or every relaunch would start the wait anew.
                entries[record.id]?.record.notBefore = date
                entries[record.id]?.record.waitsSince = now
                save(record.id)
            }
            let reason = record.lastProblem ?? ""
            hub.publish(
                .waiting(until: date, attempt: record.attempts, reason: reason),
                of: record.id
            )
            wait(record.id, until: date)
        } else {
            makeReady(record.id)
        }
    }

    private func makeReady(_ id: UploadID) {
        entries[id]?.state = .ready
        ready.append(id)
        startWaitingUploads()
    }

    private func startWaitingUploads() {
        while !isClosed, runningCount < configuration.maximumConcurrentUploads,
            let id = ready.popFirst()
        {
            guard case .ready? = entries[id]?.state else { continue }  // cancelled or paused since
            runningCount += 1
            entries[id]?.state = .running(Task { await self.run(id) })
        }
    }

    private func wait(_ id: UploadID, until date: Date) {
        let timer = Task {
            try? await Task.sleep(for: .seconds(max(0, date.timeIntervalSinceNow)))
            guard !Task.isCancelled else { return }
            self.endWait(id)
        }
        entries[id]?.state = .waiting(timer)
    }

    private func endWait(_ id: UploadID) {
        guard case .waiting? = entries[id]?.state else { return }
        makeReady(id)
    }

    private func run(_ id: UploadID) async {
        guard let entry = entries[id] else { return }
        entries[id]?.continuation = .fresh
        let attempt = UploadTry(
            record: entry.record,
            store: store,
            transport: transport,
            hub: hub,
            authorize: authorize,
            continuation: entry.continuation
        )
        let (record, end) = await attempt.run()
        runningCount -= 1
        entries[id]?.record = record
        entries[id]?.state = .idle
        let wish = entries[id]?.wish
        entries[id]?.wish = nil
        switch (end, wish) {
        case (.finished(let outcome), _): finish(id, outcome)
        case (_, .cancel):
            finish(id, .cancelled)
            await giveUpResource(record)
        case (_, .pause): try? settlePause(id)
        case (.stopped, nil):
            // Somebody changed their mind, or everything is being closed.
            makeReady(id)
        case (.retry(let date, let reason), nil):
            entries[id]?.record.phase = .pending
            entries[id]?.record.notBefore = date
            entries[id]?.record.waitsSince = Date()
            entries[id]?.record.lastProblem = reason
            save(id)
            hub.publish(.waiting(until: date, attempt: record.attempts, reason: reason), of: id)
            wait(id, until: date)
        case (.needsCredentials(let reason), nil):
            entries[id]?.record.phase = .pending
            entries[id]?.record.failures = 0  // who resumes it begins anew
            entries[id]?.record.lastProblem = reason
            save(id)
            hub.publish(.waitingForCredentials(reason: reason), of: id)
        }
        await transport.settled(id, isOver: entries[id] == nil)
        startWaitingUploads()
    }

    /// Whether an earlier process may have sent a request that must not be repeated: a pause would
    /// make that forgotten.
    private func isInDoubt(_ entry: Entry) -> Bool {
        let isNew =
            switch entry.state {
            case .idle: true
            case .ready, .waiting, .running: entry.continuation == .adoptOnly
            }
        return isNew && entry.record.phase == .sending && !Self.mayBeSentAgain(entry.record)
    }

    /// Whether an attempt of which nobody knows what it came to can be followed by another.
    private static func mayBeSentAgain(_ record: UploadRecord) -> Bool {
        record.request.mayBeRepeated || record.resumption?.resource != nil
    }

    /// Ends what the system may still do for an attempt of an earlier process.
    private func endLeftovers(of record: UploadRecord) async {
        guard record.phase == .sending else { return }
        await transport.settled(record.id, isOver: true)
    }

    private func settlePause(_ id: UploadID) throws(UploadError) {
        if case .waiting(let timer) = entries[id]?.state { timer.cancel() }
        entries[id]?.state = .idle
        entries[id]?.record.phase = .paused
        if let record = entries[id]?.record { try store.save(record, durably: true) }
        hub.publish(.paused, of: id)
    }

    /// A record that can't be written is only older than it could be: the upload goes on.
    private func save(_ id: UploadID) {
        if let record = entries[id]?.record { try? store.save(record) }
    }

    private func finish(_ id: UploadID, _ outcome: UploadOutcome) {
        // On a disk that takes nothing at all the outcome can't be kept, but whoever listens still
        // hears it. The next launch finds the record of an attempt that was under way, and repeats
        // it only if that does no harm.
        try? store.finish(id, outcome)
        entries[id] = nil
        hub.publish(.finished(outcome), of: id)
    }

    /// Tells the server that nobody will continue; that it doesn't hear it does no harm.
    private func giveUpResource(_ record: UploadRecord) async {
        guard let resource = record.resumption?.resource, let version = record.resumption?.version
        else { return }
        let tried = UploadTry(
            record: record,
            store: store,
            transport: transport,
            hub: hub,
            authorize: authorize,
            continuation: .fresh
        )
        await tried.delete(resource, version)
    }
}

/// A first-in, first-out list.
private struct ReadyList {
    private var items: [UploadID] = []
    private var head = 0

    mutating func append(_ id: UploadID) { items.append(id) }

    mutating func popFirst() -> UploadID? {
        guard head < items.count else { return nil }
        defer {
            head += 1
            if head > 64, head * 2 > items.count {
                items.removeFirst(head)
                head = 0
            }
        }
        return items[head]
    }
}

extension Uploader.Item {
    fileprivate init(_ entry: UploadStore.Entry) {
        switch entry {
        case .pending(let record):
            let state: State =
                switch record.phase {
                case .pending: .pending(notBefore: record.notBefore)
                case .sending: .sending
                case .paused: .paused
                }
            self.init(
                id: record.id,
                url: record.request.url,
                contentLength: record.contentLength,
                state: state,
                attempts: record.attempts,
                lastProblem: record.lastProblem,
                needsCredentials: record.needsCredentials == true
            )
        case .ended(let id, let outcome, _):
            self.init(
                id: id,
                url: nil,
                contentLength: nil,
                state: .ended(outcome),
                attempts: 0,
                lastProblem: nil,
                needsCredentials: false
            )
        case .unreadable(let id, let reason):
            self.init(
                id: id,
                url: nil,
                contentLength: nil,
                state: .unreadable(reason: reason),
                attempts: 0,
                lastProblem: nil,
                needsCredentials: false
            )
        }
    }
}
