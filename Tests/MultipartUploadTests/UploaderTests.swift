import Foundation
import MultipartEncoder
import MultipartUpload
import Synchronization
import Testing

/// Queueing, retrying, redirecting and ending, over a real connection.
@Suite(.serialized) struct UploaderTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func uploader(
        _ transport: any UploadTransport = CurlTransport(),
        configuration: Uploader.Configuration = .init(),
        authorize: Uploader.Authorize? = nil
    ) throws -> Uploader {
        try Uploader(
            directory: queue,
            transport: transport,
            configuration: configuration,
            authorize: authorize
        )
    }

    private func request(_ path: String, attempts: Int = 1) throws -> UploadRequest {
        UploadRequest(
            url: try server.url(path),
            stallTimeout: .seconds(20),
            retryPolicy: .quick(attempts)
        )
    }

    /// Has a process's uploads of a body held by the server when half of it is there.
    private func holding(_ body: TestBody) -> Uploader.Authorize {
        { [count = Int(body.body.contentLength) / 2] _ in [.hold(at: count)] }
    }

    /// What an ended upload may leave behind.
    private func expectOnlyOutcomes() {
        let files = directory.files(below: "queue")
        #expect(files.allSatisfy { $0 == ".lock" || $0.hasSuffix("/outcome.json") }, "\(files)")
    }

    // B8 (Alamofire#3864), progress; B2 (Alamofire#1093), C7: the spool goes away at the end.
    @Test(arguments: TransportKind.allCases)
    func `delivers a body and cleans up`(kind: TransportKind) async throws {
        let uploader = try uploader(kind.make())
        let body = try TestBody(in: directory, count: 3_000_000)
        let id = try await uploader.enqueue(body.body, to: try request("/keyed"))
        var sent: [Int64] = []
        var outcome: UploadOutcome?
        for await event in uploader.events(of: id) {
            switch event {
            case .sending(let count, let total, let attempt):
                #expect(total == 3_000_000 && attempt == 1)
                sent.append(count)
            case .finished(let end): outcome = end
            case .preparing, .waiting, .waitingForCredentials, .paused:
                Issue.record("\(event)")
            }
        }
        #expect(sent == sent.sorted())
        #expect(sent.last == 3_000_000)
        #expect(outcome?.response?.status == 201)
        #expect(outcome?.isDelivered == true)
        #expect(uploader.outcome(of: id) == outcome)
        let entry = try #require(try await server.entries(id.text, count: 1).first)
        #expect(entry.sha256 == body.sha256)
        #expect(!FileManager.default.fileExists(atPath: body.body.path), "it was handed over")
        expectOnlyOutcomes()
        try await uploader.removeOutcome(of: id)
        #expect(directory.files(below: "queue") == [".lock"])
        #expect(uploader.outcome(of: id) == nil)
    }

    @Test func `keeps a file that stays its owner's`() async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 100_000)
        let id = try await uploader.enqueue(
            body.body,
            to: try request("/sink"),
            keepsOriginal: true
        )
        try Data("changed".utf8).write(to: URL(fileURLWithPath: body.body.path))
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(try await server.entries(id.text, count: 1).first?.sha256 == body.sha256)
        #expect(FileManager.default.fileExists(atPath: body.body.path))
        expectOnlyOutcomes()
    }

    // B4 (Alamofire#2649), B5 (#3126), B17 (apollo-ios#1080), D22: each attempt is visible, is
    // counted, and sends the whole body.
    @Test(arguments: TransportKind.allCases)
    func `tries again with the whole body`(kind: TransportKind) async throws {
        let uploader = try uploader(kind.make())
        let body = try TestBody(in: directory, count: 200_000)
        let key = uniqueText()
        let id = try await uploader.enqueue(
            body.body,
            to: try request("/flaky?key=\(key)&failures=2", attempts: 3)
        )
        var waits: [Int] = []
        var attempts: [Int] = []
        for await event in uploader.events(of: id) {
            switch event {
            case .waiting(_, let attempt, let reason):
                waits.append(attempt)
                #expect(reason == "the server answered 503")
            case .sending(_, _, let attempt):
                if attempts.last != attempt { attempts.append(attempt) }
            case .finished(let outcome): #expect(outcome.isDelivered)
            case .preparing, .waitingForCredentials, .paused: Issue.record("\(event)")
            }
        }
        #expect(waits == [1, 2])
        #expect(attempts == [1, 2, 3])
        let entries = try await server.entries(key, count: 3)
        #expect(entries.map(\.status) == [503, 503, 200])
        #expect(entries.allSatisfy { $0.sha256 == body.sha256 })
        #expect(entries.allSatisfy { $0.headers["idempotency-key"] == id.text })
    }

    @Test(arguments: TransportKind.allCases, ["reset", "fin"])
    func `tries again after a broken connection`(kind: TransportKind, how: String) async throws {
        let uploader = try uploader(kind.make())
        let body = try TestBody(in: directory, count: 4_000_000)
        let path = "/flaky?key=\(uniqueText())&failures=2&how=\(how)&after=1000000"
        let id = try await uploader.enqueue(body.body, to: try request(path, attempts: 3))
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(try await server.entries(id.text, count: 3).last?.sha256 == body.sha256)
    }

    // A7, C11 (swift-nio-extras#319): the next attempt uses a new connection.
    @Test func `gets past a connection that went stale`() async throws {
        let uploader = try uploader()
        let name = uniqueText()
        for _ in 0..<3 {
            let body = try TestBody(in: directory, count: 1_048_576)
            let id = try await uploader.enqueue(
                body.body,
                to: try request("/stale?\(name)", attempts: 3)
            )
            #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
            let answered = server.entries(id.text).filter { $0.status == 200 }
            #expect(answered.map(\.sha256) == [body.sha256])
        }
    }

    // D11 (Vydia#278): at 100 % it started again and again.
    @Test func `ends after the last attempt with the server's answer`() async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 10_000)
        let request = try request("/status?code=500", attempts: 3)
        let id = try await uploader.enqueue(body.body, to: request)
        let outcome = await uploader.finalOutcome(of: id)
        guard case .rejected(let response) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(response.status == 500)
        #expect(String(decoding: response.body, as: UTF8.self) == "the body of an error")
        #expect(try await server.entries(id.text, count: 3).count == 3)
        expectOnlyOutcomes()
    }

    @Test func `waits as long as the server asks for`() async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 10)
        let path = "/flaky?key=\(uniqueText())&failures=1&code=429&retry-after=1"
        let start = ContinuousClock.now
        let id = try await uploader.enqueue(body.body, to: try request(path, attempts: 2))
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            "/status?code=400", "/status?code=403", "/early?how=linger", "/status?code=302",
        ]
    )
    func `doesn't repeat what was refused`(kind: TransportKind, path: String) async throws {
        let uploader = try uploader(kind.make())
        let body = try TestBody(in: directory, count: 2_000_000)
        let id = try await uploader.enqueue(body.body, to: try request(path, attempts: 5))
        let outcome = await uploader.finalOutcome(of: id)
        guard case .rejected = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(try await server.entries(id.text, count: 1).count == 1)
        expectOnlyOutcomes()
    }

    @Test(arguments: TransportKind.allCases, ["/reset?after=100000", "/status?code=503", "/fin"])
    func `doesn't repeat a POST without a key`(kind: TransportKind, path: String) async throws {
        let uploader = try uploader(kind.make())
        let name = uniqueText()
        let body = try TestBody(in: directory, count: 1_000_000)
        var request = try request(path + (path.contains("?") ? "&" : "?") + name, attempts: 5)
        request.sendsIdempotencyKey = false
        let id = try await uploader.enqueue(body.body, to: request)
        switch await uploader.finalOutcome(of: id) {
        case .rejected(let response): #expect(response.status == 503)
        case .failed(let failure): #expect(failure.reason == .mayHaveBeenDelivered)
        case .delivered, .cancelled, nil: Issue.record("neither refused nor failed")
        }
        let entries = try await server.entries(name, count: 1)
        #expect(entries.count == 1 && entries.first?.headers["idempotency-key"] == nil)
    }

    @Test func `repeats a PUT without a key`() async throws {
        let uploader = try uploader()
        let key = uniqueText()
        let body = try TestBody(in: directory, count: 1000)
        var request = try request("/flaky?key=\(key)&failures=1&how=reset", attempts: 2)
        request.sendsIdempotencyKey = false
        request.method = "PUT"
        let id = try await uploader.enqueue(body.body, to: request)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(try await server.entries(key, count: 2).count == 2)
    }

    @Test func `repeats a POST that never left`() async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 1000)
        var request = UploadRequest(
            url: try #require(URL(string: "http://127.0.0.1:1/")),
            retryPolicy: .quick(3)
        )
        request.sendsIdempotencyKey = false
        let id = try await uploader.enqueue(body.body, to: request)
        guard case .failed(let failure) = await uploader.finalOutcome(of: id) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.reason == .attemptsExhausted)
        #expect(failure.transportError?.kind == .cannotConnect)
    }

    @Test(arguments: TransportKind.allCases)
    func `an answer whose rest is lost counts`(kind: TransportKind) async throws {
        let uploader = try uploader(kind.make())
        let body = try TestBody(in: directory, count: 1000)
        var request = try request("/cutbody", attempts: 2)
        request.sendsIdempotencyKey = false
        let id = try await uploader.enqueue(body.body, to: request)
        let outcome = await uploader.finalOutcome(of: id)
        #expect(outcome?.isDelivered == true && outcome?.response?.isBodyCut == true)
    }

    // A5: a redirected upload arrived without its body, with success.
    @Test(arguments: TransportKind.allCases, [307, 308])
    func `goes where it is sent, with its body`(kind: TransportKind, code: Int) async throws {
        let uploader = try uploader(
            kind.make(),
            authorize: { _ in [UploadHeader("Authorization", "Bearer t")] }
        )
        let name = uniqueText()
        let body = try TestBody(in: directory, count: 500_000)
        let path = "/redirect?code=\(code)&to=/sink?\(name)&\(name)"
        let id = try await uploader.enqueue(body.body, to: try request(path))
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        let entries = try await server.entries(name, count: 2)
        #expect(entries.map(\.received) == [500_000, 500_000])
        #expect(entries.last?.sha256 == body.sha256)
        #expect(entries.last?.headers["authorization"] == "Bearer t", "the same origin")
    }

    @Test func `doesn't leave its origin`() async throws {
        let uploader = try uploader()
        let name = uniqueText()
        let body = try TestBody(in: directory, count: 1000)
        let other = "http://localhost:\(server.port)/sink?\(name)"
        let request = try request("/redirect?to=\(other)")
        let id = try await uploader.enqueue(body.body, to: request)
        guard case .failed(let failure) = await uploader.finalOutcome(of: id) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.reason == .redirectRefused)
        #expect(failure.message.contains(other))
        #expect(server.entries(name).count == 1)
    }

    @Test(arguments: TransportKind.allCases)
    func `takes no credentials to another origin`(kind: TransportKind) async throws {
        let uploader = try uploader(
            kind.make(),
            authorize: { _ in [UploadHeader("Authorization", "Bearer t")] }
        )
        let name = uniqueText()
        let body = try TestBody(in: directory, count: 1000)
        var request = try request("/redirect?to=http://localhost:\(server.port)/sink?\(name)")
        request.followsToOtherOrigins = true
        request.headers = [UploadHeader("X-Api-Key", "k")]
        let id = try await uploader.enqueue(body.body, to: request)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        let entries = try await server.entries(name, count: 2)
        #expect(entries.first?.headers["authorization"] == "Bearer t")
        #expect(entries.first?.headers["x-api-key"] == "k")
        #expect(entries.last?.headers["host"] == "localhost:\(server.port)")
        #expect(entries.last?.headers["authorization"] == nil)
        #expect(entries.last?.headers["x-api-key"] == nil)
        #expect(entries.last?.sha256 == body.sha256)
    }

    @Test func `goes from https to plain http never`() async throws {
        let uploader = try uploader(
            CurlTransport(configuration: .init(certificateAuthorities: server.certificate))
        )
        let name = uniqueText()
        let body = try TestBody(in: directory, count: 1000)
        let plain = "http://localhost:\(server.port)/sink?\(name)"
        let request = UploadRequest(
            url: try server.secureURL("/redirect?to=\(plain)"),
            followsToOtherOrigins: true,
            retryPolicy: .never
        )
        let id = try await uploader.enqueue(body.body, to: request)
        guard case .failed(let failure) = await uploader.finalOutcome(of: id) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.reason == .redirectRefused)
    }

    @Test func `leaves a circle of redirects`() async throws {
        let uploader = try uploader()
        let name = uniqueText()
        let body = try TestBody(in: directory, count: 10)
        let id = try await uploader.enqueue(
            body.body,
            to: try request("/redirect?\(name)&to=?\(name)%26to=?\(name)%2526to=/redirect")
        )
        let outcome = await uploader.finalOutcome(of: id)
        #expect(outcome?.isDelivered == false)
        #expect(server.entries(id.text).count <= 6)
    }

    // C3 (TUSKit#211): a token is asked for at every attempt.
    @Test(arguments: TransportKind.allCases)
    func `asks for new credentials once after a 401`(kind: TransportKind) async throws {
        let asked = Collected<Uploader.Authorization>()
        let uploader = try uploader(
            kind.make(),
            authorize: { question in
                asked.append(question)
                return [
                    UploadHeader("Authorization", question.wasRefused ? "Bearer new" : "Bearer old")
                ]
            }
        )
        let body = try TestBody(in: directory, count: 100_000)
        let id = try await uploader.enqueue(body.body, to: try request("/bearer?token=new"))
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(asked.all.map(\.wasRefused) == [false, true])
        #expect(try await server.entries(id.text, count: 2).last?.sha256 == body.sha256)

        let second = try await uploader.enqueue(
            try TestBody(in: directory, count: 10).body,
            to: try request("/bearer?token=other")
        )
        #expect(await uploader.finalOutcome(of: second)?.response?.status == 401)
        #expect(try await server.entries(second.text, count: 2).count == 2)
    }

    @Test(arguments: TransportKind.allCases)
    func `a 401 ends an upload without credentials`(kind: TransportKind) async throws {
        let uploader = try uploader(kind.make())
        let body = try TestBody(in: directory, count: 10)
        let request = try request("/status?code=401&authenticate=Basic%20realm=x", attempts: 5)
        let id = try await uploader.enqueue(body.body, to: request)
        #expect(await uploader.finalOutcome(of: id)?.response?.status == 401)
        #expect(try await server.entries(id.text, count: 1).count == 1)
    }

    @Test func `a failing authorize is a failed attempt`() async throws {
        struct Offline: Error {}
        let asked = Collected<Int>()
        let uploader = try uploader(authorize: { question in
            asked.append(question.attempt)
            guard question.attempt > 2 else { throw Offline() }
            return []
        })
        let body = try TestBody(in: directory, count: 10)
        let id = try await uploader.enqueue(body.body, to: try request("/sink", attempts: 3))
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(asked.all == [1, 2, 3])
    }

    @Test func `an authorize that hangs is left at the deadline`() async throws {
        let asked = Collected<Int>()
        let uploader = try uploader(authorize: { question in
            asked.append(question.attempt)
            try await Task.sleep(for: .seconds(60))
            return []
        })
        var request = try request("/sink", attempts: 2)
        request.attemptDeadline = .milliseconds(200)
        let start = ContinuousClock.now
        let body = try TestBody(in: directory, count: 10)
        let id = try await uploader.enqueue(body.body, to: request)
        #expect(await uploader.finalOutcome(of: id) == nil)
        #expect(try uploader.items().first?.lastProblem?.contains("no answer within") == true)
        #expect(asked.all == [1, 2])
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(server.entries(id.text).isEmpty)
    }

    @Test func `an authorize leaves the rest of the deadline to the request`() async throws {
        struct Recording: UploadTransport {
            let deadlines = Collected<Duration?>()

            func perform(
                _ attempt: UploadAttempt,
                report: @escaping @Sendable (AttemptReport) -> Void
            ) async -> AttemptResult {
                deadlines.append(attempt.deadline)
                return AttemptResult(
                    response: UploadResponse(status: 200),
                    error: nil,
                    touchedServer: true
                )
            }
        }
        let transport = Recording()
        let uploader = try uploader(
            transport,
            authorize: { _ in
                try await Task.sleep(for: .milliseconds(50))
                return []
            }
        )
        var request = try request("/")
        request.attemptDeadline = .seconds(100)
        let body = try TestBody(in: directory, count: 10)
        let id = try await uploader.enqueue(body.body, to: request)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        let left = try #require(transport.deadlines.all.first ?? nil)
        #expect(left <= .milliseconds(100_000 - 50) && left > .seconds(20), "\(left)")
    }

    @Test(arguments: TransportKind.allCases)
    func `an untrusted certificate ends it`(kind: TransportKind) async throws {
        let uploader = try uploader(kind.make())
        let body = try TestBody(in: directory, count: 10)
        let request = UploadRequest(url: try server.secureURL("/sink"), retryPolicy: .quick(5))
        let id = try await uploader.enqueue(body.body, to: request)
        guard case .failed(let failure) = await uploader.finalOutcome(of: id) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.reason == .permanent)
        #expect(failure.transportError?.kind == .untrustedCertificate)
    }

    // D8 (background_downloader#380): "running" for ever.
    @Test(arguments: TransportKind.allCases)
    func `has a deadline for each attempt`(kind: TransportKind) async throws {
        let uploader = try uploader(kind.make())
        let body = try TestBody(in: directory, count: 10)
        var request = try request("/sink?delay=20", attempts: 2)
        request.attemptDeadline = .milliseconds(100)
        let id = try await uploader.enqueue(body.body, to: request)
        guard case .failed(let failure) = await uploader.finalOutcome(of: id) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.transportError?.kind == .deadlineExceeded)
    }

    @Test(arguments: TransportKind.allCases)
    func `cancels what runs, what waits, and nothing else`(kind: TransportKind) async throws {
        let uploader = try uploader(kind.make(), configuration: .init(maximumConcurrentUploads: 2))
        let slow = try request("/sink?rate=2000000")
        var held = slow
        held.headers = [.hold(at: 200_000)]
        let body = try TestBody(in: directory, count: 1_000_000)
        let running = try await uploader.enqueue(body.body, to: held, keepsOriginal: true)
        let other = try await uploader.enqueue(body.body, to: slow, keepsOriginal: true)
        let queued = try await uploader.enqueue(body.body, to: slow)
        _ = try await server.entries(running.text, count: 1)
        try await uploader.cancel(queued)
        try await uploader.cancel(running)
        #expect(uploader.outcome(of: running) == .cancelled)
        #expect(uploader.outcome(of: queued) == .cancelled)
        try await uploader.cancel(running)  // that it is over already is fine
        // D14 (gotev#226): the end of one upload is not the end of another.
        #expect(await uploader.finalOutcome(of: other)?.isDelivered == true)
        #expect(server.entries(queued.text).isEmpty)
        expectOnlyOutcomes()
        await #expect(throws: UploadError.self) { try await uploader.cancel(.random()) }
    }

    // C5 (TUSKit#107), D6 (aws-sdk-ios#3668), A8: paused stays paused, over relaunches too.
    @Test(arguments: TransportKind.allCases)
    func `pauses and resumes`(kind: TransportKind) async throws {
        let one = Uploader.Configuration(maximumConcurrentUploads: 1)
        let body = try TestBody(in: directory, count: 200_000)
        let small = try TestBody(in: directory, count: 10).body
        let first = try uploader(kind.make(), configuration: one, authorize: holding(body))
        let paused = try await first.enqueue(body.body, to: try request("/keyed"))
        _ = try await server.entries(paused.text, count: 1)
        let other = try await first.enqueue(small, to: try request("/keyed"), keepsOriginal: true)
        try await first.pause(paused)
        #expect(await first.finalOutcome(of: other)?.isDelivered == true)
        #expect(first.outcome(of: paused) == nil)
        #expect(try first.items().first { $0.id == paused }?.state == .paused)
        await first.close()

        let second = try uploader(
            kind.make(),
            configuration: one,
            authorize: noCredentials
        )
        #expect(await second.resume() == [paused])
        let later = try await second.enqueue(small, to: try request("/keyed"))
        #expect(await second.finalOutcome(of: later)?.isDelivered == true)
        #expect(try second.items().first { $0.id == paused }?.state == .paused)
        try await second.resume(paused)
        #expect(await second.finalOutcome(of: paused)?.isDelivered == true)
        let taken = try await server.entries(paused.text, count: 2).filter { $0.repeated == false }
        #expect(taken.map(\.sha256) == [body.sha256])
        expectOnlyOutcomes()
    }

    // C1 (TUSKit#200), D2, D4 (aws-sdk-ios#755), D17: the next process goes on, and knows how
    // earlier uploads ended.
    @Test(arguments: TransportKind.allCases)
    func `goes on where an earlier process stopped`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 200_000)
        let first = try uploader(kind.make(), authorize: holding(body))
        let done = try await first.enqueue(
            try TestBody(in: directory, count: 10).body,
            to: try request("/keyed")
        )
        #expect(await first.finalOutcome(of: done)?.isDelivered == true)
        let running = try await first.enqueue(body.body, to: try request("/keyed"))
        _ = try await server.entries(running.text, count: 1)
        await first.close()
        #expect(
            first.outcome(of: running) == nil,
            "the end of a process is not the end of an upload"
        )

        let second = try uploader(kind.make(), authorize: noCredentials)
        #expect(second.outcome(of: done)?.isDelivered == true)
        #expect(await second.resume() == [running])
        #expect(await second.finalOutcome(of: running)?.isDelivered == true)
        let taken = try await server.entries(running.text, count: 2).filter { $0.repeated == false }
        #expect(taken.map(\.sha256) == [body.sha256])
        expectOnlyOutcomes()
    }

    // It is the next uploader's queue then.
    @Test func `changes nothing once it is closed`() async throws {
        let first = try uploader()
        let body = try TestBody(in: directory, count: 10)
        var request = try request("/sink")
        request.headers = [.hold(at: 1)]
        let id = try await first.enqueue(body.body, to: request)
        try await first.pause(id)
        await first.close()
        let files = directory.files(below: "queue")
        await #expect(throws: UploadError.cancelled) { try await first.resume(id) }
        await #expect(throws: UploadError.cancelled) { try await first.pause(id) }
        await #expect(throws: UploadError.cancelled) { try await first.cancel(id) }
        await #expect(throws: UploadError.cancelled) { try await first.removeOutcome(of: id) }
        #expect(directory.files(below: "queue") == files)
        #expect(try first.items().map(\.state) == [.paused])
    }

    /// Ends its attempts only when so many of them are cancelled, or if that never comes.
    private final class Gathering: UploadTransport {
        private let counts = Mutex((running: 0, cancelled: 0))
        var running: Int { counts.withLock { $0.running } }
        var cancelled: Int { counts.withLock { $0.cancelled } }

        func perform(
            _ attempt: UploadAttempt,
            report: @escaping @Sendable (AttemptReport) -> Void
        ) async -> AttemptResult {
            counts.withLock { $0.running += 1 }
            await withTaskCancellationHandler {
                // Of its own, as this one is cancelled.
                await Task { try? await until("three cancels") { cancelled == 3 } }.value
            } onCancel: {
                counts.withLock { $0.cancelled += 1 }
            }
            return AttemptResult(
                response: nil,
                error: TransportError(.cancelled, "cancelled"),
                touchedServer: true
            )
        }
    }

    // Each was waited for before the next one was cancelled.
    @Test func `closes all uploads at once`() async throws {
        let transport = Gathering()
        let uploader = try uploader(transport)
        let body = try TestBody(in: directory, count: 10)
        var ids: [UploadID] = []
        for _ in 0..<3 {
            ids.append(
                try await uploader.enqueue(body.body, to: try request("/"), keepsOriginal: true)
            )
        }
        try await until { transport.running == 3 }
        let start = ContinuousClock.now
        await uploader.close()
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(transport.cancelled == 3)
        for id in ids { #expect(uploader.outcome(of: id) == nil) }
    }

    @Test(arguments: TransportKind.allCases)
    func `doesn't repeat what an earlier process may have sent`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 200_000)
        let first = try uploader(kind.make(), authorize: holding(body))
        let name = uniqueText()
        var request = try request("/keyed?\(name)")
        request.sendsIdempotencyKey = false
        let id = try await first.enqueue(body.body, to: request)
        _ = try await server.entries(name, count: 1)
        await first.close()
        let second = try uploader(kind.make(), authorize: noCredentials)
        await second.resume()
        guard case .failed(let failure) = await second.finalOutcome(of: id) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.reason == .mayHaveBeenDelivered)
        #expect(server.entries(name).count == 1)
    }

    /// Counts how many attempts run; each takes a moment, and the first ones until there are three.
    private final class Counting: UploadTransport {
        private let counts = Mutex((now: 0, most: 0))
        var most: Int { counts.withLock { $0.most } }

        func perform(
            _ attempt: UploadAttempt,
            report: @escaping @Sendable (AttemptReport) -> Void
        ) async -> AttemptResult {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
            let deadline = ContinuousClock.now + .seconds(20)
            repeat {
                try? await Task.sleep(for: .milliseconds(20))
            } while most < 3 && ContinuousClock.now < deadline
            counts.withLock { $0.now -= 1 }
            return AttemptResult(
                response: UploadResponse(status: 200),
                error: nil,
                touchedServer: true
            )
        }
    }

    @Test func `sends so many at a time`() async throws {
        let transport = Counting()
        let uploader = try uploader(
            transport,
            configuration: .init(maximumConcurrentUploads: 3)
        )
        let body = try TestBody(in: directory, count: 1000)
        var ids: [UploadID] = []
        for _ in 0..<30 {
            ids.append(
                try await uploader.enqueue(body.body, to: try request("/"), keepsOriginal: true)
            )
        }
        for id in ids { #expect(await uploader.finalOutcome(of: id)?.isDelivered == true) }
        #expect(transport.most == 3)
    }

    /// Ends its attempt when it is told to, cancelled or not.
    private final class Lingering: UploadTransport {
        private let state = Mutex<(attempt: CheckedContinuation<Void, Never>?, isCancelled: Bool)>(
            (nil, false)
        )
        var isCancelled: Bool { state.withLock { $0.isCancelled } }
        var isSending: Bool { state.withLock { $0.attempt != nil } }

        func end() { state.withLock { $0.attempt }?.resume() }

        func perform(
            _ attempt: UploadAttempt,
            report: @escaping @Sendable (AttemptReport) -> Void
        ) async -> AttemptResult {
            await withTaskCancellationHandler {
                await withCheckedContinuation { attempt in
                    state.withLock { $0.attempt = attempt }
                }
            } onCancel: {
                state.withLock { $0.isCancelled = true }
            }
            return AttemptResult(
                response: nil,
                error: TransportError(.cancelled, "cancelled"),
                touchedServer: true
            )
        }
    }

    // Cancelled is final, whatever is asked for until the attempt has stopped.
    @Test(arguments: ["pause", "resume"])
    func `nothing takes a cancel back`(second: String) async throws {
        let transport = Lingering()
        let uploader = try uploader(transport)
        let body = try TestBody(in: directory, count: 10)
        let id = try await uploader.enqueue(body.body, to: try request("/", attempts: 9))
        try await until { transport.isSending }
        let cancelling = Task { try await uploader.cancel(id) }
        try await until { transport.isCancelled }
        if second == "pause" {
            await uploader.beginPause(id)
        } else {
            try await uploader.resume(id)
        }
        transport.end()
        try await cancelling.value
        #expect(uploader.outcome(of: id) == .cancelled)
        expectOnlyOutcomes()
    }

    @Test func `events of an ended upload are its outcome`() async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 10)
        let id = try await uploader.enqueue(body.body, to: try request("/sink"))
        _ = await uploader.finalOutcome(of: id)
        var events: [UploadEvent] = []
        for await event in uploader.events(of: id) { events.append(event) }
        #expect(events.count == 1)
        for await event in uploader.events(of: .random()) { Issue.record("\(event)") }
    }
}

extension Uploader {
    /// Asks for a pause, and returns before it is carried out.
    fileprivate func beginPause(_ id: UploadID) { Task.immediate { try await pause(id) } }
}
