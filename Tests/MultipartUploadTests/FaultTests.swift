import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// Many uploads through a server that breaks them in every way.
///
/// None may end the process, and each must come to an end of its own.
@Suite(.serialized) struct FaultTests {
    private static let faults = [
        "/reset?after=100000", "/reset?", "/fin?after=100000", "/fin?", "/cuthead?", "/cutline?",
        "/cutblank?", "/cutbody?", "/garbage?", "/onlyinterim?", "/early?how=linger",
        "/early?how=reset", "/early?how=close", "/stall?after=50000", "/stall?",
        "/redirect?code=307&to=/reset", "/redirect?code=302&to=/sink", "/redirect?code=308&to=:x",
        "/status?code=401&authenticate=Basic%20realm=x", "/status?code=401&authenticate=Bearer",
        "/status?code=500", "/resumable?cut=300000", "/resumable?lose=1", "/stale?", "/sink?",
    ]

    @Test(.timeLimit(.minutes(15)))
    func `every broken upload comes to an end`() async throws {
        try await Self.uploadAll(.curl, Self.faults, LongTests.count(150, 2000))
    }

    // A1, A3 (#5412), A4 (#5456), A5 (PR#2948), A6 (#3292, #3296): each ended or stopped the process
    // when FoundationNetworking was asked in the usual way. Without A2 (#5285), which ends it in
    // any way.
    @Test(.timeLimit(.minutes(15)))
    func `no broken upload ends the process`() async {
        await #expect(processExitsWith: .success) {
            let faults = Self.faults.filter { !$0.hasPrefix("/cut") || $0.hasPrefix("/cutbody") }
            try await Self.uploadAll(.urlSession, faults, LongTests.count(100, 2000))
        }
    }

    private static func uploadAll(
        _ kind: TransportKind,
        _ faults: [String],
        _ total: Int
    ) async throws {
        let fixture = try UploadFixture()
        let uploader = try Uploader(
            directory: fixture.queue,
            transport: kind.make(),
            configuration: .init(maximumConcurrentUploads: 8),
            authorize: { _ in [UploadHeader("Authorization", "Bearer x")] }
        )
        let body = try TestBody(in: fixture.directory, count: 1_000_000)
        var generator = SystemRandomNumberGenerator()
        var ends: [String: Int] = [:]
        var waiting: [(UploadID, String)] = []
        for index in 0..<total {
            let fault = faults[index % faults.count]
            let request = UploadRequest(
                url: try fixture.server.url(fault),
                isResumable: fault.hasPrefix("/resumable"),
                attemptDeadline: .seconds(30),
                // The others must end by themselves, however busy the machine is.
                stallTimeout: fault.hasPrefix("/stall") ? .milliseconds(100) : .seconds(30),
                retryPolicy: .quick(2)
            )
            let id = try await uploader.enqueue(body.body, to: request, keepsOriginal: true)
            // Every eighth one is cancelled at a random moment on top.
            if index % 8 == 7 {
                Task { [delay = Int.random(in: 0...50, using: &generator)] in
                    try? await Task.sleep(for: .milliseconds(delay))
                    try? await uploader.cancel(id)
                }
            }
            waiting.append((id, fault))
            if waiting.count == 16 || index == total - 1 {
                for (id, fault) in waiting {
                    let outcome = try #require(await uploader.finalOutcome(of: id), "\(fault)")
                    ends["\(outcome.name)", default: 0] += 1
                    if fault == "/sink?", case .failed = outcome { Issue.record("\(outcome)") }
                    try await uploader.removeOutcome(of: id)
                }
                waiting = []
            }
        }
        #expect(ends.values.reduce(0, +) == total)
        #expect(ends["delivered", default: 0] > 0 && ends["failed", default: 0] > 0)
        #expect(fixture.directory.files(below: "queue") == [".lock"])
        print(
            "case=upload.faults transport=\(kind.rawValue) uploads=\(total) ends=\(ends.sorted { $0.key < $1.key })"
        )
    }
}

extension UploadOutcome {
    var name: String {
        switch self {
        case .delivered: "delivered"
        case .rejected: "rejected"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
