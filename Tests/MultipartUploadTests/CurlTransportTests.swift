#if os(Linux)
import Foundation
import MultipartEncoder
import MultipartUpload
import Synchronization
import Testing

/// What only this transport can be asked for.
@Suite(.serialized) struct CurlTransportTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func perform(
        _ transport: CurlTransport,
        _ url: URL,
        count: Int = 1000
    ) async throws
        -> (AttemptResult, String)
    {
        let body = try TestBody(in: directory, count: count)
        return (await transport.perform(to: url, body.body), body.sha256)
    }

    @Test func `refuses a certificate that nobody vouches for`() async throws {
        let name = uniqueText()
        let (result, _) = try await perform(CurlTransport(), try server.secureURL("/sink?\(name)"))
        #expect(result.response == nil)
        let error = try #require(result.error)
        #expect(error.kind == .untrustedCertificate)
        #expect(error.message.contains("certificate"))
        #expect(!error.isTransient)
        #expect(!result.touchedServer)
        #expect(server.entries(name).isEmpty)
    }

    @Test func `trusts what it was told to, and nothing else`() async throws {
        let trusting = CurlTransport(
            configuration: .init(certificateAuthorities: server.certificate)
        )
        let name = uniqueText()
        let url = try server.secureURL("/sink?\(name)")
        let (result, sha256) = try await perform(trusting, url, count: 3_000_000)
        #expect(result.response?.status == 200)
        #expect(try await server.entries(name, count: 1).first?.sha256 == sha256)
        let other = try #require(URL(string: "https://127.0.0.2:\(server.securePort)/sink"))
        let (refused, _) = try await perform(trusting, other)
        #expect(
            refused.error?.kind == .untrustedCertificate || refused.error?.kind == .cannotConnect,
            "the name must fit as well"
        )
    }

    @Test func `says when the trusted certificates can't be read`() async throws {
        let transport = CurlTransport(
            configuration: .init(certificateAuthorities: directory.path + "/none.pem")
        )
        let (result, _) = try await perform(transport, try server.secureURL("/sink"))
        #expect(result.error?.kind == .trustStoreUnusable)
    }

    @Test func `doesn't speak TLS to a plain server`() async throws {
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/sink"))
        let transport = CurlTransport(configuration: .init(connectTimeout: .milliseconds(200)))
        let (result, _) = try await perform(transport, url)
        #expect(result.response == nil)
        #expect(!result.touchedServer)
    }

    @Test func `uses a connection again`() async throws {
        let transport = CurlTransport()
        let name = uniqueText()
        for _ in 0..<3 { _ = try await perform(transport, try server.url("/sink?\(name)")) }
        let connections = Set(try await server.entries(name, count: 3).map(\.connection))
        #expect(connections.count == 1)
    }

    // The attempt is over, but its task hasn't heard of it yet; the next one may have its handle.
    @Test func `a cancel that comes late ends no other attempt`() async throws {
        let transport = CurlTransport()
        let body = try TestBody(in: directory, count: 1000).body
        let urls = try ["/sink", "/sink?delay=0.5"].map { try server.url($0) }
        let executor = HeldExecutor()
        let first = Task(executorPreference: executor) {
            await transport.perform(to: urls[0], body) { _ in executor.hold() }
        }
        try await until { executor.holdsSomething }
        // Reports come from the attempt's own thread, while it runs.
        let second = await transport.perform(to: urls[1], body) { _ in first.cancel() }
        #expect(second.response?.status == 200, "\(String(describing: second.error))")
        executor.release()
        #expect(await first.value.response?.status == 200)
    }
}

/// Runs tasks, or keeps them from going on.
private final class HeldExecutor: TaskExecutor {
    private let state = Mutex((isHolding: false, running: 0, jobs: [UnownedJob]()))

    var holdsSomething: Bool { state.withLock { !$0.jobs.isEmpty } }

    /// Called from elsewhere than a task, keeps tasks from going on once all of them wait: one that
    /// doesn't wait yet when its answer comes would go on without being asked for.
    func hold() {
        while state.withLock({ $0.running > 0 }) { Thread.sleep(forTimeInterval: 0.001) }
        state.withLock { $0.isHolding = true }
    }

    func release() {
        let jobs = state.withLock { state in
            state.isHolding = false
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { run(job) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isHeld = state.withLock { state in
            if state.isHolding { state.jobs.append(job) }
            return state.isHolding
        }
        if !isHeld { run(job) }
    }

    private func run(_ job: UnownedJob) {
        state.withLock { $0.running += 1 }
        Thread.detachNewThread { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            state.withLock { $0.running -= 1 }
        }
    }
}
#endif
