import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// What is on the disk, and what may not be.
@Suite(.serialized) struct UploadStoreTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func uploader(configuration: Uploader.Configuration = .init()) throws -> Uploader {
        try Uploader(
            directory: queue,
            transport: CurlTransport(),
            configuration: configuration,
            authorize: { _ in
                [UploadHeader("Authorization", "Bearer s3cret"), UploadHeader("Cookie", "s3cret")]
            }
        )
    }

    /// An upload that waits for a server that isn't there.
    private func enqueueWaiting(_ uploader: Uploader, count: Int = 1000) async throws -> UploadID {
        let request = UploadRequest(
            url: try #require(URL(string: "http://127.0.0.1:1/")),
            retryPolicy: RetryPolicy(baseDelay: .seconds(100), maximumDelay: .seconds(100))
        )
        return try await uploader.enqueue(TestBody(in: directory, count: count).body, to: request)
    }

    private func permissions(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: queue + "/" + name)
        return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
    }

    @Test func `is closed to other users`() async throws {
        let uploader = try uploader()
        let id = try await enqueueWaiting(uploader)
        #expect(try permissions("") == 0o700)
        #expect(try permissions(id.text) == 0o700)
        #expect(try permissions(id.text + "/body") == 0o400)
        #expect(try permissions(id.text + "/record.json") == 0o600)
        #expect(
            directory.files(below: "queue")
                == [".lock", "\(id)/body", "\(id)/record.json"].sorted()
        )
    }

    // C3 (TUSKit#211, #216): an old token came back from the disk.
    @Test func `has no secret in it`() async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 4_000_000)
        let slow = UploadRequest(
            url: try server.url("/bearer?token=s3cret&rate=1"),
            isResumable: true,
            retryPolicy: .quick(1)
        )
        _ = try await enqueueWaiting(uploader)
        let cookie = UploadRequest(
            url: try server.url("/status?code=400&cookie=session%3Ds3cret"),
            retryPolicy: .quick(1)
        )
        let answered = try await uploader.enqueue(body.body, to: cookie, keepsOriginal: true)
        var files = 0
        let running = try await uploader.enqueue(body.body, to: slow)
        let outcome = await uploader.finalOutcome(of: answered)
        #expect(
            outcome?.response?.header("set-cookie") == "session=s3cret",
            "its reader may see it"
        )
        for _ in 0..<20 {
            for file in directory.files(below: "queue") where !file.hasSuffix("/body") {
                files += 1
                let bytes = FileManager.default.contents(atPath: queue + "/" + file) ?? Data()
                // The request's own address holds the word on purpose of the test server.
                let text = String(decoding: bytes, as: UTF8.self)
                    .replacingOccurrences(of: "token=s3cret", with: "")
                    .replacingOccurrences(of: "cookie=session%3Ds3cret", with: "")
                #expect(!text.contains("s3cret"), "\(file): \(text)")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        _ = await uploader.finalOutcome(of: running)
        #expect(files > 20)
        #expect(uploader.outcome(of: answered)?.response?.header("server") == "tests")
        #expect(uploader.outcome(of: answered)?.response?.header("set-cookie") == nil)
    }

    @Test(arguments: ["Authorization", "cookie", "PROXY-Authorization"])
    func `takes no header that holds a secret`(name: String) async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 10).body
        let request = UploadRequest(
            url: try server.url("/sink"),
            headers: [UploadHeader(name, "x")]
        )
        await #expect(throws: UploadError.secretHeader(name)) {
            try await uploader.enqueue(body, to: request)
        }
        #expect(directory.files(below: "queue") == [".lock"])
        #expect(FileManager.default.fileExists(atPath: body.path), "nothing happened to the body")
    }

    // B16: a length of one's own is how bodies are cut.
    @Test(arguments: [
        (UploadHeader("Content-Length", "5"), UploadError.reservedHeader("Content-Length")),
        (UploadHeader("content-type", "a/b"), .reservedHeader("content-type")),
        (UploadHeader("Transfer-Encoding", "x"), .reservedHeader("Transfer-Encoding")),
        (UploadHeader("Upload-Offset", "0"), .reservedHeader("Upload-Offset")),
        (UploadHeader("X", "a\r\nEvil: 1"), .malformedHeader("X")),
        (UploadHeader("X\u{0}", "a"), .malformedHeader("X\u{0}")),
        (UploadHeader("X:", "a"), .malformedHeader("X:")),
    ])
    func `takes no header that is the upload's own`(
        header: UploadHeader,
        error: UploadError
    )
        async throws
    {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 10).body
        let request = UploadRequest(url: try server.url("/sink"), headers: [header])
        await #expect(throws: error) { try await uploader.enqueue(body, to: request) }
    }

    @Test(arguments: [
        "ftp://127.0.0.1/", "file:///etc/passwd", "http:///x", "https://u:p@127.0.0.1/",
        "http://u@127.0.0.1/", "/relative",
    ])
    func `takes no other address`(text: String) async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 10).body
        let request = UploadRequest(url: try #require(URL(string: text)))
        await #expect(throws: UploadError.self) { try await uploader.enqueue(body, to: request) }
    }

    @Test(arguments: ["GET", "HEAD", "", "PO ST", "POST\r\n"])
    func `takes no method without a body`(method: String) async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 10).body
        let request = UploadRequest(url: try server.url("/sink"), method: method)
        await #expect(throws: UploadError.unsupportedMethod(method)) {
            try await uploader.enqueue(body, to: request)
        }
    }

    // It was sent, and arrived, as nothing.
    @Test(arguments: [true, false])
    func `takes no file as empty that isn't`(keepsOriginal: Bool) async throws {
        let uploader = try uploader()
        let request = UploadRequest(url: try server.url("/sink"))
        await #expect(throws: UploadError.bodyHasNoSize("/proc/cpuinfo")) {
            try await uploader.enqueue(
                fileAt: "/proc/cpuinfo",
                contentType: "a/b",
                contentLength: 0,
                to: request,
                keepsOriginal: keepsOriginal
            )
        }
        #expect(directory.files(below: "queue") == [".lock"])
        let empty = try TestBody(in: directory, count: 0).body
        let id = try await uploader.enqueue(empty, to: request, keepsOriginal: keepsOriginal)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
    }

    private static let fileOfSysfs = "/sys/kernel/mm/transparent_hugepage/enabled"

    // It has a page, as far as the system tells.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: fileOfSysfs)))
    func `says that a file has less than it should`() async throws {
        let uploader = try uploader()
        let path = Self.fileOfSysfs
        let count = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let error = UploadError.bodyChanged(path: path, expected: 4096, found: Int64(count))
        let request = UploadRequest(url: try server.url("/sink"))
        await #expect(throws: error) {
            try await uploader.enqueue(
                fileAt: path,
                contentType: "a/b",
                contentLength: 4096,
                to: request,
                keepsOriginal: true
            )
        }
        #expect(directory.files(below: "queue") == [".lock"])
    }

    @Test func `has one owner at a time`() async throws {
        let first = try uploader()
        #expect(throws: UploadError.queueIsInUse(queue)) { try uploader() }
        await first.close()
        _ = try uploader()
    }

    @Test func `can be read while somebody works on it`() async throws {
        let uploader = try uploader()
        let id = try await enqueueWaiting(uploader)
        let items = try Uploader.items(in: queue)
        #expect(items.map(\.id) == [id])
        #expect(items.first?.contentLength == 1000)
    }

    @Test func `is no link`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: queue,
            withDestinationPath: directory.path
        )
        #expect(throws: UploadError.self) { try uploader() }
    }

    @Test(arguments: [0o755, 0o770, 0o701])
    func `isn't open to others once something is in it`(mode: Int) async throws {
        let first = try uploader()
        _ = try await enqueueWaiting(first)
        await first.close()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: queue)
        #expect(throws: UploadError.self) { try uploader() }
    }

    @Test(arguments: [0o777, 0o1777, 0o720, 0o702])
    func `isn't one that others can write to, even while it is empty`(mode: Int) throws {
        try FileManager.default.createDirectory(
            atPath: queue,
            withIntermediateDirectories: false
        )
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: queue)
        for use in [{ _ = try uploader() }, { _ = try Uploader.items(in: queue + "/") }] {
            let error = try #require(#expect(throws: UploadError.self) { try use() })
            guard case .queueIsUnsafe(queue, let reason) = error else {
                Issue.record("\(error)")
                continue
            }
            #expect(reason.contains("write") && reason.contains("chmod 700"))
        }
        #expect(try permissions("") == mode && directory.files(below: "queue").isEmpty)
    }

    @Test func `isn't listed while others can see into it`() async throws {
        let uploader = try uploader()
        _ = try await enqueueWaiting(uploader)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: queue)
        #expect(throws: UploadError.self) { try Uploader.items(in: queue) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: queue)
        #expect(try Uploader.items(in: queue).count == 1)
    }

    @Test func `closes an empty directory to others`() throws {
        try FileManager.default.createDirectory(
            atPath: queue,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        _ = try uploader()
        #expect(try permissions("") == 0o700)
    }

    @Test(.enabled(if: NSUserName() == "root", "only root can give a directory away"))
    func `has no foreign owner`() async throws {
        let first = try uploader()
        _ = try await enqueueWaiting(first)
        await first.close()
        try FileManager.default.setAttributes([.ownerAccountID: 12_345], ofItemAtPath: queue)
        #expect(throws: UploadError.self) { try uploader() }
        try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: queue)
        _ = try uploader()
    }

    @Test func `removes what a dead process left half done`() async throws {
        let first = try uploader()
        let id = try await enqueueWaiting(first)
        await first.close()
        let staging = queue + "/.new-" + UploadID.random().text
        try FileManager.default.createDirectory(
            atPath: staging,
            withIntermediateDirectories: false
        )
        try Data(count: 100).write(to: URL(fileURLWithPath: staging + "/body"))
        let temporary = queue + "/\(id)/outcome.json.tmp"
        try Data(count: 10).write(to: URL(fileURLWithPath: temporary))
        let second = try uploader()
        #expect(
            directory.files(below: "queue")
                == [".lock", "\(id)/body", "\(id)/record.json"].sorted()
        )
        #expect(try second.items().map(\.id) == [id])
    }

    @Test func `finishes an end that was interrupted`() async throws {
        let first = try uploader()
        let id = try await enqueueWaiting(first)
        let body = try Data(contentsOf: URL(fileURLWithPath: queue + "/\(id)/body"))
        let record = try Data(contentsOf: URL(fileURLWithPath: queue + "/\(id)/record.json"))
        try await first.cancel(id)
        await first.close()
        try body.write(to: URL(fileURLWithPath: queue + "/\(id)/body"))
        try record.write(to: URL(fileURLWithPath: queue + "/\(id)/record.json"))
        let second = try uploader()
        #expect(await second.resume().isEmpty)
        #expect(second.outcome(of: id) == .cancelled)
        #expect(directory.files(below: "queue") == [".lock", "\(id)/outcome.json"].sorted())
    }

    // A15, D16 (rdar 15689128).
    @Test(arguments: [nil, 999, 1001])
    func `says when the body is gone or another`(count: Int?) async throws {
        let first = try uploader()
        let id = try await enqueueWaiting(first)
        await first.close()
        try FileManager.default.removeItem(atPath: queue + "/\(id)/body")
        if let count {
            try Data(count: count).write(to: URL(fileURLWithPath: queue + "/\(id)/body"))
        }
        let second = try uploader()
        await second.resume()
        // It waits for its next attempt: nothing is checked before that.
        try? await second.pause(id)
        try? await second.resume(id)
        guard case .failed(let failure) = await second.finalOutcome(of: id) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.reason == .bodyUnusable)
    }

    @Test func `keeps to its quota`() async throws {
        let uploader = try uploader(configuration: .init(quota: 2500))
        _ = try await enqueueWaiting(uploader)
        let second = try await enqueueWaiting(uploader)
        await #expect(throws: UploadError.quotaExceeded(needed: 3000, quota: 2500)) {
            try await enqueueWaiting(uploader)
        }
        #expect(try uploader.items().count == 2)
        try await uploader.cancel(second)
        _ = try await enqueueWaiting(uploader)
    }

    @Test func `leaves room for others`() async throws {
        let uploader = try uploader(configuration: .init(reserve: .max))
        let body = try TestBody(in: directory, count: 1000).body
        let request = UploadRequest(url: try server.url("/sink"))
        let error = await #expect(throws: UploadError.self) {
            try await uploader.enqueue(body, to: request, keepsOriginal: true)
        }
        #expect(error == .insufficientSpace(needed: 1000, available: 0))
        #expect(directory.files(below: "queue") == [".lock"])
    }

    @Test func `takes a body from another file system`() async throws {
        guard FileManager.default.isWritableFile(atPath: "/dev/shm") else { return }
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 3_000_000)
        let elsewhere = "/dev/shm/upload-tests-\(uniqueText())"
        try FileManager.default.copyItem(atPath: body.body.path, toPath: elsewhere)
        let id = try await uploader.enqueue(
            fileAt: elsewhere,
            contentType: "multipart/form-data; boundary=tests",
            contentLength: 3_000_000,
            to: UploadRequest(url: try server.url("/sink"))
        )
        #expect(!FileManager.default.fileExists(atPath: elsewhere))
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(try await server.entries(id.text, count: 1).first?.sha256 == body.sha256)
    }

    @Test(arguments: ["missing", "folder", "link", "wrong size"])
    func `takes nothing that isn't a finished body`(kind: String) async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 1000).body
        let manager = FileManager.default
        if kind != "wrong size" {
            try manager.moveItem(atPath: body.path, toPath: queue + "-moved")
        }
        if kind == "folder" {
            try manager.createDirectory(atPath: body.path, withIntermediateDirectories: false)
        }
        if kind == "link" {
            try manager.createSymbolicLink(
                atPath: body.path,
                withDestinationPath: queue + "-moved"
            )
        }
        let length: Int64 = kind == "wrong size" ? 1001 : 1000
        await #expect(throws: UploadError.self) {
            try await uploader.enqueue(
                fileAt: body.path,
                contentType: "a/b",
                contentLength: length,
                to: UploadRequest(url: try server.url("/sink"))
            )
        }
        #expect(directory.files(below: "queue") == [".lock"])
    }
}
