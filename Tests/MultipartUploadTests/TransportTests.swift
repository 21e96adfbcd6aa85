import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// What every transport must do, over a real connection.
@Suite(.serialized) struct TransportTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case curl

        var testDescription: String { rawValue }

        func make() -> any UploadTransport {
            switch self {
            case .curl: CurlTransport()
            }
        }
    }

    private let server: TestServer
    private let directory: TemporaryDirectory

    init() throws {
        server = try TestServer.shared.get()
        directory = try TemporaryDirectory()
    }

    private func perform(
        _ kind: Kind,
        _ url: URL,
        _ body: SpooledBody?,
        method: String = "POST",
        headers: [UploadHeader] = [],
        offset: Int64 = 0,
        deadline: Duration? = nil,
        stallTimeout: Duration = .seconds(20),
        report: @escaping @Sendable (AttemptReport) -> Void = { _ in }
    ) async -> AttemptResult {
        let attempt = UploadAttempt(
            upload: .random(),
            url: url,
            method: method,
            headers: headers + [UploadHeader("Content-Type", body?.contentType ?? "text/plain")],
            body: body.map {
                UploadAttempt.Body(
                    path: $0.path,
                    fileSize: $0.contentLength,
                    offset: offset,
                    length: $0.contentLength - offset
                )
            },
            deadline: deadline,
            stallTimeout: stallTimeout
        )
        return await kind.make().perform(attempt, report: report)
    }

    // A12 (#5532, sizes that once stalled), B1 (Alamofire#740: small bodies are files too),
    // B15 (AFNetworking#2500: never chunked), B16 (AFNetworking#3622: the length is the file's).
    @Test(
        arguments: Kind.allCases,
        [0, 1, 10, 62_000, 64_512, 65_280, 65_535, 65_536, 200_000, 5_000_000]
    )
    func `sends every byte with its length`(kind: Kind, count: Int) async throws {
        let body = try TestBody(in: directory, count: count)
        let name = uniqueText()
        let sent = Collected<Int64>()
        let result = await perform(kind, try server.url("/sink?\(name)"), body.body) { report in
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

    @Test(arguments: Kind.allCases, ["PUT", "PATCH", "POST", "REPORT"])
    func `keeps the method and the headers`(kind: Kind, method: String) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let name = uniqueText()
        let headers = [UploadHeader("X-One", "ä; \"q\""), UploadHeader("X-None", "")]
        let url = try server.url("/sink?\(name)")
        let result = await perform(kind, url, body.body, method: method, headers: headers)
        #expect(result.response?.status == 200)
        let entry = try #require(try await server.entries(name, count: 1).first)
        #expect(entry.method == method)
        #expect(entry.received == 1000)
        #expect(entry.headers["x-none"] == "")
        #expect(entry.headers["x-one"]?.hasSuffix("; \"q\"") == true)
        #expect(entry.headers["cookie"] == nil && entry.headers["authorization"] == nil)
    }

    @Test(arguments: Kind.allCases)
    func `starts at any offset`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 300_000)
        let name = uniqueText()
        let url = try server.url("/sink?\(name)")
        let result = await perform(kind, url, body.body, offset: 123_457)
        #expect(result.response?.status == 200)
        let entry = try #require(try await server.entries(name, count: 1).first)
        #expect(entry.received == 300_000 - 123_457)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: body.body.path))
        let tail = directory.path + "/tail"
        try bytes[123_457...].write(to: URL(fileURLWithPath: tail))
        let digest = String(decoding: try run("sha256sum", [tail]).prefix(64), as: UTF8.self)
        #expect(entry.sha256 == digest)
    }

    @Test(arguments: Kind.allCases, ["HEAD", "DELETE"])
    func `sends requests without a body`(kind: Kind, method: String) async throws {
        let name = uniqueText()
        let url = try server.url("/sink?\(name)")
        let result = await perform(kind, url, nil, method: method)
        #expect(result.error == nil)
        #expect(result.response?.status == 200)
        #expect(try await server.entries(name, count: 1).first?.method == method)
    }

    // What a broken connection looks like: A1, A2 (#5285), A17.
    @Test(
        arguments: Kind.allCases,
        [
            ("/reset?after=3000000", TransportError.Kind.connectionLost),
            ("/fin?after=3000000", .connectionLost), ("/fin?", .noResponse),
            ("/reset?", .connectionLost),
            ("/cuthead?", .noResponse), ("/cutline?", .noResponse), ("/cutblank?", .noResponse),
            ("/garbage?", .garbledResponse), ("/onlyinterim?", .noResponse),
        ]
    )
    func `says what broke`(
        kind: Kind,
        fault: (path: String, error: TransportError.Kind)
    ) async throws {
        let body = try TestBody(in: directory, count: 8_000_000)
        let result = await perform(kind, try server.url(fault.path), body.body)
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

    @Test(arguments: Kind.allCases)
    func `keeps the status when the rest of the answer is cut`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let result = await perform(kind, try server.url("/cutbody"), body.body)
        #expect(result.response?.status == 200)
        #expect(result.response?.isBodyCut == true)
        #expect(result.error != nil)
    }

    // An answer that comes before the body is read.
    @Test(arguments: Kind.allCases, ["linger", "stall"])
    func `takes an early answer`(kind: Kind, how: String) async throws {
        let body = try TestBody(in: directory, count: 20_000_000)
        let start = ContinuousClock.now
        let url = try server.url("/early?how=\(how)")
        let result = await perform(kind, url, body.body)
        #expect(result.response?.status == 413)
        #expect(result.response.map { String(decoding: $0.body, as: UTF8.self) } == "too large")
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test(arguments: Kind.allCases)
    func `an early answer and a reset give one of the two`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 20_000_000)
        let url = try server.url("/early?how=reset&wait=0.02")
        let result = await perform(kind, url, body.body)
        #expect(result.response?.status == 413 || result.error?.isTransient == true)
    }

    @Test(arguments: Kind.allCases)
    func `sees interim responses`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let interims = Collected<UploadResponse>()
        let headers = [
            UploadHeader("Upload-Complete", "?1"),
            UploadHeader("Upload-Draft-Interop-Version", "8"),
        ]
        let url = try server.url("/resumable")
        let result = await perform(kind, url, body.body, headers: headers) { report in
            if case .interim(let response) = report { interims.append(response) }
        }
        #expect(result.response?.status == 200)
        #expect(interims.all.map(\.status) == [104])
        #expect(interims.all.first?.header("location")?.contains("/uploads/") == true)
    }

    // A5, A4 (#5456), B: nothing is decided by the stack.
    @Test(
        arguments: Kind.allCases,
        [
            "/redirect?code=307&to=/sink", "/redirect?code=308&to=/sink",
            "/redirect?code=302&to=/sink", "/redirect?code=303&to=/sink",
            "/status?code=401&authenticate=Basic%20realm=x",
            "/status?code=401&authenticate=Digest%20realm=x,nonce=y",
            "/status?code=407&authenticate=x", "/status?code=500", "/status?code=413",
            "/status?code=204", "/status?code=304",
        ]
    )
    func `hands every answer over as it is`(kind: Kind, path: String) async throws {
        let body = try TestBody(in: directory, count: 100_000)
        let name = uniqueText()
        let start = ContinuousClock.now
        let result = await perform(kind, try server.url(path + "&" + name), body.body)
        #expect(result.error == nil)
        let status = try #require(result.response?.status)
        #expect(path.contains("code=\(status)"))
        #expect(ContinuousClock.now - start < .seconds(5))
        let entries = try await server.entries(name, count: 1)
        #expect(entries.count == 1 && entries.first?.sha256 == body.sha256)
    }

    // D8 (background_downloader#380), C11: own limits, because the stack's don't hold.
    @Test(arguments: Kind.allCases, ["/stall?after=1000000", "/stall?", "/sink?delay=9"])
    func `gives up when nothing moves`(kind: Kind, path: String) async throws {
        let body = try TestBody(in: directory, count: 30_000_000)
        let start = ContinuousClock.now
        let url = try server.url(path)
        let result = await perform(kind, url, body.body, stallTimeout: .seconds(1))
        #expect(result.error?.kind == .stalled)
        #expect(ContinuousClock.now - start < .seconds(6))
    }

    @Test(arguments: Kind.allCases)
    func `keeps its deadline although bytes move`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 30_000_000)
        let start = ContinuousClock.now
        let url = try server.url("/sink?rate=5000000")
        let result = await perform(kind, url, body.body, deadline: .seconds(1))
        #expect(result.error?.kind == .deadlineExceeded)
        #expect(ContinuousClock.now - start < .seconds(4))
    }

    @Test(arguments: Kind.allCases)
    func `ends soon when it is cancelled`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 30_000_000)
        let url = try server.url("/sink?rate=3000000")
        let task = Task { await perform(kind, url, body.body) }
        try await Task.sleep(for: .milliseconds(300))
        let start = ContinuousClock.now
        task.cancel()
        let result = await task.value
        #expect(result.error?.kind == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(1))
    }

    @Test(arguments: Kind.allCases)
    func `is cancelled before it began`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let url = try server.url("/noresponse")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await perform(kind, url, body.body)
        }
        task.cancel()
        #expect(await task.value.error?.kind == .cancelled)
    }

    @Test(arguments: Kind.allCases)
    func `says when there is nobody`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 1000)
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let result = await perform(kind, url, body.body)
        #expect(result.error?.kind == .cannotConnect)
        #expect(!result.touchedServer)
        let nowhere = try #require(URL(string: "http://nowhere.invalid/"))
        let unresolved = await perform(kind, nowhere, body.body)
        #expect(unresolved.error?.kind == .cannotResolve)
        #expect(!unresolved.touchedServer)
    }

    // A15 and D16 (rdar 15689128): a missing body was sent as an empty one, with success.
    @Test(arguments: Kind.allCases)
    func `never sends anything but the body`(kind: Kind) async throws {
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
            let result = await perform(kind, url, body)
            #expect(result.error?.kind == .bodyUnreadable)
            #expect(!result.touchedServer)
        }
        #expect(server.entries(name).isEmpty)
    }

    // A17: a body that shrinks while it is sent ended in a time-out.
    @Test(arguments: Kind.allCases)
    func `notices a body that shrinks`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 30_000_000)
        let url = try server.url("/sink?rate=3000000")
        let task = Task { await perform(kind, url, body.body) }
        try await Task.sleep(for: .milliseconds(300))
        let file = try #require(FileHandle(forUpdatingAtPath: body.body.path))
        try file.truncate(atOffset: 20_000_000)
        let result = await task.value
        #expect(result.response == nil)
        #expect(result.error?.kind == .bodyUnreadable)
    }

    @Test(arguments: Kind.allCases)
    func `sends no byte past the length of a body that grows`(kind: Kind) async throws {
        let body = try TestBody(in: directory, count: 6_000_000)
        let name = uniqueText()
        let url = try server.url("/sink?rate=6000000&\(name)")
        let task = Task { await perform(kind, url, body.body) }
        try await Task.sleep(for: .milliseconds(200))
        let file = try #require(FileHandle(forUpdatingAtPath: body.body.path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(count: 1_000_000))
        #expect(await task.value.response?.status == 200)
        #expect(try await server.entries(name, count: 1).first?.sha256 == body.sha256)
    }

    // A7: on a connection that the server had closed, half the body was sent again.
    @Test(arguments: Kind.allCases, [10_240, 1_048_576])
    func `never sends half a body on a new connection`(kind: Kind, count: Int) async throws {
        let body = try TestBody(in: directory, count: count)
        let name = uniqueText()
        let url = try server.url("/stale?\(name)")
        let transport = kind.make()
        for _ in 0..<2 {
            let attempt = UploadAttempt(
                upload: .random(),
                url: url,
                method: "PUT",
                body: .init(
                    path: body.body.path,
                    fileSize: Int64(count),
                    offset: 0,
                    length: Int64(count)
                )
            )
            let result = await transport.perform(attempt) { _ in }
            // libcurl goes to a new connection by itself only if it notices before it sends much.
            #expect(result.response?.status == 200 || result.error?.isTransient == true)
        }
        let entries = try await server.entries(name, count: 2)
        let answered = entries.filter { $0.status == 200 }
        #expect(!answered.isEmpty && answered.allSatisfy { $0.sha256 == body.sha256 })
    }

    @Test(arguments: Kind.allCases)
    func `keeps only so much of a long answer`(kind: Kind) async throws {
        guard kind == .curl else { return }
        let transport = CurlTransport(configuration: .init(responseLimit: 10))
        let body = try TestBody(in: directory, count: 10)
        let attempt = UploadAttempt(
            upload: .random(),
            url: try server.url("/sink"),
            method: "POST",
            body: .init(path: body.body.path, fileSize: 10, offset: 0, length: 10)
        )
        let result = await transport.perform(attempt) { _ in }
        #expect(result.error == nil)
        #expect(result.response?.body.count == 10)
        #expect(result.response?.isBodyCut == true)
    }
}
