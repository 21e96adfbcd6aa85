#if os(Linux)
import CCurl
import Foundation
import Synchronization

// The only file that calls CCurl: everything unsafe about libcurl's handles is here.

/// A libcurl handle with its connections.
///
/// One thread at a time uses it, but any may cancel.
@safe final class CurlEngine: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer
    private let cancelled = Atomic(false)

    /// `nil` if libcurl can't be started or memory is short.
    init?() {
        guard ccurl_start(), let handle = unsafe ccurl_engine_create() else { return nil }
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe ccurl_engine_free(handle) }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Makes the transfer that runs, or the next one, stop.
    func cancel() {
        cancelled.store(true, ordering: .releasing)
        unsafe ccurl_engine_wake(handle)
    }

    /// Forgets a cancel, once the transfer it was meant for is over.
    func reset() { cancelled.store(false, ordering: .releasing) }

    /// The transfer borrows the engine and must go away before it, and before the descriptor is
    /// closed.
    ///
    /// `nil` if libcurl refuses the request.
    func makeTransfer(
        url: String,
        method: String,
        headerLines: [String],
        descriptor: Int32,
        offset: Int64,
        length: Int64,
        mayReuseConnection: Bool,
        configuration: CurlTransport.Configuration
    ) -> CurlTransfer? {
        let lines = headerLines.map { $0 + "\n" }.joined()
        let authorities = configuration.certificateAuthorities ?? ""
        let handle = unsafe url.withCString { url in
            unsafe method.withCString { method in
                unsafe lines.withCString { lines in
                    unsafe authorities.withCString { authorities in
                        var request = unsafe ccurl_request(
                            url: url,
                            method: method,
                            header_lines: lines,
                            ca_file: authorities,
                            descriptor: descriptor,
                            offset: offset,
                            length: length,
                            may_reuse_connection: mayReuseConnection,
                            connect_timeout_milliseconds: Int64(
                                configuration.connectTimeout.inSeconds * 1000
                            ),
                            response_limit: configuration.responseLimit
                        )
                        return unsafe ccurl_transfer_create(self.handle, &request)
                    }
                }
            }
        }
        guard let handle = unsafe handle else { return nil }
        return unsafe CurlTransfer(handle, engine: self)
    }
}

/// One request; freed when its owner goes away.
@safe struct CurlTransfer: ~Copyable {
    private let handle: OpaquePointer
    private let engine: CurlEngine  // keeps alive what the handle points to

    fileprivate init(_ handle: OpaquePointer, engine: CurlEngine) {
        unsafe self.handle = unsafe handle
        self.engine = engine
    }

    deinit { unsafe ccurl_transfer_free(handle) }

    /// Works for about so long; true once the transfer is over.
    func step(milliseconds: Int32) -> Bool {
        switch unsafe ccurl_transfer_step(handle, milliseconds) {
        case .running: false
        case .finished: true
        }
    }

    var sent: Int64 { unsafe ccurl_transfer_sent(handle) }
    var received: Int64 { unsafe ccurl_transfer_received(handle) }
    var touchedServer: Bool { unsafe ccurl_transfer_touched_server(handle) }
    var bodyWasCut: Bool { unsafe ccurl_transfer_body_was_cut(handle) }

    /// The header lines since the last call.
    func takeHead() -> Data {
        var count = 0
        guard let start = unsafe ccurl_transfer_head(handle, &count), count > 0 else {
            return Data()
        }
        let bytes = unsafe Data(bytes: start, count: count)
        unsafe ccurl_transfer_drop_head(handle)
        return bytes
    }

    var body: Data {
        var count = 0
        guard let start = unsafe ccurl_transfer_body(handle, &count), count > 0 else {
            return Data()
        }
        return unsafe Data(bytes: start, count: count)
    }

    /// Once finished: what went wrong, if anything did.
    var error: TransportError? {
        let message = unsafe String(cString: ccurl_transfer_message(handle))
        let kind: TransportError.Kind? =
            switch unsafe ccurl_transfer_result(handle) {
            case .ok: nil
            case .unsupported: .unsupported
            case .cannotResolve: .cannotResolve
            case .cannotConnect: .cannotConnect
            case .untrusted: .untrustedCertificate
            case .tls: .tlsFailed
            case .trustStore: .trustStoreUnusable
            case .timeout: .stalled
            case .empty: .noResponse
            case .garbled: .garbledResponse
            case .body: .bodyUnreadable
            case .memory: .interrupted
            case .lost: .connectionLost
            }
        return kind.map { TransportError($0, message) }
    }
}
#endif
