import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// What can't be read or understood is told and left alone, and keeps nothing else from its work.
@Suite(.serialized) struct UnreadableUploadTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func uploader() throws -> Uploader {
        try Uploader(directory: queue, transport: CurlTransport())
    }

    /// An upload that waits for a server that isn't there, in a queue that nobody has open.
    private func leftUpload() async throws -> UploadID {
        let uploader = try uploader()
        let request = UploadRequest(
            url: try #require(URL(string: "http://127.0.0.1:1/")),
            isResumable: true,
            retryPolicy: RetryPolicy(baseDelay: .seconds(100), maximumDelay: .seconds(100))
        )
        let id = try await uploader.enqueue(TestBody(in: directory, count: 1000).body, to: request)
        try await until { try uploader.items().first?.lastProblem != nil }
        await uploader.close()
        return id
    }

    private func deliver(_ uploader: Uploader) async throws {
        let request = UploadRequest(url: try server.url("/sink"), retryPolicy: .quick(3))
        let body = try TestBody(in: directory, count: 1000)
        let id = try await uploader.enqueue(body.body, to: request)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        try await uploader.removeOutcome(of: id)
    }

    private func bytes() -> [String: Data?] {
        let names = directory.files(below: "queue")
        let contents = names.map { FileManager.default.contents(atPath: queue + "/" + $0) }
        return Dictionary(uniqueKeysWithValues: zip(names, contents))
    }

    /// Works on the queue in every way there is, and finds one upload unreadable and untouched.
    private func expectLeftAlone(_ id: UploadID, _ reason: String) async throws {
        let before = bytes()
        let uploader = try uploader()
        let item = try #require(try uploader.items().first { $0.id == id })
        guard case .unreadable(let told) = item.state else {
            Issue.record("\(item.state)")
            return
        }
        #expect(told.contains(reason))
        #expect(await uploader.resume().isEmpty)
        try await deliver(uploader)
        #expect(uploader.outcome(of: id) == nil)
        #expect(await uploader.finalOutcome(of: id) == nil)
        let error = UploadError.uploadIsUnreadable(id, reason: told)
        await #expect(throws: error) { try await uploader.cancel(id) }
        await #expect(throws: error) { try await uploader.pause(id) }
        await #expect(throws: error) { try await uploader.resume(id) }
        await #expect(throws: error) { try await uploader.removeOutcome(of: id) }
        await uploader.close()
        #expect(bytes() == before)
    }

    enum Change: CaseIterable {
        case laterVersion, unknownPhase, unknownInterop, missingField, empty, noObject
        case countlessAttempts, countlessFailures, anotherUploads, huge

        var reason: String {
            switch self {
            case .laterVersion: "record.json isn't understood: version 2 isn't known here"
            case .unknownPhase, .unknownInterop, .missingField, .empty, .noObject:
                "record.json isn't understood"
            case .countlessAttempts, .countlessFailures: "record.json has numbers that can't be"
            case .anotherUploads: "record.json is another upload's"
            case .huge: "File too large"
            }
        }

        func applied(to record: Data) throws -> Data {
            var object = try #require(
                try JSONSerialization.jsonObject(with: record) as? [String: Any]
            )
            switch self {
            case .laterVersion: object["version"] = 2
            case .unknownPhase: object["phase"] = "verifying"
            case .unknownInterop: object["resumption"] = ["version": 9, "acknowledged": 0]
            case .missingField: object["attempts"] = nil
            case .countlessAttempts: object["attempts"] = Int.max
            case .countlessFailures: object["failures"] = Int.max
            case .anotherUploads: object["id"] = UploadID.random().text
            case .empty: return Data()
            case .noObject: return Data("[]".utf8)
            case .huge: return Data(count: 70 * 1024 * 1024)
            }
            return try JSONSerialization.data(withJSONObject: object)
        }
    }

    @Test(arguments: Change.allCases)
    func `a record that isn't understood keeps its body`(change: Change) async throws {
        let id = try await leftUpload()
        let path = "\(queue)/\(id)/record.json"
        let record = try #require(FileManager.default.contents(atPath: path))
        try change.applied(to: record).write(to: URL(fileURLWithPath: path))
        try await expectLeftAlone(id, change.reason)
        let later = try uploader()
        try record.write(to: URL(fileURLWithPath: path))
        #expect(await later.resume() == [id], "it is looked at again")
    }

    @Test func `the tool tells of it and goes on`() async throws {
        let id = try await leftUpload()
        let path = "\(queue)/\(id)/record.json"
        let record = try #require(FileManager.default.contents(atPath: path))
        try Change.laterVersion.applied(to: record).write(to: URL(fileURLWithPath: path))
        let before = bytes()
        let list = try await Tool.run(["queue", "--queue", queue])
        #expect(list.status == 0)
        #expect(list.output.contains(#""state":"unreadable""#), "\(list.output)")
        let address = try server.url("/sink").absoluteString
        let other = try await Tool.run(["upload", address, "--field", "a", "b", "--queue", queue])
        #expect(other.status == 0, "\(other.errors)")
        let resumed = try await Tool.run(["resume", "--queue", queue])
        #expect(resumed.status == 1 && resumed.output.isEmpty)
        #expect(resumed.errors.contains("\(id): record.json isn't understood: version 2"))
        #expect(bytes() == before)
    }

    @Test func `a record that is gone leaves the body`() async throws {
        let id = try await leftUpload()
        try FileManager.default.removeItem(atPath: "\(queue)/\(id)/record.json")
        try await expectLeftAlone(id, "record.json isn't there")
    }

    @Test(arguments: [
        "", #"{"version":1,"outcome":{"verified":{}},"endedAt":0}"#,
        #"{"version":2,"outcome":{"cancelled":{}},"endedAt":0}"#,
    ])
    func `an outcome that isn't understood stays, with all that is beside it`(
        text: String
    ) async throws {
        let id = try await leftUpload()
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(queue)/\(id)/outcome.json"))
        try await expectLeftAlone(id, "outcome.json isn't understood")
    }

    @Test(arguments: ["body", "record.json", ""])
    func `a link isn't followed`(name: String) async throws {
        let id = try await leftUpload()
        let path = queue + "/" + id.text + (name.isEmpty ? "" : "/" + name)
        let moved = directory.path + "/moved"
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: moved)
        try await expectLeftAlone(id, "of the same user")
    }

    @Test(.enabled(if: NSUserName() == "root", "only root can give a file away"))
    func `nothing of a foreign owner is used`() async throws {
        let id = try await leftUpload()
        for path in ["\(queue)/\(id)/record.json", "\(queue)/\(id)/body", "\(queue)/\(id)"] {
            try FileManager.default.setAttributes([.ownerAccountID: 12_345], ofItemAtPath: path)
            try await expectLeftAlone(id, "of the same user")
            try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: path)
        }
        #expect(await (try uploader()).resume() == [id])
    }

    // One stray entry blocked the whole queue.
    @Test func `strays are neither in the way nor removed`() async throws {
        let id = try await leftUpload()
        let strays = [
            "hello", "0/x", "\(String(repeating: "0", count: 32))/x", "\(id)/sub/x", "\(id)/notes",
            "\(id)/tail/x",
        ]
        for stray in strays {
            let url = URL(fileURLWithPath: queue + "/" + stray)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("stray".utf8).write(to: url)
        }
        let file = String(repeating: "1", count: 32)
        try Data("no directory".utf8).write(to: URL(fileURLWithPath: queue + "/" + file))
        let uploader = try Uploader(
            directory: queue,
            transport: CurlTransport(),
            configuration: .init(quota: 1_000_000)
        )
        #expect(await uploader.resume() == [id])
        let unreadable = try uploader.items().filter { $0.url == nil }
        #expect(unreadable.map(\.id.text) == [file])
        try await deliver(uploader)
        try await uploader.cancel(id)
        #expect(uploader.outcome(of: id) == .cancelled)
        try await uploader.removeOutcome(of: id)
        #expect(try uploader.items() == unreadable)
        #expect(directory.files(below: "queue") == (strays + [file, ".lock"]).sorted())
    }

    // A moment's want of descriptors or memory ended an upload for good; that the directory can't be
    // read is as good as that, and other than those does no harm to the rest of the process.
    @Test(
        .enabled(if: NSUserName() == "root", "only root can become somebody else for a while"),
        arguments: TransportKind.allCases
    )
    func `a body that can't be read just now is waited for`(kind: TransportKind) async throws {
        await #expect(processExitsWith: .success) { [kind = kind as TransportKind] in
            let fixture = try UploadFixture()
            let uploader = try Uploader(
                directory: fixture.queue,
                transport: kind.make(),
                authorize: { question in
                    // The body was there a moment ago.
                    if question.attempt == 1 { try #require(seteuid(65_534) == 0) }
                    return []
                }
            )
            let request = UploadRequest(
                url: try fixture.server.url("/sink"),
                retryPolicy: .quick(100_000)
            )
            let body = try TestBody(in: fixture.directory, count: 1000)
            let id = uploader.makeID()
            let events = uploader.events(of: id)
            try await uploader.enqueue(
                fileAt: body.body.path,
                contentType: "a/b",
                contentLength: 1000,
                to: request,
                as: id
            )
            var reasons: [String] = []
            for await event in events {
                guard case .waiting(_, _, let reason) = event else { continue }
                reasons.append(reason)
                if reasons.count == 3 { break }
            }
            try #require(seteuid(0) == 0)
            try #require(reasons.allSatisfy { $0.contains("Permission denied") })
            try #require(await uploader.finalOutcome(of: id)?.isDelivered == true)
        }
    }
}
