import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// The resumable-upload protocol, against a server that keeps what it gets.
@Suite(.serialized) struct ResumableUploadTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func uploader(
        _ kind: TransportKind,
        authorize: Uploader.Authorize? = nil
    ) throws
        -> Uploader
    {
        try Uploader(
            directory: queue,
            transport: kind.make(),
            authorize: authorize
        )
    }

    private func request(_ query: String, attempts: Int = 3) throws -> UploadRequest {
        UploadRequest(
            url: try server.url("/resumable?\(query)"),
            isResumable: true,
            stallTimeout: .seconds(20),
            retryPolicy: .quick(attempts)
        )
    }

    /// Uploads a body and returns the outcome and what the server saw.
    private func upload(
        _ kind: TransportKind,
        _ query: String,
        count: Int,
        attempts: Int = 3
    ) async throws
        -> (outcome: UploadOutcome?, body: TestBody, entries: [TestServer.Entry])
    {
        let uploader = try uploader(kind)
        let body = try TestBody(in: directory, count: count)
        let id = try await uploader.enqueue(body.body, to: try request(query, attempts: attempts))
        let outcome = await uploader.finalOutcome(of: id)
        await uploader.close()
        return (outcome, body, server.entries(id.text))
    }

    /// Waits until the server has so much of an upload and the queue knows where; returns the
    /// server's name for it.
    @discardableResult
    private func untilServerHas(_ count: Int64, of id: UploadID) async throws -> String {
        var name: String?
        try await until("\(count) bytes at the server") {
            let entry = server.entries(id.text).last { $0.end == count }
            name = entry?.upload
            let path = queue + "/\(id)/record.json"
            let record = FileManager.default.contents(atPath: path) ?? Data()
            return name.map { String(decoding: record, as: UTF8.self).contains($0) } ?? false
        }
        return try #require(name)
    }

    private struct Answer: Decodable {
        let received: Int64
        let sha256: String
    }

    private func expectDelivered(_ outcome: UploadOutcome?, _ body: TestBody) throws {
        let response = try #require(outcome?.response)
        #expect(outcome?.isDelivered == true, "\(response)")
        let answer = try JSONDecoder().decode(Answer.self, from: response.body)
        #expect(answer.sha256 == body.sha256)
    }

    /// No byte that the server had is sent again.
    private func expectNoOverlap(_ entries: [TestServer.Entry], total: Int64) {
        var reached: [String: Int64] = [:]
        for entry in entries {
            guard let upload = entry.upload, let start = entry.start, let end = entry.end else {
                continue
            }
            #expect(start == reached[upload, default: 0])
            if let claimed = entry.headers["upload-offset"] { #expect(claimed == String(start)) }
            reached[upload] = end
        }
        #expect(reached.values.contains(total))
    }

    @Test(arguments: TransportKind.allCases, [0, 1, 1000, 5_000_000])
    func `is an ordinary upload when nothing breaks`(kind: TransportKind, count: Int) async throws {
        let result = try await upload(kind, "", count: count)
        try expectDelivered(result.outcome, result.body)
        #expect(result.entries.map(\.method) == ["POST"])
        let headers = try #require(result.entries.first?.headers)
        #expect(headers["upload-complete"] == "?1")
        #expect(headers["upload-length"] == String(count))
        #expect(headers["upload-draft-interop-version"] == "8")
        #expect(headers["content-type"] == result.body.body.contentType)
    }

    @Test(arguments: TransportKind.allCases, ["8,6", "6"])
    func `goes on where the server has it`(kind: TransportKind, versions: String) async throws {
        let query = "cut=1000000&versions=\(versions)"
        // Each break comes after progress, so the attempts never run out.
        let result = try await upload(kind, query, count: 5_500_000, attempts: 2)
        try expectDelivered(result.outcome, result.body)
        expectNoOverlap(result.entries, total: 5_500_000)
        let patches = result.entries.filter { $0.method == "PATCH" }
        #expect(patches.count == 5)
        #expect(patches.allSatisfy { $0.headers["content-type"] == "application/partial-upload" })
        #expect(patches.allSatisfy { $0.headers["upload-complete"] == "?1" })
        let version = versions == "6" ? "6" : "8"
        #expect(patches.allSatisfy { $0.headers["upload-draft-interop-version"] == version })
    }

    // C10: Apple's server answers 400 to a version that it doesn't know.
    @Test(arguments: TransportKind.allCases)
    func `falls back to the older version, then to a plain upload`(kind: TransportKind) async throws
    {
        let older = try await upload(kind, "versions=6", count: 100_000, attempts: 1)
        try expectDelivered(older.outcome, older.body)
        #expect(
            older.entries.map { $0.headers["upload-draft-interop-version"] } == ["8", "6"]
        )
        let plain = try await upload(kind, "versions=", count: 100_000, attempts: 1)
        try expectDelivered(plain.outcome, plain.body)
        #expect(
            plain.entries.map { $0.headers["upload-draft-interop-version"] } == ["8", "6", nil]
        )
        #expect(plain.entries.last?.headers["upload-complete"] == nil)
    }

    // C10: the 104 is lost in a proxy, or the server knows nothing of all this.
    @Test(arguments: TransportKind.allCases, ["interim=0", "versions=&strict=0", "name-version=7"])
    func `is a plain upload where nothing is offered`(
        kind: TransportKind,
        query: String
    ) async throws {
        let result = try await upload(kind, query, count: 300_000, attempts: 1)
        try expectDelivered(result.outcome, result.body)
        #expect(result.entries.map(\.method) == ["POST"])
    }

    @Test(arguments: TransportKind.allCases)
    func `starts again when the offer was lost`(kind: TransportKind) async throws {
        let result = try await upload(kind, "interim=0&cut=1000000", count: 1_500_000, attempts: 3)
        #expect(result.outcome?.isDelivered == false)
        #expect(result.entries.map(\.method) == ["POST", "POST", "POST"])
    }

    @Test(arguments: TransportKind.allCases)
    func `asks again after the answer was lost`(kind: TransportKind) async throws {
        let result = try await upload(kind, "lose=1", count: 200_000)
        #expect(result.outcome?.isDelivered == true)
        #expect(result.entries.map(\.method) == ["POST", "HEAD"])
    }

    // The last bytes of a broken connection come in after the server has told what it has.
    @Test(arguments: TransportKind.allCases, ["", "&problem=completed-upload"])
    func `asks again when all of it was there`(kind: TransportKind, query: String) async throws {
        let result = try await upload(kind, "lose=1&late=1\(query)", count: 200_000)
        #expect(result.outcome?.isDelivered == true, "\(String(describing: result.outcome))")
        #expect(result.entries.map(\.method) == ["POST", "HEAD", "PATCH", "HEAD"])
    }

    @Test(arguments: TransportKind.allCases)
    func `appends no more than the server allows`(kind: TransportKind) async throws {
        let result = try await upload(kind, "cut=100000&limit=300000", count: 1_000_000)
        try expectDelivered(result.outcome, result.body)
        expectNoOverlap(result.entries, total: 1_000_000)
        let patches = result.entries.filter { $0.method == "PATCH" }
        #expect(patches.allSatisfy { Int($0.headers["content-length"] ?? "") ?? 0 <= 300_000 })
    }

    // C9 (tus-js-client#97): the server's resource is gone.
    @Test(arguments: TransportKind.allCases)
    func `starts over when the server has forgotten it`(kind: TransportKind) async throws {
        let once = try await upload(kind, "cut=1000000&forget=1", count: 1_500_000, attempts: 5)
        try expectDelivered(once.outcome, once.body)
        #expect(once.entries.map(\.method) == ["POST", "HEAD", "POST", "HEAD", "PATCH"])
        let result = try await upload(kind, "cut=1000000&forget=9", count: 1_500_000, attempts: 3)
        #expect(result.outcome?.isDelivered == false)
        #expect(result.entries.filter { $0.method == "POST" }.count >= 3)
        #expect(result.entries.filter { $0.method == "HEAD" }.allSatisfy { $0.status == 404 })
    }

    // An end that never came: the same bytes counted as progress again and again.
    @Test(
        .timeLimit(.minutes(2)),
        arguments: TransportKind.allCases,
        ["gone=404&gone-method=PATCH", "gone=410&gone-method=PATCH", "limit=400000&refuse=300000"]
    )
    func `leaves a server that goes round in circles`(
        kind: TransportKind,
        query: String
    ) async throws {
        let result = try await upload(kind, "cut=100000&\(query)", count: 1_500_000, attempts: 3)
        guard case .failed(let failure) = result.outcome else {
            Issue.record("\(String(describing: result.outcome))")
            return
        }
        #expect(failure.reason == .attemptsExhausted)
        let patches = result.entries.filter { $0.method == "PATCH" }
        // Three attempts, each with three conflicts that it got over.
        #expect((3...15).contains(patches.count), "\(patches.count)")
    }

    @Test(.timeLimit(.minutes(2)), arguments: TransportKind.allCases)
    func `leaves a server that refuses only what matters`(kind: TransportKind) async throws {
        let uploader = try uploader(kind, authorize: { _ in [UploadHeader("X-Token", "t")] })
        let body = try TestBody(in: directory, count: 1_500_000)
        let request = try request("cut=100000&gone=401&gone-method=PATCH")
        let id = try await uploader.enqueue(body.body, to: request)
        #expect(await uploader.finalOutcome(of: id)?.response?.status == 401)
        #expect(server.entries(id.text).filter { $0.method == "PATCH" }.count <= 4)
    }

    // Taken from the first address, the resource wasn't found.
    @Test(arguments: TransportKind.allCases, ["cut=100000", "keep=100000&interim=0"])
    func `a relative location starts from the address that answered`(
        kind: TransportKind,
        query: String
    ) async throws {
        let uploader = try uploader(kind)
        let body = try TestBody(in: directory, count: 500_000)
        let target = "/deep/up?relative=1&\(query)"
        let escaped = target.replacingOccurrences(of: "&", with: "%26")
        var request = try request("")
        request.url = try server.url("/redirect?to=\(escaped)")
        let id = try await uploader.enqueue(body.body, to: request)
        try expectDelivered(await uploader.finalOutcome(of: id), body)
        let entries = server.entries(id.text).filter { $0.upload != nil }
        #expect(entries.dropFirst().allSatisfy { $0.target.hasPrefix("/deep/parts/") })
        #expect(entries.filter { $0.target.hasPrefix("/deep/up") }.count == 1)
    }

    // The 104 is lost in a proxy; the end of the request names the resource as well.
    @Test(arguments: TransportKind.allCases)
    func `goes on after a 201 that is only a part`(kind: TransportKind) async throws {
        let result = try await upload(kind, "keep=600000&interim=0", count: 1_500_000, attempts: 1)
        try expectDelivered(result.outcome, result.body)
        #expect(result.entries.map(\.method) == ["POST", "HEAD", "PATCH"])
        #expect(result.entries.last?.start == 600_000)
    }

    @Test(arguments: TransportKind.allCases)
    func `doesn't believe in an end before the end`(kind: TransportKind) async throws {
        let result = try await upload(kind, "lose=1&claim=5", count: 200_000)
        guard case .failed(let failure) = result.outcome else {
            Issue.record("\(String(describing: result.outcome))")
            return
        }
        #expect(failure.reason == .protocolViolation)
        #expect(failure.message.contains("5 bytes of 200000"))
    }

    @Test(arguments: TransportKind.allCases)
    func `doesn't believe in more bytes than there are`(kind: TransportKind) async throws {
        let result = try await upload(kind, "cut=1000000&claim=9999999", count: 1_500_000)
        guard case .failed(let failure) = result.outcome else {
            Issue.record("\(String(describing: result.outcome))")
            return
        }
        #expect(failure.reason == .protocolViolation)
    }

    // 409 too: only with an offset it is the protocol's.
    @Test(arguments: TransportKind.allCases, [409, 422])
    func `takes the target's refusal for the end`(kind: TransportKind, status: Int) async throws {
        let query = "cut=1000000&answer=\(status)"
        let result = try await upload(kind, query, count: 1_500_000, attempts: 5)
        #expect(result.outcome?.response?.status == status)
        #expect(result.entries.map(\.method) == ["POST", "HEAD", "PATCH"])
    }

    // C3, and `--expect-auth`: every one of the requests has credentials of its own.
    @Test(arguments: TransportKind.allCases)
    func `gives credentials with every request`(kind: TransportKind) async throws {
        let refused = Collected<Bool>()
        let uploader = try uploader(
            kind,
            authorize: { question in
                if question.wasRefused { refused.append(true) }
                let token = refused.all.isEmpty ? "Bearer old" : "Bearer new"
                return [UploadHeader("Authorization", token)]
            }
        )
        let body = try TestBody(in: directory, count: 2_500_000)
        let request = try request("cut=1000000&token=new")
        let id = try await uploader.enqueue(body.body, to: request)
        try expectDelivered(await uploader.finalOutcome(of: id), body)
        let entries = server.entries(id.text).filter { $0.status != 401 }
        #expect(entries.allSatisfy { $0.headers["authorization"] == "Bearer new" })
    }

    // D2 (aws-sdk-ios#2263), C4: a pause or the end of a process doesn't start from 0 %.
    @Test(arguments: TransportKind.allCases)
    func `goes on after a pause and after a relaunch`(kind: TransportKind) async throws {
        let first = try uploader(kind, authorize: { _ in [.hold(at: 1_000_000)] })
        let body = try TestBody(in: directory, count: 3_500_000)
        let id = try await first.enqueue(body.body, to: try request(""))
        try await untilServerHas(1_000_000, of: id)
        try await first.pause(id)
        try await first.resume(id)
        try await untilServerHas(2_000_000, of: id)
        await first.close()
        let second = try uploader(kind, authorize: noCredentials)
        await second.resume()
        var sent: [Int64] = []
        for await event in second.events(of: id) {
            if case .sending(let count, _, _) = event { sent.append(count) }
        }
        try expectDelivered(second.outcome(of: id), body)
        let entries = server.entries(id.text)
        expectNoOverlap(entries, total: 3_500_000)
        #expect(entries.map(\.method) == ["POST", "HEAD", "PATCH", "HEAD", "PATCH"])
        #expect(sent == sent.sorted())
    }

    @Test(arguments: TransportKind.allCases)
    func `tells the server when it is cancelled`(kind: TransportKind) async throws {
        let uploader = try uploader(
            kind,
            authorize: { _ in
                try await Task.sleep(for: .milliseconds(1))  // as cancellable as a real one
                return [.hold(at: 1_000_000), UploadHeader("Authorization", "Bearer t")]
            }
        )
        let body = try TestBody(in: directory, count: 2_000_000)
        let id = try await uploader.enqueue(body.body, to: try request("token=t"))
        let name = try await untilServerHas(1_000_000, of: id)
        try await uploader.cancel(id)
        #expect(uploader.outcome(of: id) == .cancelled)
        let entries = try await server.entries(name, count: 1)
        #expect(entries.map(\.method) == ["DELETE"])
        #expect(entries.map(\.status) == [204])
    }
}
