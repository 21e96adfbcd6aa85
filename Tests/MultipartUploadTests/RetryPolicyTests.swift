import Foundation
import MultipartUpload
import Testing

@Suite struct RetryPolicyTests {
    /// Always the same end of the range, so that the range itself can be seen.
    private struct Extreme: RandomNumberGenerator {
        let value: UInt64
        mutating func next() -> UInt64 { value }
    }

    private func decided(
        _ policy: RetryPolicy,
        attempt: Int,
        retryAfter: String? = nil
    ) -> Duration? {
        var generator = Extreme(value: .max)
        let decision = policy.decision(
            afterAttempt: attempt,
            retryAfter: retryAfter,
            now: Date(timeIntervalSince1970: 0),
            using: &generator
        )
        guard case .retry(let delay) = decision else { return nil }
        return delay
    }

    @Test(arguments: [(1, 1.0), (2, 2), (3, 4), (6, 32), (7, 60), (8, 60), (1000, 60)])
    func `doubles the longest delay up to the limit`(attempt: Int, seconds: Double) throws {
        let policy = RetryPolicy(maximumAttempts: 2000)
        let delay = try #require(decided(policy, attempt: attempt))
        #expect(abs(delay / .seconds(seconds) - 1) < 0.001)
    }

    @Test func `spreads the delays over the whole range`() {
        var generator = SystemRandomNumberGenerator()
        let delays = (0..<1000).compactMap { _ -> Duration? in
            let decision = RetryPolicy().decision(
                afterAttempt: 4,
                retryAfter: nil,
                now: Date(),
                using: &generator
            )
            guard case .retry(let delay) = decision else { return nil }
            return delay
        }
        #expect(delays.count == 1000)
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= .seconds(8) })
        #expect(delays.contains { $0 < .seconds(1) } && delays.contains { $0 > .seconds(7) })
    }

    @Test func `does what the server asks for, and little more`() throws {
        let seconds = try #require(decided(RetryPolicy(), attempt: 1, retryAfter: "30"))
        #expect(seconds >= .seconds(30) && seconds <= .seconds(31))
        let date = "Thu, 01 Jan 1970 00:02:00 GMT"
        let dated = try #require(decided(RetryPolicy(), attempt: 1, retryAfter: date))
        #expect(dated >= .seconds(120) && dated <= .seconds(121))
    }

    @Test(arguments: ["nonsense", "-5", ""])
    func `backs off as usual where the wish is malformed`(retryAfter: String) throws {
        #expect(
            try #require(decided(RetryPolicy(), attempt: 1, retryAfter: retryAfter)) <= .seconds(1)
        )
    }

    @Test(arguments: ["3601", "99999999999999999999", "Fri, 01 Jan 2100 00:00:00 GMT"])
    func `takes a wish for too much patience as a refusal`(retryAfter: String) {
        var generator = SystemRandomNumberGenerator()
        let decision = RetryPolicy().decision(
            afterAttempt: 1,
            retryAfter: retryAfter,
            now: Date(timeIntervalSince1970: 0),
            using: &generator
        )
        #expect(decision == .refused)
    }

    @Test func `ends after the last attempt`() {
        #expect(decided(RetryPolicy(maximumAttempts: 3), attempt: 2) != nil)
        #expect(decided(RetryPolicy(maximumAttempts: 3), attempt: 3) == nil)
        #expect(decided(.never, attempt: 1) == nil)
    }
}
