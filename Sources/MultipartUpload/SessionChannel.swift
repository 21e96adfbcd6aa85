import Foundation
import Synchronization

/// Hears what a session tells of one upload, and makes the result of the attempt that runs in it.
///
/// It is there before its session: a background session may tell at once what happened while no
/// process was there.
package final class SessionChannel: Sendable {
    private struct State {
        var exchanges: [Int: SessionExchange] = [:]
        /// The task that the attempt waits for.
        var current: Int?
        var watch: AttemptWatch?
        var bodyLength: Int64 = 0
        var reasonToStop: TransportError?
        var session: Session = .none
        /// Whether the system has told everything that happened without the process.
        var toldEverything = false
        var completions: [@MainActor @Sendable () -> Void] = []
        var changes = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private enum Session {
        case none
        case open(any UploadSession)
        case closing
        case closed
    }

    package let upload: UploadID
    private let responseLimit: Int
    private let state = Mutex(State())
    /// Whom to tell of progress: one call at a time, and none after the attempt.
    private let listener = Mutex<(@Sendable (AttemptReport) -> Void)?>(nil)

    package init(_ upload: UploadID, responseLimit: Int) {
        self.upload = upload
        self.responseLimit = responseLimit
    }

    // From the session.

    package func take(_ event: SessionEvent, of task: Int, named name: String?) {
        guard name == upload.text else { return }  // not one of ours
        let reports = update { state -> [AttemptReport] in
            // An attempt that was stopped is over, whenever the system says so.
            if let current = state.current, task < current { return [] }
            let limit = responseLimit
            let interim = state.exchanges[task, default: SessionExchange(responseLimit: limit)]
                .take(event)
            guard let exchange = state.exchanges[task] else { return [] }
            if exchange.isOver { state.changes += 1 }
            guard task == state.current else { return [] }
            let sent = min(exchange.sent, state.bodyLength)  // a repeated request counts on
            let progress = state.watch?.take(sent: sent, received: exchange.received)
            return [progress.map { .sent($0) }, interim.map { .interim($0) }].compactMap { $0 }
        }
        guard !reports.isEmpty else { return }
        listener.withLock { listener in
            for report in reports { listener?(report) }
        }
    }

    /// Every event of a background session that came without the process has been told.
    package func finishedEvents() {
        update { state in
            state.toldEverything = true
            state.changes += 1
        }
        releaseCompletions()
    }

    /// The session is no more, and another one may have its identifier.
    package func invalidated() {
        update { state in
            state.session = .closed
            state.changes += 1
        }
    }

    // From the transport.

    func opened(_ session: any UploadSession) {
        state.withLock { state in
            if case .none = state.session { state.session = .open(session) }
        }
    }

    /// `nil` if the session is on its way out.
    var session: (any UploadSession)? {
        state.withLock { state in
            switch state.session {
            case .open(let session): session
            case .none, .closing, .closed: nil
            }
        }
    }

    func close(cancellingTasks: Bool) {
        let session = state.withLock { state -> (any UploadSession)? in
            guard case .open(let session) = state.session else { return nil }
            state.session = .closing
            return session
        }
        session?.invalidate(cancellingTasks: cancellingTasks)
    }

    func untilClosed() async {
        await wait { state in
            switch state.session {
            case .closed: true
            case .none, .open, .closing: nil
            }
        }
    }

    func begin(_ report: @escaping @Sendable (AttemptReport) -> Void) {
        listener.withLock { $0 = report }
        state.withLock { state in
            state.current = nil
            state.watch = nil
            // That the attempt before was stopped says nothing of this one.
            state.reasonToStop = nil
        }
    }

    /// Forgets tasks that nobody waits for.
    func forgetTasks() {
        state.withLock { state in
            state.exchanges = [:]
            state.toldEverything = false
        }
    }

    /// The task to wait for.
    func follow(_ task: Int, _ attempt: UploadAttempt, watchesStalls: Bool) {
        state.withLock { state in
            state.current = task
            state.exchanges = state.exchanges.filter { $0.key >= task }
            state.bodyLength = attempt.body?.length ?? 0
            state.watch = AttemptWatch(
                deadline: attempt.deadline,
                stallTimeout: watchesStalls ? attempt.stallTimeout : nil
            )
            if state.exchanges[task] == nil {
                state.exchanges[task] = SessionExchange(responseLimit: responseLimit)
            }
        }
    }

    /// A task that ended before anybody asked for it.
    var endedTask: Int? {
        state.withLock { state in state.exchanges.filter { $0.value.isOver }.keys.max() }
    }

    /// Waits until the system has told what it has to tell, if it said that there is something.
    func untilToldEverything(within limit: Duration) async {
        guard state.withLock({ !$0.completions.isEmpty }) else { return }
        let timer = Task { [self] in
            try? await Task.sleep(for: limit)
            if !Task.isCancelled { finishedEvents() }
        }
        await wait { state in
            let isOver = state.exchanges.values.contains { $0.isOver }
            return state.toldEverything || isOver || state.reasonToStop != nil ? true : nil
        }
        timer.cancel()
    }

    func stop(_ reason: TransportError) {
        update { state in
            state.reasonToStop = state.reasonToStop ?? reason
            state.changes += 1
        }
    }

    /// Waits for the end of the attempt's task, or for a reason to stop; no report comes after it.
    func result() async -> AttemptResult {
        let result = await wait { state -> AttemptResult? in
            guard let task = state.current, let exchange = state.exchanges[task] else { return nil }
            var reason = state.reasonToStop
            switch state.session {
            case .closing, .closed: reason = reason ?? Self.lostSession
            case .none, .open: break
            }
            guard exchange.isOver || reason != nil else { return nil }
            return exchange.result(stoppedBy: reason, wasStarted: true)
        }
        listener.withLock { $0 = nil }
        return result
    }

    /// Stops the attempt when it takes too long.
    func keepTime() async {
        while !Task.isCancelled {
            let next = update { state -> ContinuousClock.Instant? in
                guard state.reasonToStop == nil, let watch = state.watch else { return nil }
                if let reason = watch.reasonToStop() {
                    state.reasonToStop = state.reasonToStop ?? reason
                    state.changes += 1
                    return nil
                }
                return watch.nextCheck
            }
            guard let next else { return }
            try? await Task.sleep(until: next, clock: .continuous)
        }
    }

    /// Keeps something to call once everything that was told is stored.
    func expectEvents(_ completion: @escaping @MainActor @Sendable () -> Void) {
        state.withLock { $0.completions.append(completion) }
        releaseCompletions()
    }

    /// What was told is stored; if the upload is over, nothing more is waited for.
    func settled(isOver: Bool) {
        state.withLock { state in
            state.exchanges = state.exchanges.filter { !$0.value.isOver }
            if isOver { state.toldEverything = true }
        }
        releaseCompletions()
    }

    private func releaseCompletions() {
        let completions = state.withLock { state -> [@MainActor @Sendable () -> Void] in
            let isStored = !state.exchanges.values.contains { $0.isOver }
            guard state.toldEverything, isStored, !state.completions.isEmpty else { return [] }
            state.toldEverything = false  // the next time is another one
            defer { state.completions = [] }
            return state.completions
        }
        for completion in completions { Task { @MainActor in completion() } }
    }

    private static let lostSession = TransportError(.interrupted, "the session was ended")

    /// Changes the state, and wakes whoever waits if it counted a change.
    ///
    /// They are woken outside the lock: waking a task waits for the one that cancels it, which may
    /// wait for the lock in ``stop(_:)``.
    private func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, woken) = state.withLock {
            state -> (Result, [CheckedContinuation<Void, Never>]) in
            let before = state.changes
            let result = body(&state)
            guard state.changes != before else { return (result, []) }
            defer { state.waiting = [] }
            return (result, state.waiting)
        }
        for continuation in woken { continuation.resume() }
        return result
    }

    /// Waits until a condition gives a value.
    @discardableResult
    private func wait<Value: Sendable>(
        for condition: @Sendable (inout State) -> Value?
    ) async -> Value {
        while true {
            let (value, seen) = state.withLock { (condition(&$0), $0.changes) }
            if let value { return value }
            await withCheckedContinuation { continuation in
                let isOutdated = state.withLock { state in
                    guard state.changes == seen else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOutdated { continuation.resume() }
            }
        }
    }
}
