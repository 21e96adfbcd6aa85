import Foundation
import MultipartEncoder
import MultipartUpload
import Synchronization
import Testing

/// Background sessions, with processes that die and a transfer service that doesn't.
@Suite(.timeLimit(.minutes(2))) struct BackgroundSessionTests {
    private let directory: TemporaryDirectory
    private let service = FakeTransferService()
    private var queue: String { directory.path + "/queue" }
    private static let prefix = "tests."

    init() throws { directory = try TemporaryDirectory() }

    /// The first process, or the next one.
    private func uploader(
        tellsAtOnce: Bool = false,
        leavesResumingToSystem: Bool = true,
        authorize: Uploader.Authorize? = nil
    ) throws
        -> Uploader
    {
        let transport = URLSessionTransport(
            configuration: .init(
                identifierPrefix: Self.prefix,
                leavesResumingToSystem: leavesResumingToSystem
            ),
            factory: FakeSessions(service, tellsAtOnce: tellsAtOnce)
        )
        return try Uploader(directory: queue, transport: transport, authorize: authorize)
    }

    /// Ends a process without a word to the system.
    private func kill(_ uploader: Uploader) async {
        service.killProcess()
        await uploader.close()
    }

    private func request(attempts: Int = 3) throws -> UploadRequest {
        UploadRequest(
            url: try #require(URL(string: "https://upload.example/form")),
            retryPolicy: .quick(attempts)
        )
    }

    /// An upload of 1000 bytes that the system has begun to send.
    private func begun(
        _ uploader: Uploader,
        _ request: UploadRequest? = nil
    ) async throws
        -> (id: UploadID, transfer: FakeTransferService.Transfer)
    {
        let body = try TestBody(in: directory, count: 1000)
        let id = try await uploader.enqueue(body.body, to: try request ?? self.request())
        return (id, try await next())
    }

    /// The same, by a process that is dead since.
    private func abandoned(
        _ request: UploadRequest? = nil,
        authorize: Uploader.Authorize? = nil
    ) async throws
        -> (id: UploadID, transfer: FakeTransferService.Transfer)
    {
        let uploader = try uploader(authorize: authorize)
        let begun = try await begun(uploader, request)
        await kill(uploader)
        return begun
    }

    /// The transfer that the system begins next.
    private func next() async throws -> FakeTransferService.Transfer {
        try #require(await service.next())
    }

    private func identifier(_ id: UploadID) -> String { Self.prefix + id.text }

    private func expectNothingLeft(_ id: UploadID) async throws {
        #expect(directory.files(below: "queue") == [".lock", "\(id)/outcome.json"])
        #expect(service.problems.isEmpty, "\(service.problems)")
        try await until { !service.live.contains(identifier(id)) }
    }

    private func sha256(_ path: String) throws -> String {
        String(decoding: try run("sha256sum", [path]).prefix(64), as: UTF8.self)
    }

    // B1 (Alamofire#740), B7 (#2568), B12 (AFNetworking#4079, #2941): a file and nothing else.
    // D17 (woocommerce-ios PR#15277): the file stays until the outcome.
    @Test func `gives the system a file, a name, and nothing else`() async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 100_000)
        let id = try await uploader.enqueue(body.body, to: try request())
        let transfer = try await next()
        #expect(transfer.session == identifier(id))
        #expect(transfer.name == id.text)
        #expect(transfer.request.httpMethod == "POST")
        #expect(transfer.request.url?.absoluteString == "https://upload.example/form")
        #expect(transfer.request.value(forHTTPHeaderField: "Idempotency-Key") == id.text)
        #expect(
            transfer.request.value(forHTTPHeaderField: "Content-Type") == body.body.contentType
        )
        service.tell(.sent(100_000), transfer)
        service.tell(.response(UploadResponse(status: 201)), transfer)
        #expect(try sha256(transfer.file) == body.sha256, "it is there until the end")
        service.tell(.data(Data("kept".utf8)), transfer)
        service.tell(.ended(nil), transfer)
        let outcome = await uploader.finalOutcome(of: id)
        #expect(outcome?.response.map { String(decoding: $0.body, as: UTF8.self) } == "kept")
        #expect(outcome?.isDelivered == true)
        try await expectNothingLeft(id)
    }

    // B10 (AFNetworking#3976), C1 (TUSKit#200): -999 comes while the session is made.
    @Test func `hears at once what happened while nobody was there`() async throws {
        let (id, lost) = try await abandoned()
        let content = try sha256(lost.file)
        service.end(lost, code: NSURLErrorCancelled)

        let second = try uploader(tellsAtOnce: true)
        let completions = Completions()
        await second.handleEvents(forBackgroundSession: identifier(id), completion: completions.add)
        let again = try await next()
        #expect(again.number != lost.number)
        #expect(try sha256(again.file) == content)
        service.answer(again, 200)
        #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        await completions.expectOne()
        try await expectNothingLeft(id)
    }

    // C1: the system still lists the dead task, which then fails.
    @Test func `tries again when an adopted task was dead`() async throws {
        let (id, dead) = try await abandoned()
        let second = try uploader()
        await second.resume()
        try await until { service.live == [identifier(id)] }
        service.end(dead, code: NSURLErrorCancelled)
        let again = try await next()
        service.answer(again, 200)
        #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        try await expectNothingLeft(id)
    }

    // B14 (AFNetworking#2805): the name finds the task again.
    @Test func `takes over what still runs`() async throws {
        let (id, transfer) = try await abandoned()
        let second = try uploader()
        await second.resume()
        try await until { service.live == [identifier(id)] }
        service.answer(transfer, 201, "late")
        let outcome = await second.finalOutcome(of: id)
        #expect(outcome?.response?.status == 201)
        #expect(service.transfers.map(\.name) == [id.text])
        #expect(service.transfers.allSatisfy { !$0.wasCancelled })
        try await expectNothingLeft(id)
    }

    // D4 (aws-sdk-ios#755): the answer came while no process was there.
    @Test func `hears of an answer that came without it`() async throws {
        let (id, transfer) = try await abandoned()
        service.answer(transfer, 201, "early")
        let second = try uploader(tellsAtOnce: true)
        await second.resume()
        let outcome = await second.finalOutcome(of: id)
        #expect(outcome?.response.map { String(decoding: $0.body, as: UTF8.self) } == "early")
        #expect(service.transfers.count == 1)
        try await expectNothingLeft(id)
    }

    // B11 (AFNetworking#3573; SalesforceMobileSDK-iOS PR#2309).
    @Test func `makes each session once`() async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 1000)
        let id = try await uploader.enqueue(body.body, to: try request(attempts: 10))
        for _ in 0..<3 {
            let transfer = try await next()
            await uploader.resume()
            await uploader.handleEvents(forBackgroundSession: identifier(id)) {}
            service.end(transfer, code: -1005)
        }
        #expect(service.made == [identifier(id)])
        let transfer = try await next()
        try await uploader.pause(id)
        #expect(service.transfers.last?.wasCancelled == true)
        try await uploader.resume(id)
        let last = try await next()
        #expect(last.number > transfer.number)
        service.answer(last, 200)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(service.made.allSatisfy { $0 == identifier(id) })
        try await expectNothingLeft(id)
    }

    // A session that was given up is made again only when the system has let go of it.
    @Test func `pauses what an earlier process began`() async throws {
        let (id, transfer) = try await abandoned()
        let second = try uploader()
        try await second.pause(id)
        #expect(service.transfers.first { $0.number == transfer.number }?.wasCancelled == true)
        try await second.resume(id)
        let again = try await next()
        service.answer(again, 200)
        #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        #expect(service.made.count == 3)
        try await expectNothingLeft(id)
    }

    @Test func `cancels what an earlier process began`() async throws {
        let (id, _) = try await abandoned()
        let second = try uploader()
        try await second.cancel(id)
        #expect(service.transfers.allSatisfy { $0.wasCancelled })
        #expect(second.outcome(of: id) == .cancelled)
        try await expectNothingLeft(id)
    }

    // Somebody changed their mind while credentials were fetched.
    @Test func `takes over nothing after a cancel`() async throws {
        let (id, _) = try await abandoned(authorize: noCredentials)
        let asked = Collected<UploadID>()
        let second = try uploader(authorize: { question in
            asked.append(question.upload)
            while !Task.isCancelled { await Task.yield() }
            return []
        })
        await second.resume()
        try await until { asked.all == [id] }
        let cancelling = Task { try await second.cancel(id) }
        try await until { service.transfers.map(\.wasCancelled) == [true] }
        try await cancelling.value
        #expect(second.outcome(of: id) == .cancelled)
        try await expectNothingLeft(id)
    }

    // B13 (AFNetworking#1675).
    @Test func `tries again when the system gives no task`() async throws {
        let uploader = try uploader()
        service.refuseTasks(1)
        let (id, transfer) = try await begun(uploader)
        service.answer(transfer, 200)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(service.transfers.count == 1)
        try await expectNothingLeft(id)
    }

    // C1 (-999 that nobody asked for), D10 (Vydia#92: -997), and broken lines.
    @Test(arguments: [NSURLErrorCancelled, -997, -1005, -1001, -1009])
    func `tries again after an error of the system`(code: Int) async throws {
        let uploader = try uploader()
        let (id, broken) = try await begun(uploader)
        service.end(broken, code: code)
        let again = try await next()
        service.answer(again, 200)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        try await expectNothingLeft(id)
    }

    // D3 (aws-sdk-ios#1058): an end without an error, and without an answer.
    @Test func `an end without an answer is no success`() async throws {
        let uploader = try uploader()
        let (id, transfer) = try await begun(uploader, try request(attempts: 1))
        service.tell(.sent(1000), transfer)
        service.tell(.ended(nil), transfer)
        guard case .failed(let failure) = await uploader.finalOutcome(of: id) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.transportError?.kind == .noResponse)
    }

    // D20 (ios-kDrive#735): the store says that it is sent, the system knows nothing of it.
    @Test(arguments: [true, false])
    func `sends again what the system has lost`(mayBeRepeated: Bool) async throws {
        var request = try request()
        request.sendsIdempotencyKey = mayBeRepeated
        let (id, lost) = try await abandoned(request)
        service.end(lost, code: -1)
        service.forgetEvents()
        let second = try uploader()
        await second.resume()
        if mayBeRepeated {
            service.answer(try await next(), 200)
            #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        } else {
            guard case .failed(let failure) = await second.finalOutcome(of: id) else {
                Issue.record("not failed")
                return
            }
            #expect(failure.reason == .mayHaveBeenDelivered)
            #expect(service.transfers.count == 1)
        }
        try await expectNothingLeft(id)
    }

    // D12 (Vydia#201): the completion handler is called once, on the main queue, when the outcome
    // is stored, whichever of the two entry points is called first.
    @Test(arguments: [true, false])
    func `calls the completion handler once`(handlesFirst: Bool) async throws {
        let (id, transfer) = try await abandoned()
        service.answer(transfer, 200)
        let second = try uploader(tellsAtOnce: !handlesFirst)
        let completions = Completions { second.outcome(of: id)?.isDelivered == true }
        if handlesFirst {
            await second.handleEvents(
                forBackgroundSession: identifier(id),
                completion: completions.add
            )
            #expect(await second.finalOutcome(of: id)?.isDelivered == true)
            service.finishEvents(identifier(id))
        } else {
            await second.resume()
            await second.handleEvents(
                forBackgroundSession: identifier(id),
                completion: completions.add
            )
            #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        }
        await completions.expectOne()
        await second.close()
        #expect(completions.count == 1)
        try await expectNothingLeft(id)
    }

    @Test func `doesn't keep the system waiting for an upload that goes on`() async throws {
        let (id, transfer) = try await abandoned()
        let second = try uploader()
        let completions = Completions()
        await second.handleEvents(forBackgroundSession: identifier(id), completion: completions.add)
        #expect(completions.count == 0)
        service.finishEvents(identifier(id))
        await completions.expectOne()
        // And the next time it is woken.
        await second.handleEvents(forBackgroundSession: identifier(id), completion: completions.add)
        service.answer(transfer, 200)
        service.finishEvents(identifier(id))
        await completions.expectOne()
        #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        #expect(completions.count == 2)
    }

    // An app that was only suspended is woken as well.
    @Test func `keeps the system waiting until this process's own upload is stored`() async throws {
        let uploader = try uploader()
        let (id, transfer) = try await begun(uploader)
        let completions = Completions { uploader.outcome(of: id)?.isDelivered == true }
        await uploader.handleEvents(
            forBackgroundSession: identifier(id),
            completion: completions.add
        )
        #expect(completions.count == 0)
        service.answer(transfer, 200)
        service.finishEvents(identifier(id))
        await completions.expectOne()
        #expect(completions.count == 1)
        try await expectNothingLeft(id)
    }

    // The system takes its time to say that what was paused has ended.
    @Test func `keeps the system waiting for no attempt that is over`() async throws {
        let uploader = try uploader()
        let (id, paused) = try await begun(uploader)
        try await uploader.pause(id)
        try await uploader.resume(id)
        let transfer = try await next()
        service.end(paused, code: NSURLErrorCancelled)
        let completions = Completions()
        await uploader.handleEvents(
            forBackgroundSession: identifier(id),
            completion: completions.add
        )
        service.finishEvents(identifier(id))
        try await until { completions.count == 1 }
        service.answer(transfer, 200)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        try await expectNothingLeft(id)
    }

    @Test func `answers for sessions that nobody waits for`() async throws {
        let uploader = try uploader()
        let completions = Completions()
        await uploader.handleEvents(forBackgroundSession: "another", completion: completions.add)
        await completions.expectOne()
        let id = UploadID.random()
        await uploader.handleEvents(
            forBackgroundSession: identifier(id),
            completion: completions.add
        )
        await completions.expectOne()
        #expect(service.made == [identifier(id)])
        try await until { service.live.isEmpty }
    }

    // Before the first unlocking of a device, or without descriptors: it was told to give up.
    @Test func `leaves to the system what can't be read for now`() async throws {
        let (id, transfer) = try await abandoned()
        let path = "\(queue)/\(id)/record.json"
        let record = try #require(FileManager.default.contents(atPath: path))
        try Data().write(to: URL(fileURLWithPath: path))
        let second = try uploader()
        let completions = Completions()
        await second.handleEvents(forBackgroundSession: identifier(id), completion: completions.add)
        await completions.expectOne()
        #expect(service.made == [identifier(id)], "only by the first process")
        service.answer(transfer, 200)
        try record.write(to: URL(fileURLWithPath: path))
        await second.handleEvents(forBackgroundSession: identifier(id), completion: completions.add)
        service.finishEvents(identifier(id))
        #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        await completions.expectOne()
        #expect(service.transfers.count == 1)
        try await expectNothingLeft(id)
    }

    @Test func `leaves to the system what it has no credentials for`() async throws {
        let first = try uploader(authorize: noCredentials)
        let (id, transfer) = try await begun(first)
        await kill(first)
        let second = try uploader()
        let completions = Completions()
        await second.handleEvents(forBackgroundSession: identifier(id), completion: completions.add)
        await completions.expectOne()
        #expect(service.made == [identifier(id)], "only by the first process")
        await second.close()

        service.answer(transfer, 200)
        let third = try uploader(authorize: noCredentials)
        await third.handleEvents(forBackgroundSession: identifier(id), completion: completions.add)
        service.finishEvents(identifier(id))
        #expect(await third.finalOutcome(of: id)?.isDelivered == true)
        await completions.expectOne()
        #expect(service.transfers.count == 1)
        try await expectNothingLeft(id)
    }

    // D19 (cryptomator/ios#11, SimpleBackgroundUpload#2): on a locked device the body couldn't be
    // read. Linux has no protection classes, so it is the call that is checked.
    @Test func `protects the queue and each body as the system needs it`() async throws {
        let protected = Collected<String>()
        let uploader = try Uploader(
            directory: queue,
            transport: URLSessionTransport(configuration: .init(), factory: FakeSessions(service)),
            protection: FileProtection { protected.append($0) }
        )
        let body = try TestBody(in: directory, count: 1000)
        let id = try await uploader.enqueue(body.body, to: try request())
        #expect(protected.all.first == queue)
        #expect(protected.all.dropFirst().map { $0.hasSuffix("\(id)/body") } == [true])
        #expect(FileManager.default.isReadableFile(atPath: queue), "nothing is in the way here")
    }

    // A suspended process's clock runs on.
    @Test func `leaves patience to the system, but keeps a deadline`() async throws {
        let uploader = try uploader()
        var request = try request(attempts: 1)
        request.stallTimeout = .nanoseconds(1)
        request.attemptDeadline = .milliseconds(50)
        let (id, _) = try await begun(uploader, request)
        guard case .failed(let failure) = await uploader.finalOutcome(of: id) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.transportError?.kind == .deadlineExceeded)
        #expect(service.transfers.map(\.wasCancelled) == [true])
    }

    @Test func `gives the system a part of a file as a file`() async throws {
        let body = try TestBody(in: directory, count: 300_000)
        let transport = URLSessionTransport(configuration: .init(), factory: FakeSessions(service))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: body.body.path))
        let url = try #require(URL(string: "https://upload.example/"))
        for (offset, length) in [(100_000, 200_000), (1, 5), (0, 299_999)] {
            async let result = transport.perform(
                to: url,
                body.body,
                offset: Int64(offset),
                length: Int64(length)
            )
            let transfer = try await next()
            #expect(transfer.file == directory.path + "/tail")
            let tail = try Data(contentsOf: URL(fileURLWithPath: transfer.file))
            #expect(tail == bytes[offset..<offset + length])
            let attributes = try FileManager.default.attributesOfItem(atPath: transfer.file)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o400)
            service.answer(transfer, 200)
            #expect(await result.response?.status == 200)
            #expect(!FileManager.default.fileExists(atPath: transfer.file))
        }
    }

    // D2 (aws-sdk-ios#2263), C4 (TUSKit#193): the rest of a file is a file of its own, which stays
    // while the system may read it.
    @Test func `goes on at the server's offset, where the system leaves that to it`() async throws {
        let first = try uploader(leavesResumingToSystem: false)
        let body = try TestBody(in: directory, count: 1000)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: body.body.path))
        var resumable = try request()
        resumable.isResumable = true
        let id = try await first.enqueue(body.body, to: resumable)
        let whole = try await next()
        #expect(whole.request.value(forHTTPHeaderField: "Upload-Complete") == "?1")
        let location = UploadHeader("Location", "https://upload.example/uploads/1")
        service.tell(.response(UploadResponse(status: 104, headers: [location])), whole)
        service.end(whole, code: -1005)
        func answerQuestion(_ offset: Int) async throws {
            let question = try await next()
            #expect(question.request.httpMethod == "HEAD")
            let headers = [
                UploadHeader("Upload-Offset", String(offset)),
                UploadHeader("Upload-Complete", "?0"),
            ]
            service.answer(question, 204, headers: headers)
        }
        try await answerQuestion(400)
        let rest = try await next()
        #expect(rest.request.httpMethod == "PATCH" && rest.session == identifier(id))
        #expect(try Data(contentsOf: URL(fileURLWithPath: rest.file)) == bytes[400...])
        service.killProcess()

        // The lock goes with the process; its own end would take the file away.
        let tail = try Data(contentsOf: URL(fileURLWithPath: rest.file))
        await first.close()
        try tail.write(to: URL(fileURLWithPath: rest.file))
        let second = try uploader(leavesResumingToSystem: false)
        #expect(FileManager.default.fileExists(atPath: rest.file))
        await second.resume()
        try await answerQuestion(700)
        let last = try await next()
        #expect(service.transfers.first { $0.number == rest.number }?.wasCancelled == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: last.file)) == bytes[700...])
        service.answer(last, 200)
        #expect(await second.finalOutcome(of: id)?.isDelivered == true)
        try await expectNothingLeft(id)
    }

    /// Counts calls, each on the main queue and when it should be.
    private final class Completions: Sendable {
        private let calls = Mutex(0)
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation
        private let mayBe: @Sendable () -> Bool

        init(_ mayBe: @escaping @Sendable () -> Bool = { true }) {
            (stream, continuation) = AsyncStream.makeStream()
            self.mayBe = mayBe
        }

        var count: Int { calls.withLock { $0 } }

        @MainActor func add() {
            dispatchPrecondition(condition: .onQueue(.main))
            #expect(mayBe())
            calls.withLock { $0 += 1 }
            continuation.yield()
        }

        /// Waits for one more call.
        func expectOne() async {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        }
    }
}
