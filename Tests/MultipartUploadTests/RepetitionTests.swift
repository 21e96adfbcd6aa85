import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// That a request without a key is sent once, whatever the server, the disk and people do.
@Suite(.serialized) struct RepetitionTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func uploader(
        _ kind: TransportKind,
        authorize: Uploader.Authorize? = nil
    ) throws -> Uploader {
        try Uploader(
            directory: queue,
            transport: kind.make(),
            configuration: .init(maximumConcurrentUploads: 1),
            authorize: authorize
        )
    }

    private func request(_ path: String, isResumable: Bool = false) throws -> UploadRequest {
        UploadRequest(
            url: try server.url(path),
            isResumable: isResumable,
            sendsIdempotencyKey: false,
            stallTimeout: .seconds(20),
            retryPolicy: .quick(3)
        )
    }

    private func expectDoubt(_ outcome: UploadOutcome?) {
        guard case .failed(let failure) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(failure.reason == .mayHaveBeenDelivered, "\(failure)")
    }

    // The server took all of it, lost its answer, and then knew nothing: the second POST carried
    // the whole body again.
    @Test(
        arguments: TransportKind.allCases,
        [
            "lose=1&gone=404", "lose=1&gone=410", "lose=1&gone=405", "lose=1&gone=501",
            "cut=100000&gone=404&gone-method=PATCH", "cut=100000&gone=410&gone-method=PATCH",
        ]
    )
    func `nothing starts over once the server has lost sight of it`(
        kind: TransportKind,
        query: String
    ) async throws {
        let name = uniqueText()
        let uploader = try uploader(kind)
        let body = try TestBody(in: directory, count: 200_000)
        let id = try await uploader.enqueue(
            body.body,
            to: try request("/resumable?\(name)&\(query)", isResumable: true)
        )
        expectDoubt(await uploader.finalOutcome(of: id))
        #expect(try await server.entries(name, count: 1).map(\.method) == ["POST"])
    }

    // Three sends of the body, each refused the same way.
    @Test(arguments: TransportKind.allCases)
    func `a 400 is an answer, not a question of versions`(kind: TransportKind) async throws {
        let name = uniqueText()
        let uploader = try uploader(kind)
        let body = try TestBody(in: directory, count: 200_000)
        let id = try await uploader.enqueue(
            body.body,
            to: try request("/resumable?\(name)&versions=6", isResumable: true)
        )
        guard case .rejected(let response) = await uploader.finalOutcome(of: id) else {
            Issue.record("not refused")
            return
        }
        #expect(response.status == 400)
        #expect(try await server.entries(name, count: 1).count == 1)
    }

    /// An upload that a process was sending when it ended.
    private func leftSending(_ kind: TransportKind, _ name: String) async throws -> UploadID {
        let first = try uploader(kind)
        let body = try TestBody(in: directory, count: 4_000_000)
        let id = try await first.enqueue(body.body, to: try request("/sink?rate=2000000&\(name)"))
        for await event in first.events(of: id) {
            if case .sending(let sent, _, _) = event, sent > 0 { break }
        }
        await first.close()
        return id
    }

    // An attempt that failed before it took over the earlier process's was followed by a new one.
    @Test(arguments: TransportKind.allCases)
    func `a failing authorize doesn't make an earlier process forgotten`(
        kind: TransportKind
    ) async throws {
        struct Offline: Error {}
        let name = uniqueText()
        let id = try await leftSending(kind, name)
        let asked = Collected<Int>()
        let second = try uploader(
            kind,
            authorize: { question in
                asked.append(question.attempt)
                guard asked.all.count > 1 else { throw Offline() }
                return []
            }
        )
        await second.resume()
        expectDoubt(await second.finalOutcome(of: id))
        #expect(try await server.entries(name, count: 1).count == 1)
    }

    @Test(arguments: TransportKind.allCases)
    func `a pause doesn't make an earlier process forgotten`(kind: TransportKind) async throws {
        let name = uniqueText()
        let id = try await leftSending(kind, name)
        let second = try uploader(kind)
        try await second.pause(id)
        await second.close()
        let third = try uploader(kind)
        try await third.resume(id)
        expectDoubt(await third.finalOutcome(of: id))
        #expect(try await server.entries(name, count: 1).count == 1)
    }

    // It was given up as one that may have been delivered, and its body was gone.
    @Test(arguments: TransportKind.allCases, [false, true])
    func `nothing is on its way while credentials are asked for`(
        kind: TransportKind,
        isRefused: Bool
    ) async throws {
        let name = uniqueText()
        let asked = Collected<Bool>()
        let first = try uploader(
            kind,
            authorize: { question in
                asked.append(question.wasRefused)
                if question.wasRefused == isRefused { try await Task.sleep(for: .seconds(60)) }
                return []
            }
        )
        let body = try TestBody(in: directory, count: 1000)
        let id = try await first.enqueue(
            body.body,
            to: try request("/bearer?token=new&\(name)")
        )
        try await until { asked.all.last == isRefused }
        #expect(try first.items().map(\.state) == [.pending(notBefore: nil)], "a kill leaves it so")
        await first.close()
        let second = try uploader(
            kind,
            authorize: { _ in [UploadHeader("Authorization", "Bearer new")] }
        )
        await second.resume()
        #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        let statuses = try await server.entries(name, count: isRefused ? 2 : 1).map(\.status)
        #expect(statuses == (isRefused ? [401, 200] : [200]))
    }

    @Test func `nothing is on its way before there is a connection`() async throws {
        struct Connecting: UploadTransport {
            let urls = Collected<URL>()

            func perform(
                _ attempt: UploadAttempt,
                report: @escaping @Sendable (AttemptReport) -> Void
            ) async -> AttemptResult {
                urls.append(attempt.url)
                while !Task.isCancelled { await Task.yield() }
                return AttemptResult(
                    response: nil,
                    error: TransportError(.cancelled, "cancelled"),
                    touchedServer: false
                )
            }
        }
        let name = uniqueText()
        let transport = Connecting()
        let first = try Uploader(directory: queue, transport: transport)
        let body = try TestBody(in: directory, count: 1000)
        let id = try await first.enqueue(body.body, to: try request("/sink?\(name)"))
        try await until { transport.urls.all.count == 1 }
        #expect(try first.items().map(\.state) == [.sending], "a kill leaves it in doubt")
        await first.close()
        let second = try uploader(.curl)
        await second.resume()
        #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        #expect(try await server.entries(name, count: 1).count == 1)
    }

    @Test func `nothing is begun that the disk doesn't know of`() async throws {
        let uploader = try uploader(.curl)
        let slow = try TestBody(in: directory, count: 1_000_000)
        let first = try await uploader.enqueue(slow.body, to: try request("/sink?rate=2000000"))
        let name = uniqueText()
        let body = try TestBody(in: directory, count: 10)
        let second = try await uploader.enqueue(body.body, to: try request("/sink?\(name)"))
        // A directory where the record is to be written stands for a full disk.
        try FileManager.default.createDirectory(
            atPath: "\(queue)/\(second)/record.json.tmp",
            withIntermediateDirectories: false
        )
        #expect(await uploader.finalOutcome(of: first)?.isDelivered == true)
        guard case .failed(let failure) = await uploader.finalOutcome(of: second) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.reason == .attemptsExhausted, "\(failure)")
        #expect(server.entries(name).isEmpty)
    }
}
