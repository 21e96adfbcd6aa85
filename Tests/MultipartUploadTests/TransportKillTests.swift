import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// Processes that kill themselves at a certain byte, and those that go on.
@Suite(.serialized) struct TransportKillTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private static let count = 1_000_000

    /// Uploads until so many bytes are sent, of which the server reads half, and dies without a
    /// word.
    private static func die(
        _ kind: TransportKind,
        _ queue: String,
        _ url: URL,
        _ path: String,
        at byte: Int64
    ) async throws {
        let uploader = try Uploader(
            directory: queue,
            transport: kind.make(),
            authorize: { _ in [.hold(at: count / 2)] }
        )
        let id = uploader.makeID()
        let events = uploader.events(of: id)
        try await uploader.enqueue(
            fileAt: path,
            contentType: "multipart/form-data; boundary=tests",
            contentLength: Int64(count),
            to: UploadRequest(url: url, isResumable: url.path == "/resumable"),
            as: id
        )
        for await event in events {
            if case .sending(let sent, _, _) = event, sent >= byte { kill(getpid(), SIGKILL) }
        }
    }

    @Test(arguments: TransportKind.allCases, ["/resumable", "/keyed"])
    func `the next process ends what was begun`(kind: TransportKind, path: String) async throws {
        for byte in [0, Int64(Self.count) / 2, Int64(Self.count)] {
            let body = try TestBody(in: directory, count: Self.count)
            let url = try server.url(path)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    kind = kind as TransportKind, queue = queue as String, url = url as URL,
                    file = body.body.path as String, byte = byte as Int64
                ] in try await Self.die(kind, queue, url, file, at: byte)
            }
            let uploader = try Uploader(
                directory: queue,
                transport: kind.make(),
                authorize: noCredentials
            )
            let id = try #require(await uploader.resume().first)
            let outcome = await uploader.finalOutcome(of: id)
            #expect(outcome?.isDelivered == true, "\(String(describing: outcome))")
            try await uploader.removeOutcome(of: id)
            await uploader.close()
            #expect(directory.files(below: "queue") == [".lock"])
            try expectOnce(id, body)
        }
    }

    private func expectOnce(_ id: UploadID, _ body: TestBody) throws {
        let entries = server.entries(id.text)
        let taken = entries.filter { $0.taken != nil }
        #expect(taken.filter { $0.repeated == false }.count <= 1)
        #expect(taken.allSatisfy { $0.sha256 == body.sha256 })
        var reached: [String: Int64] = [:]
        for entry in entries {
            guard let upload = entry.upload, let start = entry.start, let end = entry.end else {
                continue
            }
            #expect(start == reached[upload, default: 0], "no byte that the server had goes again")
            reached[upload] = end
        }
        #expect(taken.count >= 1 || reached.values.contains(Int64(Self.count)))
    }
}
