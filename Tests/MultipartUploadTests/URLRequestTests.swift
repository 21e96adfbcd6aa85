import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// Uploads whose request is a `URLRequest`.
@Suite struct URLRequestTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func request() throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
        request.httpMethod = "PUT"
        request.setValue("1", forHTTPHeaderField: "X-One")
        request.timeoutInterval = 7
        return request
    }

    @Test func `gives the address, the method, the fields and the time-out`() throws {
        let upload = try UploadRequest(try request())
        #expect(upload.url.absoluteString == "http://127.0.0.1:1/")
        #expect(upload.method == "PUT")
        #expect(upload.headers == [UploadHeader("X-One", "1")])
        #expect(upload.stallTimeout == .seconds(7))
    }

    @Test func `has no body of its own`() throws {
        var withData = try request()
        withData.httpBody = Data()
        #expect(throws: UploadError.requestHasBody) { try UploadRequest(withData) }
        var withStream = try request()
        withStream.httpBodyStream = InputStream(data: Data())
        #expect(throws: UploadError.requestHasBody) { try UploadRequest(withStream) }
    }

    @Test(arguments: [
        ("GET", "X-One", UploadError.unsupportedMethod("GET")),
        ("POST", "Content-Length", .reservedHeader("Content-Length")),
        ("POST", "Content-Type", .reservedHeader("Content-Type")),
        ("POST", "Authorization", .secretHeader("Authorization")),
    ])
    func `is refused for what every request is refused for`(
        method: String,
        header: String,
        error: UploadError
    ) async throws {
        let uploader = try Uploader(directory: queue, transport: CurlTransport())
        let body = try TestBody(in: directory, count: 10)
        var request = try request()
        request.httpMethod = method
        request.setValue("7", forHTTPHeaderField: header)
        let refused = request
        await #expect(throws: error) { try await uploader.enqueue(body.body, to: refused) }
        await #expect(throws: error) { try await uploader.enqueue(FormData(), to: refused) }
        #expect(directory.files(below: "queue") == [".lock"])
    }

    @Test(arguments: TransportKind.allCases)
    func `is sent`(kind: TransportKind) async throws {
        let uploader = try Uploader(directory: queue, transport: kind.make())
        let body = try TestBody(in: directory, count: 1000)
        var request = URLRequest(url: try server.url("/sink"))
        request.httpMethod = "POST"
        request.setValue("1", forHTTPHeaderField: "X-One")
        let id = try await uploader.enqueue(body.body, to: request)
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        let entry = try #require(try await server.entries(id.text, count: 1).first)
        #expect(entry.sha256 == body.sha256 && entry.headers["x-one"] == "1")
    }
}
