import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// Servers that others wrote: PHP, which parses the form, and nginx in front of it.
@Suite(.serialized) struct RealServerTests {
    private static let isInstalled =
        (try? which("nginx")) != nil && (try? which("php")) != nil

    private let directory: TemporaryDirectory
    private let servers: RealServers
    private let slow: TestServer

    init() throws {
        directory = try TemporaryDirectory()
        slow = try TestServer.shared.get()
        servers = try RealServers.shared.get()
    }

    private func uploader() throws -> Uploader {
        try Uploader(directory: directory.path + "/queue", transport: CurlTransport())
    }

    private func request(_ path: String, attempts: Int = 1) throws -> UploadRequest {
        UploadRequest(
            url: try #require(URL(string: "http://127.0.0.1:\(servers.port)\(path)")),
            retryPolicy: .quick(attempts)
        )
    }

    private struct Form: Decodable {
        struct File: Decodable {
            let filename: String
            let size: Int64
            let sha256: String?
        }

        let fields: [String: String]
        let files: [String: File]
    }

    private func form(_ count: Int) throws -> (FormData, TestBody) {
        let file = try TestBody(in: directory, count: count)
        var form = FormData()
        form.append(.text("Gr\u{FC}\u{DF}e", named: "greeting"))
        form.append(.file(at: file.body.path, named: "big"))
        form.append(.text("", named: "empty"))
        return (form, file)
    }

    private func expect(_ outcome: UploadOutcome?, _ file: TestBody) throws {
        let response = try #require(outcome?.response)
        #expect(outcome?.isDelivered == true, "\(response)")
        let parsed = try JSONDecoder().decode(Form.self, from: response.body)
        #expect(parsed.fields == ["greeting": "Gr\u{FC}\u{DF}e", "empty": ""])
        #expect(parsed.files.count == 1)
        #expect(parsed.files["big"]?.size == file.body.contentLength)
        #expect(parsed.files["big"]?.sha256 == file.sha256)
    }

    @Test(
        .enabled(if: isInstalled, "nginx and php-cli aren't installed"),
        arguments: [0, 1000, 30_000_000]
    )
    func `PHP behind nginx finds every part`(count: Int) async throws {
        let uploader = try uploader()
        let (form, file) = try form(count)
        let id = uploader.makeID()
        let events = uploader.events(of: id)
        try await uploader.enqueue(form, to: try request("/php/receive.php"), as: id)
        var wasPreparing = false
        for await event in events {
            if case .preparing = event { wasPreparing = true }
        }
        #expect(wasPreparing || count < 1_000_000, "spooling is seen")
        try expect(uploader.outcome(of: id), file)
    }

    @Test(.enabled(if: isInstalled, "nginx and php-cli aren't installed"))
    func `a real proxy's redirect keeps the body`() async throws {
        let uploader = try uploader()
        let (form, file) = try form(2_000_000)
        let id = try await uploader.enqueue(form, to: try request("/moved/"))
        try expect(await uploader.finalOutcome(of: id), file)
    }

    @Test(.enabled(if: isInstalled, "nginx and php-cli aren't installed"))
    func `a real proxy's early 413 is the answer`() async throws {
        let uploader = try uploader()
        for _ in 0..<10 {
            let (form, _) = try form(8_000_000)
            let id = try await uploader.enqueue(
                form,
                to: try request("/small/receive.php", attempts: 4)
            )
            #expect(await uploader.finalOutcome(of: id)?.response?.status == 413)
        }
    }

    @Test(.enabled(if: isInstalled, "nginx and php-cli aren't installed"))
    func `a real proxy's 502 and 504 are tried again`() async throws {
        let uploader = try uploader()
        let (form, _) = try form(1_000_000)
        let nobody = try await uploader.enqueue(form, to: try request("/nobody/", attempts: 2))
        let answer = await uploader.finalOutcome(of: nobody)
        #expect(answer?.response?.status == 502)
        let slow = try await uploader.enqueue(form, to: try request("/late/sink?delay=20"))
        let late = await uploader.finalOutcome(of: slow)
        #expect(late?.response?.status == 504)
    }

    @Test(.enabled(if: isInstalled, "nginx and php-cli aren't installed"))
    func `a slow upstream behind a proxy gets it all`() async throws {
        let uploader = try uploader()
        let body = try TestBody(in: directory, count: 20_000_000)
        let id = try await uploader.enqueue(
            body.body,
            to: try request("/slow/sink?rate=20000000")
        )
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        #expect(try await slow.entries(id.text, count: 1).first?.sha256 == body.sha256)
    }
}
