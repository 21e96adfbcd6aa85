import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// That no wait becomes longer than it was meant because a clock is wrong.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ClockTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    /// An upload that waited a second or two when its process ended, with other dates in its record.
    private func leftWaiting(
        _ change: (inout [String: Any]) throws -> Void
    ) async throws
        -> UploadID
    {
        let first = try Uploader(directory: queue, transport: CurlTransport())
        var request = UploadRequest(
            url: try server.url("/flaky?key=\(uniqueText())&failures=1&retry-after=1"),
            retryPolicy: .quick(2)
        )
        request.retryPolicy.maximumRetryAfter = .seconds(1)
        let id = try await first.enqueue(TestBody(in: directory, count: 10).body, to: request)
        for await event in first.events(of: id) { if case .waiting = event { break } }
        await first.close()
        let path = URL(fileURLWithPath: "\(queue)/\(id)/record.json")
        let found = try JSONSerialization.jsonObject(with: Data(contentsOf: path))
        var record = try #require(found as? [String: Any])
        try change(&record)
        try JSONSerialization.data(withJSONObject: record).write(to: path)
        return id
    }

    // It waited for years, without a word.
    @Test func `a clock that was set back doesn't make a wait longer`() async throws {
        let years = 10 * 31_556_952.0
        let id = try await leftWaiting { record in
            for key in ["notBefore", "waitsSince"] {
                record[key] = try #require(record[key] as? Double) + years
            }
        }
        let second = try Uploader(directory: queue, transport: CurlTransport())
        let start = Date()
        await second.resume()
        let item = try #require(try second.items().first)
        guard case .pending(let date?) = item.state else {
            Issue.record("\(item.state)")
            return
        }
        #expect(date.timeIntervalSince(start) < 30, "the next relaunch knows")
        var told: [UploadEvent] = []
        for await event in second.events(of: id) { told.append(event) }
        guard case .waiting(let until, 1, "the server answered 503") = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(until == date, "nobody waits without knowing")
        #expect(second.outcome(of: id)?.isDelivered == true)
    }

    // The second one trapped at every launch.
    @Test(arguments: [1e9, 1e300, -1e300])
    func `a date that can't be is no longer than the policy's longest`(date: Double) async throws {
        let id = try await leftWaiting { record in
            record["notBefore"] = date
            record["waitsSince"] = nil
        }
        let second = try Uploader(directory: queue, transport: CurlTransport())
        await second.resume()
        #expect(await second.finalOutcome(of: id)?.isDelivered == true)
    }

    @Test(arguments: TransportKind.allCases, ["2037", "2001"])
    func `a server's dates are by its own clock`(kind: TransportKind, year: String) async throws {
        let uploader = try Uploader(directory: queue, transport: kind.make())
        let date = "Thu,%2001%20Jan%20\(year)%2000:00:0"
        let path =
            "/flaky?key=\(uniqueText())&failures=1&date=\(date)0%20GMT"
            + "&retry-after=\(date)1%20GMT"
        let request = UploadRequest(url: try server.url(path), retryPolicy: .quick(2))
        let start = ContinuousClock.now
        let id = try await uploader.enqueue(TestBody(in: directory, count: 10).body, to: request)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(ContinuousClock.now - start >= .seconds(1))
    }
}
