/// Follows the bytes of one attempt, and says when it has taken too long.
struct AttemptWatch {
    private let deadline: Duration?
    private let stallTimeout: Duration?
    private let start: ContinuousClock.Instant
    private var lastMoved: ContinuousClock.Instant
    private var sent: Int64 = 0
    private var received: Int64 = 0
    private var reported: Int64 = 0

    init(deadline: Duration?, stallTimeout: Duration?, now: ContinuousClock.Instant = .now) {
        self.deadline = deadline
        self.stallTimeout = stallTimeout
        start = now
        lastMoved = now
    }

    /// Takes the counts of bytes so far.
    ///
    /// - Returns: What to report, if it is more than ever before: a request that is repeated starts
    ///   again.
    mutating func take(
        sent: Int64,
        received: Int64,
        now: ContinuousClock.Instant = .now
    ) -> Int64? {
        if sent != self.sent || received != self.received {
            self.sent = sent
            self.received = received
            lastMoved = now
        }
        guard sent > reported else { return nil }
        reported = sent
        return sent
    }

    /// Why the attempt must end now; `nil` if it may go on.
    func reasonToStop(now: ContinuousClock.Instant = .now) -> TransportError? {
        if let deadline, now - start >= deadline {
            return TransportError(.deadlineExceeded, "the attempt took longer than it may")
        }
        if let stallTimeout, now - lastMoved >= stallTimeout {
            return TransportError(.stalled, "nothing moved for \(stallTimeout)")
        }
        return nil
    }

    /// When there could be a reason, as things are; `nil` for never.
    var nextCheck: ContinuousClock.Instant? {
        [deadline.map { start + $0 }, stallTimeout.map { lastMoved + $0 }].compactMap { $0 }.min()
    }
}
