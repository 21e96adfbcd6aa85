#if os(Linux)
import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// What many uploads, and large ones, cost: each in a process of its own, so that nothing else is
/// counted.
@Suite(.serialized) struct CapacityTests {
    // D14 (gotev#226) as well: eight that are cancelled stop none of those behind them.
    @Test(.timeLimit(.minutes(10)))
    func `a queued upload costs no descriptor, no thread and little memory`() async {
        let child = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent]
        ) {
            let world = try World(concurrency: 8)
            var held: [UploadID] = []
            for _ in 0..<8 { held.append(try await world.enqueue("/sink?delay=300", count: 1000)) }
            // From then on the eight places are taken.
            for id in held { _ = try await world.sending(id) }
            var queued: [UploadID] = []
            for _ in 0..<20 { queued.append(try await world.enqueue("/sink", count: 1000)) }
            let before = try ProcessUse.now()
            let total = LongTests.count(60, 1000)
            for _ in 0..<total { queued.append(try await world.enqueue("/sink", count: 1000)) }
            let after = try ProcessUse.now()
            #expect(after.descriptors == before.descriptors)
            // The pool that runs Swift's tasks may grow to the number of processors.
            #expect(after.threads <= before.threads + 4)
            #expect(after.resident - before.resident <= 4096 + 16 * total)
            for id in held { try await world.uploader.cancel(id) }
            for id in queued { try await world.expectDelivered(id) }
            let end = try ProcessUse.now()
            #expect(end.resident - before.resident <= 8192 + 16 * total)
            print(
                "case=upload.queued uploads=\(total)"
                    + " descriptors=\(before.descriptors)/\(after.descriptors)"
                    + " threads=\(before.threads)/\(after.threads)"
                    + " rss_kib=\(before.resident)/\(after.resident)/\(end.resident)"
            )
        }
        report(child)
    }

    @Test(.timeLimit(.minutes(10)))
    func `eight large uploads at once take no more memory than small ones`() async {
        let child = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent]
        ) {
            let world = try World(concurrency: 8)
            try await world.deliverAtOnce(8, count: 100_000)
            let start = try ProcessUse.now().resident
            try ProcessUse.forgetPeak()
            let count = LongTests.count(16, 256) * 1024 * 1024
            try await world.deliverAtOnce(8, count: count)
            let growth = try ProcessUse.peak() - start
            #expect(growth <= 32 * 1024)
            print("case=upload.concurrent uploads=8 bytes=\(count) growth_kib=\(growth)")
        }
        report(child)
    }

    // C4 (TUSKit#193, #204): more than 2 GB failed, or were loaded into memory; the rest of an
    // upload that is resumed as well.
    @Test(.timeLimit(.minutes(20)), arguments: [false, true])
    func `a large upload takes no memory, resumed or not`(isResumed: Bool) async {
        let child = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent]
        ) { [isResumed] in
            let world = try World(concurrency: 1)
            try await world.expectDelivered(try await world.enqueue("/sink", count: 100_000))
            let start = try ProcessUse.now().resident
            try ProcessUse.forgetPeak()
            let count = LongTests.areOn ? (1 << 31) + 1 : 96 << 20
            let path = isResumed ? "/resumable?cut=\(count / 2)" : "/sink"
            let id = try await world.enqueue(path, count: count, isResumable: isResumed)
            try await world.expectDelivered(id)
            let growth = try ProcessUse.peak() - start
            #expect(growth <= 32 * 1024)
            let entries = world.server.entries(id.text)
            #expect(entries.map(\.received).reduce(0, +) == Int64(count), "no byte twice")
            #expect(entries.contains { $0.method == "PATCH" } == isResumed)
            print("case=upload.large resumed=\(isResumed) bytes=\(count) growth_kib=\(growth)")
        }
        report(child)
    }

    @Test(.timeLimit(.minutes(10)))
    func `ended uploads leave nothing in the process`() async {
        let child = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent]
        ) {
            let world = try World(concurrency: 1)
            // The last one's connection stays open, so that every round ends alike.
            let paths = ["/reset?after=1000", "/status?code=403", "/cutbody", "/fin", "/sink"]
            func run(_ count: Int) async throws {
                for index in 0..<count {
                    let id = try await world.enqueue(paths[index % paths.count], count: 50_000)
                    _ = await world.uploader.finalOutcome(of: id)
                    try await world.uploader.removeOutcome(of: id)
                }
            }
            let total = LongTests.count(50, 500)
            try await run(total / 5)
            let before = try ProcessUse.now()
            try await run(total)
            var after = try ProcessUse.now()
            try await until("as few descriptors") {  // the peer's end may come later
                after = try ProcessUse.now()
                return after.descriptors == before.descriptors
            }
            #expect(after.resident - before.resident <= 4096)
            print(
                "case=upload.leaks uploads=\(total)"
                    + " descriptors=\(before.descriptors)/\(after.descriptors)"
                    + " rss_kib=\(before.resident)/\(after.resident)"
            )
        }
        report(child)
    }

    /// Shows the figures of a child, whose output nobody sees otherwise.
    private func report(_ child: ExitTest.Result?) {
        let output = String(decoding: child?.standardOutputContent ?? [], as: UTF8.self)
        for line in output.split(separator: "\n") where line.hasPrefix("case=") { print(line) }
    }
}

/// A server, a queue and bodies of zeros, which take no room on the disk.
private struct World {
    let fixture: UploadFixture
    let uploader: Uploader
    var server: TestServer { fixture.server }

    init(concurrency: Int) throws {
        fixture = try UploadFixture()
        uploader = try Uploader(
            directory: fixture.queue,
            transport: CurlTransport(),
            configuration: .init(maximumConcurrentUploads: concurrency)
        )
    }

    func enqueue(_ path: String, count: Int, isResumable: Bool = false) async throws -> UploadID {
        let file = fixture.directory.path + "/body-\(UUID().uuidString)"
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.truncate(atOffset: UInt64(count))
        try handle.close()
        let request = UploadRequest(
            url: try server.url(path),
            isResumable: isResumable,
            retryPolicy: isResumable ? .quick(3) : .never
        )
        return try await uploader.enqueue(
            fileAt: file,
            contentType: "multipart/form-data; boundary=tests",
            contentLength: Int64(count),
            to: request
        )
    }

    /// Waits until the body is with the server.
    func sending(_ id: UploadID) async throws {
        for await event in uploader.events(of: id) {
            if case .sending(let sent, let total, _) = event, sent == total { return }
        }
        throw TestFailure("it ended")
    }

    func expectDelivered(_ id: UploadID) async throws {
        let outcome = await uploader.finalOutcome(of: id)
        #expect(outcome?.isDelivered == true, "\(String(describing: outcome))")
    }

    func deliverAtOnce(_ number: Int, count: Int) async throws {
        var ids: [UploadID] = []
        for _ in 0..<number { ids.append(try await enqueue("/sink", count: count)) }
        for id in ids { try await expectDelivered(id) }
    }
}
#endif
