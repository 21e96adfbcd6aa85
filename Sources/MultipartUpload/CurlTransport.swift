#if os(Linux)
import Foundation
import Synchronization

/// Sends uploads with libcurl; the default on Linux.
///
/// It follows no redirect, uses no cookies, no stored passwords and no netrc file, verifies
/// certificates, and takes an answer for one only when its headers are complete.
public struct CurlTransport: UploadTransport {
    /// How connections are made.
    public struct Configuration: Hashable, Sendable {
        /// A file of certificates in PEM form to trust instead of the system's.
        public var certificateAuthorities: String?
        /// Bytes of each response's body to keep.
        public var responseLimit: Int
        /// The longest time to wait for a connection.
        public var connectTimeout: Duration

        /// The system's certificates, and 1 MiB of each response.
        public init(
            certificateAuthorities: String? = nil,
            responseLimit: Int = 1024 * 1024,
            connectTimeout: Duration = .seconds(30)
        ) {
            self.certificateAuthorities = certificateAuthorities
            self.responseLimit = responseLimit
            self.connectTimeout = connectTimeout
        }
    }

    private let configuration: Configuration
    private let engines = CurlEnginePool()

    /// A transport with connections of its own.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Performs one attempt on a thread of its own.
    public func perform(
        _ attempt: UploadAttempt,
        report: @escaping @Sendable (AttemptReport) -> Void
    ) async -> AttemptResult {
        guard attempt.continuation != .adoptOnly else {
            return .lost
        }
        guard let engine = engines.take() else {
            return .notSent(.interrupted, "libcurl can't be started")
        }
        // Not before the task has heard of the end: until then a cancel still reaches the engine.
        defer { engines.giveBack(engine) }
        let configuration = configuration
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let thread = Thread {
                    let exchange = CurlExchange(attempt, configuration, engine, report)
                    continuation.resume(returning: exchange.run())
                }
                thread.stackSize = 512 * 1024
                thread.name = "upload"
                thread.start()
            }
        } onCancel: {
            engine.cancel()
        }
    }
}

/// One attempt, from its headers to its result.
private struct CurlExchange {
    private let attempt: UploadAttempt
    private let configuration: CurlTransport.Configuration
    private let engine: CurlEngine
    private let report: @Sendable (AttemptReport) -> Void

    init(
        _ attempt: UploadAttempt,
        _ configuration: CurlTransport.Configuration,
        _ engine: CurlEngine,
        _ report: @escaping @Sendable (AttemptReport) -> Void
    ) {
        self.attempt = attempt
        self.configuration = configuration
        self.engine = engine
        self.report = report
    }

    func run() -> AttemptResult {
        guard let body = attempt.body else { return run(descriptor: -1, body: nil) }
        do throws(UploadError) {
            let file = try UploadStore.openBody(body.path, size: body.fileSize)
            return withExtendedLifetime(file) { file in run(descriptor: file.rawValue, body: body) }
        } catch {
            return .notSent(.bodyUnreadable, error.description)
        }
    }

    private func run(descriptor: Int32, body: UploadAttempt.Body?) -> AttemptResult {
        let lines =
            attempt.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
            + ["Expect:"]  // libcurl would wait a second for a server that doesn't answer it
        let transfer = engine.makeTransfer(
            url: attempt.url.absoluteString,
            method: attempt.method,
            headerLines: lines,
            descriptor: descriptor,
            offset: body?.offset ?? 0,
            length: body?.length ?? 0,
            mayReuseConnection: attempt.mayReuseConnection,
            configuration: configuration
        )
        guard let transfer else {
            return .notSent(.unsupported, "libcurl refuses the request")
        }
        return follow(transfer)
    }

    private func follow(_ transfer: borrowing CurlTransfer) -> AttemptResult {
        var head = ResponseHeadReader()
        var watch = AttemptWatch(
            deadline: attempt.deadline,
            stallTimeout: attempt.stallTimeout
        )
        while true {
            let isFinished = transfer.step(milliseconds: 100)
            for interim in head.take(transfer.takeHead()) { report(.interim(interim)) }
            if let sent = watch.take(sent: transfer.sent, received: transfer.received) {
                report(.sent(sent))
            }
            if isFinished { return result(of: transfer, head) }
            let cancel = engine.isCancelled ? TransportError(.cancelled, "cancelled") : nil
            if let error = cancel ?? watch.reasonToStop() {
                return AttemptResult(
                    response: response(transfer, head, isBodyCut: true),
                    error: error,
                    touchedServer: transfer.touchedServer
                )
            }
        }
    }

    private func result(
        of transfer: borrowing CurlTransfer,
        _ head: ResponseHeadReader
    )
        -> AttemptResult
    {
        var error = transfer.error
        if error == nil, head.final == nil {
            // libcurl calls a response without the blank line after its headers a success.
            error = TransportError(.noResponse, "the connection was closed within the headers")
        }
        return AttemptResult(
            response: response(transfer, head, isBodyCut: error != nil),
            error: error,
            touchedServer: transfer.touchedServer
        )
    }

    private func response(
        _ transfer: borrowing CurlTransfer,
        _ head: ResponseHeadReader,
        isBodyCut: Bool
    ) -> UploadResponse? {
        guard var response = head.final else { return nil }
        response.body = transfer.body
        response.isBodyCut = isBodyCut || transfer.bodyWasCut
        return response
    }
}

/// Engines between attempts, with their open connections.
private final class CurlEnginePool: Sendable {
    private let idle = Mutex<[CurlEngine]>([])

    func take() -> CurlEngine? { idle.withLock { $0.popLast() } ?? CurlEngine() }

    func giveBack(_ engine: CurlEngine) {
        engine.reset()
        idle.withLock { $0.append(engine) }
    }
}
#endif
