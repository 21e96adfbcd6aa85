public import Foundation

/// When to try again: exponential back-off with full jitter, and the server's own wish.
///
/// A pure function: what it needs of time and chance is given to it.
public struct RetryPolicy: Hashable, Sendable, Codable {
    /// The most attempts, the first one included.
    ///
    /// An attempt of a resumable upload that moved the upload forward starts the count anew.
    public var maximumAttempts: Int
    /// The upper end of the first delay.
    public var baseDelay: Duration
    /// The upper end of every later delay, each twice the one before.
    public var maximumDelay: Duration
    /// The longest `Retry-After` that is waited for; a server that asks for more has refused.
    public var maximumRetryAfter: Duration

    /// A policy; the defaults try 8 times within about two minutes.
    public init(
        maximumAttempts: Int = 8,
        baseDelay: Duration = .seconds(1),
        maximumDelay: Duration = .seconds(60),
        maximumRetryAfter: Duration = .seconds(3600)
    ) {
        self.maximumAttempts = maximumAttempts
        self.baseDelay = baseDelay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
    }

    /// No second attempt.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// What to do after a failed attempt.
    public enum Decision: Hashable, Sendable {
        /// Try again after so long.
        case retry(after: Duration)
        /// The attempts are used up.
        case exhausted
        /// The server wants more patience than is allowed.
        case refused
    }

    /// Decides about the next attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed, from 1.
    ///   - retryAfter: The value of the response's `Retry-After` header, if it had one: seconds or
    ///     a date; anything else is ignored.
    ///   - now: The time by the clock that `Retry-After`'s dates are compared with.
    ///   - generator: Where the jitter comes from.
    /// - Returns: Whether to try again, and when.
    public func decision(
        afterAttempt attempt: Int,
        retryAfter: String?,
        now: Date,
        using generator: inout some RandomNumberGenerator
    ) -> Decision {
        guard attempt < maximumAttempts else { return .exhausted }
        if let retryAfter, let wished = RetryAfter.delay(retryAfter, now: now) {
            guard wished <= maximumRetryAfter.inSeconds else { return .refused }
            // A little later than asked for, so that not everyone comes back in the same second.
            let jitter = Double.random(in: 0...min(1, baseDelay.inSeconds), using: &generator)
            return .retry(after: .seconds(wished + jitter))
        }
        let doublings = min(attempt - 1, 30)
        let ceiling = min(
            baseDelay.inSeconds * Double(UInt64(1) << UInt64(doublings)),
            maximumDelay.inSeconds
        )
        return .retry(after: .seconds(Double.random(in: 0...max(0, ceiling), using: &generator)))
    }
}

extension Duration {
    /// The duration, but neither below 0 nor beyond a billion seconds.
    ///
    /// More than anybody waits for can't be told from a billion; sums with it would trap.
    var bounded: Duration { Swift.min(Swift.max(self, .zero), .seconds(1_000_000_000)) }

    /// The bounded duration as a number, for arithmetic with dates.
    var inSeconds: Double {
        let parts = bounded.components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
}
