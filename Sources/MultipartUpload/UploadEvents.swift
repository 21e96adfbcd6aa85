import Synchronization

/// The events of one upload, until it is over.
///
/// A slow reader loses nothing but outdated progress: of several progress events in a row it gets
/// the last one.
public struct UploadEvents: AsyncSequence, Sendable {
    /// What the sequence is made of.
    public typealias Element = UploadEvent
    /// It never fails.
    public typealias Failure = Never

    private let mailbox: EventMailbox

    init(_ mailbox: EventMailbox) { self.mailbox = mailbox }

    /// Reads on where any earlier iterator of the same sequence stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

    /// Reads the events one by one.
    public struct Iterator: AsyncIteratorProtocol {
        /// What it reads.
        public typealias Element = UploadEvent
        /// It never fails.
        public typealias Failure = Never

        fileprivate let mailbox: EventMailbox

        /// The next event; `nil` after the last one, or when the task is cancelled.
        public mutating func next() async -> UploadEvent? { await mailbox.next() }

        /// The next event; `nil` after the last one, or when the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> UploadEvent? { await mailbox.next() }
    }
}

/// The events that one reader hasn't seen, as few as can be.
package final class EventMailbox: Sendable {
    private struct State {
        var events: [UploadEvent] = []
        var isClosed = false
        var waiting: CheckedContinuation<UploadEvent?, Never>?
    }

    /// Events that aren't progress, so this many means a reader that has gone away.
    private static let limit = 1024
    private let state = Mutex(State())

    package init() {}

    package func put(_ event: UploadEvent) {
        let reader = state.withLock { state -> CheckedContinuation<UploadEvent?, Never>? in
            guard !state.isClosed else { return nil }
            if case .finished = event { state.isClosed = true }
            if let reader = state.waiting {
                state.waiting = nil
                return reader
            }
            if let last = state.events.last, last.isReplaced(by: event) {
                state.events[state.events.count - 1] = event
            } else {
                if state.events.count == Self.limit { state.events.removeFirst() }
                state.events.append(event)
            }
            return nil
        }
        reader?.resume(returning: event)
    }

    package func close() {
        let reader = state.withLock { state -> CheckedContinuation<UploadEvent?, Never>? in
            state.isClosed = true
            defer { state.waiting = nil }
            return state.waiting
        }
        reader?.resume(returning: nil)
    }

    package func next() async -> UploadEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> UploadEvent?? in
                    if !state.events.isEmpty { return .some(state.events.removeFirst()) }
                    if state.isClosed || Task.isCancelled || state.waiting != nil {
                        return .some(nil)
                    }
                    state.waiting = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let reader = state.withLock { state -> CheckedContinuation<UploadEvent?, Never>? in
                defer { state.waiting = nil }
                return state.waiting
            }
            reader?.resume(returning: nil)
        }
    }
}

/// Who wants to hear of which upload.
///
/// Used from any thread.
final class EventHub: Sendable {
    private struct Channel {
        var readers: [EventMailbox] = []
        var last: UploadEvent?
    }

    private let channels = Mutex<[UploadID: Channel]>([:])

    /// Starts to remember the last event of an upload, for readers that come later.
    func open(_ id: UploadID) {
        channels.withLock { channels in
            if channels[id] == nil { channels[id] = Channel() }
        }
    }

    /// Forgets an upload's last event, which has become untrue.
    func forgetLast(_ id: UploadID) { channels.withLock { $0[id]?.last = nil } }

    func publish(_ event: UploadEvent, of id: UploadID) {
        let readers = channels.withLock { channels -> [EventMailbox] in
            let readers = channels[id]?.readers ?? []
            if case .finished = event {
                channels[id] = nil
            } else {
                channels[id]?.last = event
            }
            return readers
        }
        for reader in readers { reader.put(event) }
    }

    /// A new reader, who hears the last event first; `nil` for an upload that isn't open.
    func subscribe(_ id: UploadID) -> EventMailbox? {
        channels.withLock { channels in
            guard channels[id] != nil else { return nil }
            let mailbox = EventMailbox()
            if let last = channels[id]?.last { mailbox.put(last) }
            channels[id]?.readers.append(mailbox)
            return mailbox
        }
    }

    /// Ends an upload's sequences without an outcome.
    func close(_ id: UploadID) {
        let channel = channels.withLock { $0.removeValue(forKey: id) }
        for reader in channel?.readers ?? [] { reader.close() }
    }
}
