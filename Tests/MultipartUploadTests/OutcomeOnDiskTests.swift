import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// That an outcome is kept whatever the disk and the server make of it.
@Suite(.serialized) struct OutcomeOnDiskTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    /// Takes an upload to an end for which there is no room on the disk.
    private func endWithoutRoom(
        _ kind: TransportKind,
        _ path: String,
        hasKey: Bool
    ) async throws -> (id: UploadID, outcome: UploadOutcome?) {
        let queue = queue
        let uploader = try Uploader(
            directory: queue,
            transport: kind.make(),
            authorize: { question in
                // A directory where the outcome is to be written stands for a full disk.
                let obstacle = "\(queue)/\(question.upload)/outcome.json.tmp"
                try FileManager.default.createDirectory(
                    atPath: obstacle,
                    withIntermediateDirectories: true
                )
                return []
            }
        )
        var request = UploadRequest(url: try server.url(path), retryPolicy: .quick(1))
        request.sendsIdempotencyKey = hasKey
        let body = try TestBody(in: directory, count: 1000)
        let id = try await uploader.enqueue(body.body, to: request)
        let outcome = await uploader.finalOutcome(of: id)
        await uploader.close()
        return (id, outcome)
    }

    // Exit status 0, and the next launch sent it again.
    @Test(arguments: TransportKind.allCases, [true, false])
    func `a delivered upload is over even without room to say so`(
        kind: TransportKind,
        hasKey: Bool
    ) async throws {
        let name = uniqueText()
        let (id, outcome) = try await endWithoutRoom(kind, "/sink?\(name)", hasKey: hasKey)
        #expect(outcome?.response?.body.isEmpty == false, "whoever listens hears all of it")
        #expect(
            directory.files(below: "queue") == [".lock", "\(id)/ended-delivered-200"].sorted()
        )
        for _ in 0..<2 {
            let next = try Uploader(directory: queue, transport: kind.make())
            #expect(await next.resume().isEmpty)
            guard case .delivered(let response) = next.outcome(of: id) else {
                Issue.record("not delivered")
                return
            }
            #expect(response.status == 200 && response.isBodyCut)
            await next.close()
        }
        let last = try Uploader(directory: queue, transport: kind.make())
        try await last.removeOutcome(of: id)
        #expect(try last.items().isEmpty && directory.files(below: "queue") == [".lock"])
        #expect(try await server.entries(name, count: 1).count == 1)
    }

    @Test func `a refusal and a failure are over as well`() async throws {
        let refused = try await endWithoutRoom(.curl, "/status?code=403", hasKey: true)
        let failed = try await endWithoutRoom(.curl, "/reset?after=10", hasKey: false)
        let next = try Uploader(directory: queue, transport: CurlTransport())
        #expect(await next.resume().isEmpty)
        guard case .rejected(let response) = next.outcome(of: refused.id),
            case .failed(let failure) = next.outcome(of: failed.id)
        else {
            Issue.record("\(try next.items())")
            return
        }
        #expect(response.status == 403)
        #expect(failure.reason == .mayHaveBeenDelivered)
    }

    // Base64 made an answer of 12.6 MiB more than was read again: a failure, though delivered.
    @Test(arguments: TransportKind.allCases, [13, 20])
    func `a long answer is read again`(kind: TransportKind, mebibytes: Int) async throws {
        let count = mebibytes * 1024 * 1024
        let first = try Uploader(directory: queue, transport: kind.make(responseLimit: count))
        let request = UploadRequest(
            url: try server.url("/endless?bytes=\(count + 1000)"),
            retryPolicy: .quick(1)
        )
        let id = try await first.enqueue(TestBody(in: directory, count: 10).body, to: request)
        let told = try #require(await first.finalOutcome(of: id)?.response)
        #expect(told.body.count == count)
        await first.close()
        let next = try Uploader(directory: queue, transport: kind.make())
        let outcome = try #require(next.outcome(of: id))
        #expect(outcome.isDelivered && outcome.response?.isBodyCut == true)
        let kept = min(count, 16 * 1024 * 1024)
        #expect(outcome.response?.body == told.body.prefix(kept))
    }
}
