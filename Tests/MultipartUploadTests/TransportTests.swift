import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// What every transport must do, over a real connection.
@Suite(.serialized) struct TransportTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    // A12 (#5532, sizes that once stalled), B1 (Alamofire#740: small bodies are files too),
    // B15 (AFNetworking#2500: never chunked), B16 (AFNetworking#3622: the length is the file's).
    @Test(
        arguments: TransportKind.allCases,
        [0, 1, 10, 62_000, 64_512, 65_280, 65_535, 65_536, 200_000, 5_000_000]
    )
    func `sends every byte with its length`(kind: TransportKind, count: Int) async throws {
        let body = try TestBody(in: directory, count: count)
        let name = uniqueText()
        let sent = Collected<Int64>()
        let result = await kind.make().perform(to: try server.url("/sink?\(name)"), body.body) {
            report in
            if case .sent(let count) = report { sent.append(count) }
        }
        #expect(result.error == nil)
        #expect(result.response?.status == 200)
        #expect(result.response?.header("content-type") == "application/json")
        let entry = try #require(try await server.entries(name, count: 1).first)
        #expect(entry.sha256 == body.sha256)
        #expect(entry.method == "POST")
        #expect(entry.headers["content-length"] == String(count))
        #expect(entry.headers["transfer-encoding"] == nil)
        #expect(entry.headers["expect"] == nil)
        #expect(entry.headers["content-type"] == body.body.contentType)
        #expect(sent.all == sent.all.sorted())
        #expect(sent.all.last ?? 0 == Int64(count))
    }

    @Test(arguments: TransportKind.allCases, ["PUT", "PATCH", "POST", "REPORT"])
    func `keeps the method and the headers`(kind: TransportKind, method: String) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let name = uniqueText()
        let headers = [UploadHeader("X-One", "ä; \"q\""), UploadHeader("X-None", "")]
        let url = try server.url("/sink?\(name)")
        let result = await kind.make().perform(to: url, body.body, method: method, headers: headers)
        #expect(result.response?.status == 200)
        let entry = try #require(try await server.entries(name, count: 1).first)
        #expect(entry.method == method)
        #expect(entry.received == 1000)
        #expect(entry.headers["x-none"] == "")
        #expect(entry.headers["x-one"]?.hasSuffix("; \"q\"") == true)
        #expect(entry.headers["cookie"] == nil && entry.headers["authorization"] == nil)
    }

    @Test(arguments: TransportKind.allCases, [1, 100_000, 300_000 - 123_457])
    func `sends any part of a file`(kind: TransportKind, length: Int) async throws {
        let body = try TestBody(in: directory, count: 300_000)
        let name = uniqueText()
        let url = try server.url("/sink?\(name)")
        let result = await kind.make().perform(
            to: url,
            body.body,
            offset: 123_457,
            length: Int64(length)
        )
        #expect(result.response?.status == 200)
        let entry = try #require(try await server.entries(name, count: 1).first)
        #expect(entry.received == Int64(length))
        #expect(entry.headers["content-length"] == String(length))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: body.body.path))
        let tail = directory.path + "/tail"
        try bytes[123_457..<123_457 + length].write(to: URL(fileURLWithPath: tail))
        let digest = String(decoding: try run("sha256sum", [tail]).prefix(64), as: UTF8.self)
        #expect(entry.sha256 == digest)
    }

    @Test(arguments: TransportKind.allCases, ["HEAD", "DELETE"])
    func `sends requests without a body`(kind: TransportKind, method: String) async throws {
        let name = uniqueText()
        let url = try server.url("/sink?\(name)")
        let result = await kind.make().perform(to: url, nil, method: method)
        #expect(result.error == nil)
        #expect(result.response?.status == 200)
        #expect(try await server.entries(name, count: 1).first?.method == method)
    }

    /// What a server did, and what it looks like.
    private static let faults: [(path: String, error: TransportError.Kind)] = [
        ("/reset?after=3000000", .connectionLost), ("/fin?after=3000000", .connectionLost),
        ("/fin?", .noResponse), ("/reset?", .connectionLost), ("/garbage?", .garbledResponse),
        ("/onlyinterim?", .noResponse),
    ]

    // What a broken connection looks like: A1.
    @Test(arguments: TransportKind.allCases, faults)
    func `says what broke`(
        kind: TransportKind,
        fault: (path: String, error: TransportError.Kind)
    ) async throws {
        let body = try TestBody(in: directory, count: 8_000_000)
        let result = await kind.make().perform(to: try server.url(fault.path), body.body)
        #expect(result.response == nil)
        let found = try #require(result.error)
        // A reset may be seen as an end without a response: both mean that nothing is known.
        let same: Set = [found.kind, fault.error]
        #expect(
            found.kind == fault.error || same == [.connectionLost, .noResponse]
                || same == [.noResponse, .garbledResponse],
            "\(found)"
        )
        #expect(found.isTransient)
        #expect(result.touchedServer)
    }

    // A2 (swift-corelibs-foundation #5285): FoundationNetworking before 6.4 ends the process.
    @Test(
        arguments: TransportKind.allCases,
        ["/cuthead", "/cutline", "/cutblank"]
    )
    func `takes an answer without the end of its headers for none`(
        kind: TransportKind,
        path: String
    ) async throws {
        let url = try server.url(path)
        await withKnownIssue("swift-corelibs-foundation #5285", isIntermittent: true) {
            await #expect(processExitsWith: .success) {
                [kind = kind as TransportKind, url = url as URL] in
                let directory = try TemporaryDirectory()
                let body = try TestBody(in: directory, count: 100_000)
                let result = await kind.make().perform(to: url, body.body)
                try #require(result.response == nil)
                try #require(result.error?.kind == .noResponse)
                try #require(result.touchedServer)
            }
        } when: {
            kind == .urlSession && !FoundationNetworkingDefects.cutHeadIsMended
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `keeps the status when the rest of the answer is cut`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let result = await kind.make().perform(to: try server.url("/cutbody"), body.body)
        #expect(result.response?.status == 200)
        #expect(result.response?.isBodyCut == true)
        #expect(result.error != nil)
    }

    // An answer that comes before the body is read.
    @Test(arguments: TransportKind.allCases, ["linger", "stall"])
    func `takes an early answer`(kind: TransportKind, how: String) async throws {
        let body = try TestBody(in: directory, count: 20_000_000)
        let url = try server.url("/early?how=\(how)")
        let start = ContinuousClock.now
        let result = await kind.make().perform(to: url, body.body)
        #expect(ContinuousClock.now - start < .seconds(15), "the server would wait longer")
        #expect(result.response?.status == 413)
        #expect(result.response.map { String(decoding: $0.body, as: UTF8.self) } == "too large")
    }

    @Test(arguments: TransportKind.allCases)
    func `an early answer and a reset give one of the two`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 20_000_000)
        let url = try server.url("/early?how=reset&wait=0.02")
        let result = await kind.make().perform(to: url, body.body)
        #expect(result.response?.status == 413 || result.error?.isTransient == true)
    }

    @Test(arguments: TransportKind.allCases)
    func `sees interim responses`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let interims = Collected<UploadResponse>()
        let headers = [
            UploadHeader("Upload-Complete", "?1"),
            UploadHeader("Upload-Draft-Interop-Version", "8"),
        ]
        let url = try server.url("/resumable")
        let result = await kind.make().perform(to: url, body.body, headers: headers) { report in
            if case .interim(let response) = report { interims.append(response) }
        }
        #expect(result.response?.status == 200)
        #expect(interims.all.map(\.status) == [104])
        #expect(interims.all.first?.header("location")?.contains("/uploads/") == true)
    }

    // A5, A4 (#5456), B: nothing is decided by the stack.
    @Test(
        arguments: TransportKind.allCases,
        [
            "/redirect?code=307&to=/sink", "/redirect?code=308&to=/sink",
            "/redirect?code=302&to=/sink", "/redirect?code=303&to=/sink",
            "/status?code=401&authenticate=Basic%20realm=x",
            "/status?code=401&authenticate=Digest%20realm=x,nonce=y",
            "/status?code=407&authenticate=x", "/status?code=500", "/status?code=413",
            "/status?code=204", "/status?code=304",
        ]
    )
    func `hands every answer over as it is`(kind: TransportKind, path: String) async throws {
        let body = try TestBody(in: directory, count: 100_000)
        let name = uniqueText()
        let result = await kind.make().perform(to: try server.url(path + "&" + name), body.body)
        #expect(result.error == nil)
        let status = try #require(result.response?.status)
        #expect(path.contains("code=\(status)"))
        let entries = try await server.entries(name, count: 1)
        #expect(entries.count == 1 && entries.first?.sha256 == body.sha256)
    }

    // D8 (background_downloader#380), C11: own limits, because the stack's don't hold.
    // In the end the server closes the connection, or answers.
    @Test(arguments: TransportKind.allCases, ["/stall?after=1000000", "/stall?", "/sink?delay=20"])
    func `gives up when nothing moves`(kind: TransportKind, path: String) async throws {
        let body = try TestBody(in: directory, count: 30_000_000)
        let url = try server.url(path)
        let limit = Duration.milliseconds(200)
        let result = await kind.make().perform(to: url, body.body, stallTimeout: limit)
        #expect(result.error?.kind == .stalled)
    }

    @Test(arguments: TransportKind.allCases)
    func `keeps its deadline although bytes move`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 30_000_000)
        let url = try server.url("/sink?rate=3000000")
        let result = await kind.make().perform(to: url, body.body, deadline: .milliseconds(500))
        #expect(result.error?.kind == .deadlineExceeded)
    }

    @Test(arguments: TransportKind.allCases)
    func `ends soon when it is cancelled`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 30_000_000)
        let url = try server.url("/stall?after=1000000")
        let sent = Collected<Int64>()
        let task = Task {
            await kind.make().perform(to: url, body.body) { report in
                if case .sent(let count) = report { sent.append(count) }
            }
        }
        try await until { !sent.all.isEmpty }
        let start = ContinuousClock.now
        task.cancel()
        let result = await task.value
        #expect(result.error?.kind == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(10), "the server would wait longer")
    }

    // A1, A3 (#5412), A6 (#3292, #3296): a cancel at a bad moment ended the process, or waited for
    // ever; at the moment of a redirect it still would, if the redirect were answered after it.
    @Test(.timeLimit(.minutes(5)), arguments: TransportKind.allCases)
    func `is cancelled at any moment`(kind: TransportKind) async throws {
        let paths = [
            "/sink", "/redirect?to=/sink", "/status?code=401&authenticate=Basic%20realm=x",
        ]
        let urls = try paths.map { try server.url($0) }
        await #expect(processExitsWith: .success) {
            [kind = kind as TransportKind, urls = urls as [URL]] in
            let directory = try TemporaryDirectory()
            let body = try TestBody(in: directory, count: 100_000).body
            let transport = kind.make()
            for _ in 0..<LongTests.count(40, 400) {
                await withTaskGroup { group in
                    for index in 0..<8 {
                        let upload = Task {
                            await transport.perform(to: urls[index % urls.count], body)
                        }
                        group.addTask {
                            try? await Task.sleep(for: .microseconds(.random(in: 0...10_000)))
                            upload.cancel()
                            let result = await upload.value
                            #expect(result.response != nil || result.error != nil)
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `is cancelled before it began`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let url = try server.url("/noresponse")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await kind.make().perform(to: url, body.body)
        }
        task.cancel()
        #expect(await task.value.error?.kind == .cancelled)
    }

    @Test(arguments: TransportKind.allCases)
    func `says when there is nobody`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let result = await kind.make().perform(to: url, body.body)
        #expect(result.error?.kind == .cannotConnect)
        #expect(!result.touchedServer)
        let nowhere = try #require(URL(string: "http://nowhere.invalid/"))
        let unresolved = await kind.make().perform(to: nowhere, body.body)
        #expect(unresolved.error?.kind == .cannotResolve)
        #expect(!unresolved.touchedServer)
    }

    // A15 and D16 (rdar 15689128): a missing body was sent as an empty one, with success.
    @Test(arguments: TransportKind.allCases)
    func `never sends anything but the body`(kind: TransportKind) async throws {
        let name = uniqueText()
        let url = try server.url("/sink?\(name)")
        let missing = try TestBody(in: directory, count: 1000).body
        try FileManager.default.removeItem(atPath: missing.path)
        let link = try TestBody(in: directory, count: 1000).body
        let target = try TestBody(in: directory, count: 1000).body
        try FileManager.default.removeItem(atPath: link.path)
        try FileManager.default.createSymbolicLink(
            atPath: link.path,
            withDestinationPath: target.path
        )
        let folder = try TestBody(in: directory, count: 1000).body
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.createDirectory(
            atPath: folder.path,
            withIntermediateDirectories: false
        )
        let pipe = try TestBody(in: directory, count: 1000).body
        try FileManager.default.removeItem(atPath: pipe.path)
        try run("mkfifo", [pipe.path])
        let shorter = try TestBody(in: directory, count: 1000).body
        try Data(count: 999).write(to: URL(fileURLWithPath: shorter.path))
        let longer = try TestBody(in: directory, count: 1000).body
        try Data(count: 1001).write(to: URL(fileURLWithPath: longer.path))
        for body in [missing, link, folder, pipe, shorter, longer] {
            let result = await kind.make().perform(to: url, body)
            #expect(result.error?.kind == .bodyUnreadable)
            #expect(!result.touchedServer)
        }
        #expect(server.entries(name).isEmpty)
    }

    // A17: a body that shrinks while it is sent ended in a time-out.
    @Test(arguments: TransportKind.allCases)
    func `notices a body that shrinks`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 30_000_000)
        let url = try server.url("/sink?rate=5000000")
        let file = try #require(FileHandle(forUpdatingAtPath: body.body.path))
        let result = await kind.make().perform(to: url, body.body) { _ in
            try? file.truncate(atOffset: 10_000_000)
        }
        #expect(result.response == nil)
        #expect(result.error?.kind == .bodyUnreadable)
    }

    @Test(arguments: TransportKind.allCases)
    func `sends no byte past the length of a body that grows`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 20_000_000)
        let name = uniqueText()
        let url = try server.url("/sink?rate=30000000&\(name)")
        let file = try #require(FileHandle(forUpdatingAtPath: body.body.path))
        let result = await kind.make().perform(to: url, body.body) { _ in
            try? file.truncate(atOffset: 21_000_000)
        }
        #expect(result.response?.status == 200)
        #expect(try await server.entries(name, count: 1).first?.sha256 == body.sha256)
    }

    // A7: on a connection that the server had closed, half the body was sent again.
    @Test(arguments: TransportKind.allCases, [10_240, 1_048_576])
    func `never sends half a body on a new connection`(kind: TransportKind, count: Int) async throws
    {
        let body = try TestBody(in: directory, count: count)
        let name = uniqueText()
        let url = try server.url("/stale?\(name)")
        let transport = kind.make()
        for _ in 0..<2 {
            let result = await transport.perform(to: url, body.body, method: "PUT")
            // libcurl goes to a new connection by itself only if it notices before it sends much.
            #expect(result.response?.status == 200 || result.error?.isTransient == true)
        }
        let entries = try await server.entries(name, count: 2)
        let answered = entries.filter { $0.status == 200 }
        #expect(!answered.isEmpty && answered.allSatisfy { $0.sha256 == body.sha256 })
    }

    @Test(arguments: TransportKind.allCases)
    func `keeps only so much of a long answer`(kind: TransportKind) async throws {
        let body = try TestBody(in: directory, count: 10)
        let transport = kind.make(responseLimit: 10)
        let result = await transport.perform(to: try server.url("/sink"), body.body)
        #expect(result.error == nil)
        #expect(result.response?.body.count == 10)
        #expect(result.response?.isBodyCut == true)
    }
}
