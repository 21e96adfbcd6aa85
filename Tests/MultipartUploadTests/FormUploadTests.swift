import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// Forms that are written straight into the queue.
@Suite(.serialized) struct FormUploadTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func uploader(_ configuration: Uploader.Configuration = .init()) throws -> Uploader {
        try Uploader(
            directory: queue,
            transport: CurlTransport(),
            configuration: configuration
        )
    }

    private func request() throws -> UploadRequest {
        UploadRequest(url: try server.url("/sink"), retryPolicy: .quick(1))
    }

    @Test func `is sent with the type and the length it was written with`() async throws {
        let uploader = try uploader()
        var form = FormData()
        form.append(.text("b", named: "a"))
        let id = try await uploader.enqueue(form, to: try request())
        #expect(await uploader.finalOutcome(of: id)?.isDelivered == true)
        let entry = try #require(try await server.entries(id.text, count: 1).first)
        #expect(entry.headers["content-type"] == (try form.contentType()))
        #expect(entry.headers["content-length"] == (try form.contentLength()).map { String($0) })
    }

    @Test func `leaves nothing behind when a part can't be read`() async throws {
        let uploader = try uploader()
        var form = FormData()
        form.append(.file(at: directory.path + "/none", named: "f"))
        let request = try request()
        await #expect(throws: UploadError.self) { try await uploader.enqueue(form, to: request) }
        #expect(directory.files(below: "queue") == [".lock"])
    }

    @Test func `is refused before it is written when there is no room`() async throws {
        let uploader = try uploader(.init(quota: 1000))
        let file = try TestBody(in: directory, count: 2000)
        var form = FormData()
        form.append(.file(at: file.body.path, named: "f"))
        let request = try request()
        let error = await #expect(throws: UploadError.self) {
            try await uploader.enqueue(form, to: request)
        }
        guard case .quotaExceeded(_, quota: 1000) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `stops writing when the quota is reached`() async throws {
        let uploader = try uploader(.init(quota: 20_000_000))
        let request = try request()
        let error = await #expect(throws: UploadError.self) {
            try await uploader.enqueue(to: request) { (writer) throws(MultipartError) in
                for index in 0..<100 {
                    try writer.append(String(repeating: "x", count: 1_000_000), named: "\(index)")
                }
            }
        }
        guard case .quotaExceeded(_, quota: 20_000_000) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(directory.files(below: "queue") == [".lock"])
    }

    @Test func `stops writing when the task is cancelled`() async throws {
        let uploader = try uploader()
        let request = try request()
        let id = uploader.makeID()
        let events = uploader.events(of: id)
        let task = Task {
            try await uploader.enqueue(to: request, as: id) { (writer) throws(MultipartError) in
                for index in 0..<100_000 {
                    try writer.append(String(repeating: "x", count: 1_000_000), named: "\(index)")
                }
            }
        }
        for await case .preparing in events { break }
        task.cancel()
        await #expect(throws: UploadError.cancelled) { try await task.value }
        #expect(directory.files(below: "queue") == [".lock"])
    }
}
