import Foundation
import MultipartEncoder
import MultipartUpload
import Synchronization
import Testing

/// That no upload is lost for want of credentials, whoever opens its queue.
@Suite(.serialized, .timeLimit(.minutes(2))) struct CredentialsTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func uploader(
        _ kind: TransportKind = .curl,
        authorize: Uploader.Authorize? = nil
    ) throws -> Uploader {
        try Uploader(directory: queue, transport: kind.make(), authorize: authorize)
    }

    private func request(_ path: String, attempts: Int = 2) throws -> UploadRequest {
        UploadRequest(
            url: try server.url(path),
            stallTimeout: .seconds(20),
            retryPolicy: .quick(attempts)
        )
    }

    private static let bearer: Uploader.Authorize = { _ in
        [UploadHeader("Authorization", "Bearer new")]
    }

    /// An upload that the server held when its process, which had credentials to give, ended.
    private func leftSending(
        _ path: String,
        _ kind: TransportKind = .curl
    ) async throws -> (id: UploadID, body: TestBody) {
        let first = try uploader(kind, authorize: { _ in [.hold(at: 100_000)] })
        let body = try TestBody(in: directory, count: 200_000)
        let id = try await first.enqueue(body.body, to: try request(path))
        _ = try await server.entries(id.text, count: 1)
        await first.close()
        return (id, body)
    }

    private func bytes(of id: UploadID) -> [Data?] {
        directory.files(below: "queue/\(id)").map {
            FileManager.default.contents(atPath: "\(queue)/\(id)/\($0)")
        }
    }

    /// The reason that an upload waits for credentials; waits until it does.
    private func reason(_ uploader: Uploader, _ id: UploadID) async throws -> String {
        for await event in uploader.events(of: id) {
            if case .waitingForCredentials(let reason) = event { return reason }
        }
        throw TestFailure("it ended: \(String(describing: uploader.outcome(of: id)))")
    }

    // The server's 401 ended it, and its body was gone.
    @Test(arguments: TransportKind.allCases)
    func `who has none leaves what was queued with some`(kind: TransportKind) async throws {
        let (id, body) = try await leftSending("/bearer?token=new", kind)
        let before = bytes(of: id)
        let second = try uploader(kind)
        let other = try await second.enqueue(
            try TestBody(in: directory, count: 10).body,
            to: try request("/flaky?key=\(uniqueText())&retry-after=60")
        )
        try await untilWaiting(second, other)
        try await second.pause(other)
        await second.close()
        let third = try uploader(kind)
        try await third.resume(other)
        #expect(await third.resume() == [id, other])
        #expect(await third.finalOutcome(of: other)?.isDelivered == true, "all others go on")
        #expect(try await reason(third, id).contains("queued with credentials"))
        #expect(await third.finalOutcome(of: id) == nil)
        await #expect(throws: UploadError.needsCredentials(id)) { try await third.resume(id) }
        let item = try #require(try third.items().first { $0.id == id })
        #expect(item.needsCredentials && item.contentLength == 200_000)
        #expect(try third.items().first { $0.id == other }?.needsCredentials == false)
        await third.close()
        #expect(bytes(of: id) == before)
        #expect(server.entries(id.text).count == 1)

        let last = try uploader(kind, authorize: Self.bearer)
        await last.resume()
        #expect(await last.finalOutcome(of: id)?.isDelivered == true)
        #expect(try await server.entries(id.text, count: 2).last?.sha256 == body.sha256)
    }

    @Test func `it can be paused and cancelled without any`() async throws {
        let (id, _) = try await leftSending("/bearer?token=new")
        let second = try uploader()
        await second.resume()
        try await second.pause(id)
        #expect(try second.items().map(\.state) == [.paused])
        await #expect(throws: UploadError.needsCredentials(id)) { try await second.resume(id) }
        #expect(try second.items().map(\.state) == [.paused])
        try await second.cancel(id)
        #expect(second.outcome(of: id) == .cancelled)
    }

    /// Makes a record one of a version that didn't know of credentials.
    private func forgetNeed(of id: UploadID) throws {
        let path = URL(fileURLWithPath: "\(queue)/\(id)/record.json")
        let found = try JSONSerialization.jsonObject(with: Data(contentsOf: path))
        var record = try #require(found as? [String: Any])
        #expect(record.removeValue(forKey: "needsCredentials") as? Bool == true)
        try JSONSerialization.data(withJSONObject: record).write(to: path)
    }

    @Test(arguments: TransportKind.allCases)
    func `the server tells of an earlier version's upload`(kind: TransportKind) async throws {
        let (open, _) = try await leftSending("/sink", kind)
        let (id, body) = try await leftSending("/bearer?token=new", kind)
        try forgetNeed(of: id)
        try forgetNeed(of: open)
        let second = try uploader(kind)
        await second.resume()
        #expect(await second.finalOutcome(of: open)?.isDelivered == true)
        #expect(try await reason(second, id).contains("401"))
        #expect(try second.items().first { $0.id == id }?.needsCredentials == true)
        await second.close()
        #expect(try await server.entries(id.text, count: 2).map(\.status) == [nil, 401])

        let third = try uploader(kind)
        await third.resume()
        #expect(try await reason(third, id).contains("queued with credentials"))
        #expect(server.entries(id.text).count == 2, "the server isn't asked again")
        await third.close()

        let last = try uploader(kind, authorize: Self.bearer)
        await last.resume()
        #expect(await last.finalOutcome(of: id)?.isDelivered == true)
        #expect(try await server.entries(id.text, count: 3).last?.sha256 == body.sha256)
    }

    // Whoever is logged out has nothing to give; the upload waits for the next login.
    @Test(arguments: TransportKind.allCases, ["gives nothing", "throws"])
    func `an authorize without credentials ends no upload`(
        kind: TransportKind,
        how: String
    ) async throws {
        struct LoggedOut: Error {}
        enum Person { case loggedOut, typing, loggedIn }
        let person = Mutex(Person.loggedOut)
        let asked = Collected<Int>()
        let uploader = try uploader(
            kind,
            authorize: { question in
                asked.append(question.attempt)
                if person.withLock({ $0 }) == .loggedOut {
                    if how == "throws" { throw LoggedOut() }
                    return []
                }
                try await until { person.withLock { $0 } == .loggedIn }
                return try await Self.bearer(question)
            }
        )
        let body = try TestBody(in: directory, count: 1000)
        let id = try await uploader.enqueue(body.body, to: try request("/bearer?token=new"))
        let reason = try await reason(uploader, id)
        #expect(reason.contains(how == "throws" ? "LoggedOut" : "401"))
        let item = try #require(try uploader.items().first)
        #expect(item.state == .pending(notBefore: nil) && item.lastProblem == reason)
        #expect(await uploader.finalOutcome(of: id) == nil)
        #expect(server.entries(id.text).map(\.status) == (how == "throws" ? [] : [401, 401]))
        #expect(asked.all.count == 2)
        await uploader.resume()
        #expect(try await self.reason(uploader, id) == reason, "still nobody is there")
        #expect(asked.all.count == 4, "as often as the first time")

        person.withLock { $0 = .typing }
        try await uploader.resume(id)
        let events = uploader.events(of: id)
        person.withLock { $0 = .loggedIn }
        for await event in events {
            if case .waitingForCredentials = event { Issue.record("that is over") }
        }
        #expect(uploader.outcome(of: id)?.isDelivered == true)
        #expect(try await server.entries(id.text, count: 1).last?.sha256 == body.sha256)
    }

    // It ended the upload, and its body was gone, for a token that was somebody's error page, say.
    @Test(arguments: [
        UploadHeader("Content-Length", "1"), UploadHeader("X-Bad", "a\r\nb: c"),
        UploadHeader("Authorization", "Bearer \0"), UploadHeader("Transfer-Encoding", "chunked"),
        UploadHeader("", "x"), UploadHeader("{\"secret\"", "x"),
    ])
    func `a header that can't be sent is no credential`(header: UploadHeader) async throws {
        let given = Mutex([header])
        let asked = Collected<Int>()
        let uploader = try uploader(authorize: { question in
            asked.append(question.attempt)
            return given.withLock { $0 }
        })
        let body = try TestBody(in: directory, count: 1000)
        let id = try await uploader.enqueue(body.body, to: try request("/sink", attempts: 5))
        let reason = try await reason(uploader, id)
        let isName = header.name.contains("-") || header.name == "Authorization"
        #expect(reason.contains("can't be sent: \(header.name)") == isName, "\(reason)")
        #expect(asked.all == [1], "the next one would be no better")
        #expect(server.entries(id.text).isEmpty)
        for file in bytes(of: id) {
            #expect(try #require(file).range(of: Data("secret".utf8)) == nil)
        }
        given.withLock { $0 = [] }
        try await uploader.resume(id)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(try await server.entries(id.text, count: 1).last?.sha256 == body.sha256)
    }

    // Whoever gives credentials for one upload of a queue may not know of the other servers in it.
    @Test func `what was queued without credentials is sent without`() async throws {
        struct Answering: UploadTransport {
            let status: Int
            let sent = Collected<[UploadHeader]>()

            func perform(
                _ attempt: UploadAttempt,
                report: @escaping @Sendable (AttemptReport) -> Void
            ) async -> AttemptResult {
                sent.append(attempt.headers)
                let headers = [UploadHeader("Retry-After", "60")]
                return AttemptResult(
                    response: UploadResponse(status: status, headers: headers),
                    error: nil,
                    touchedServer: true
                )
            }
        }
        let first = try Uploader(directory: queue, transport: Answering(status: 503))
        let body = try TestBody(in: directory, count: 10)
        let id = try await first.enqueue(body.body, to: try request("/"))
        try await untilWaiting(first, id)
        try await first.pause(id)
        await first.close()
        let transport = Answering(status: 401)
        let second = try Uploader(directory: queue, transport: transport, authorize: Self.bearer)
        try await second.resume(id)
        #expect(await second.finalOutcome(of: id)?.response?.status == 401)
        #expect(transport.sent.all.count == 1, "there is nothing else to show")
        let names = transport.sent.all.first?.map(\.name)
        #expect(names?.contains("Authorization") == false, "\(names ?? [])")
    }

    private func untilWaiting(_ uploader: Uploader, _ id: UploadID) async throws {
        for await event in uploader.events(of: id) { if case .waiting = event { return } }
        throw TestFailure("it didn't wait")
    }

    @Test func `a 401 from where credentials never go is an answer`() async throws {
        let uploader = try uploader(authorize: Self.bearer)
        let body = try TestBody(in: directory, count: 1000)
        let other = "http://localhost:\(server.port)/status?code=401"
        var request = try request("/redirect?to=\(other)")
        request.followsToOtherOrigins = true
        let id = try await uploader.enqueue(body.body, to: request)
        #expect(await uploader.finalOutcome(of: id)?.response?.status == 401)
    }

    @Test func `the tool says what waits, and how it goes on`() async throws {
        let token = directory.path + "/token"
        let command = "cat \(token)"
        let url = try server.url("/bearer?token=new").absoluteString
        let upload = ["upload", url, "--queue", queue, "--field", "a", "b", "--retries", "0"]
        let stopped = try await Tool.run(upload + ["--authorize-command", command])
        #expect(stopped.status == 1)
        #expect(stopped.errors.contains("the command ended with 1"))
        #expect(stopped.errors.contains("'multipart resume'"), "\(stopped.errors)")

        let list = try await Tool.run(["queue", "--queue", queue])
        #expect(list.output.contains(#""state":"pending""#), "\(list.output)")
        #expect(list.output.contains(#""needsCredentials":true"#))
        let name = try #require(list.output.split(separator: "\"").dropFirst(3).first)
        let resume = ["resume", "--queue", queue]
        let without = try await Tool.run(resume)
        #expect(without.status == 1 && without.output.isEmpty)
        #expect(without.errors.contains("\(name): it was queued with credentials"))
        #expect(without.errors.contains("wait for credentials: 1; give the --authorize-command"))

        try Data("Authorization: Bearer new".utf8).write(to: URL(fileURLWithPath: token))
        let with = try await Tool.run(resume + ["--authorize-command", command])
        #expect(with.status == 0 && with.output.contains("delivered"), "\(with.errors)")
        #expect(directory.files(below: "queue") == [".lock"])
    }
}
