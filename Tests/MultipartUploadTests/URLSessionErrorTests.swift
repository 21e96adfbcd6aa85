import Foundation
import MultipartUpload
import Testing

/// What errors of URLSession mean.
@Suite struct URLSessionErrorTests {
    @Test(arguments: [
        // Ended by the system, not by us: C1 (TUSKit#200), D10 (Vydia#92, SwiftHTTP#98).
        (-999, "cancelled", TransportError.Kind.interrupted),
        (-997, "Lost connection to background transfer service", .interrupted),
        (-996, "in use by another process", .interrupted),
        // FoundationNetworking's words.
        (-1, "Send failure: Broken pipe", .connectionLost),
        (-1, "SSL certificate problem: self-signed certificate", .untrustedCertificate),
        (-1, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL", .tlsFailed),
        (-1011, "Empty reply from server", .noResponse),
        (-1002, "Received HTTP/0.9 when not allowed", .garbledResponse),
        (-1005, "lost", .connectionLost), (-1001, "timed out", .stalled),
        (-1003, "no host", .cannotResolve), (-1004, "refused", .cannotConnect),
        (-1009, "offline", .cannotConnect), (-1202, "untrusted", .untrustedCertificate),
        (-1200, "TLS", .tlsFailed), (-1022, "not secure enough", .unsupported),
        (-1100, "no file", .bodyUnreadable), (-4242, "new", .interrupted),
    ])
    func `are told apart`(code: Int, text: String, kind: TransportError.Kind) {
        let error = NSError(
            domain: NSURLErrorDomain,
            code: code,
            userInfo: [NSLocalizedDescriptionKey: text]
        )
        let found = TransportError(urlSessionError: error)
        #expect(found.kind == kind)
        #expect(found.message.contains(text) && found.message.contains("\(code)"))
    }

    @Test func `may be those of the system's calls`() {
        let broken = NSError(domain: NSPOSIXErrorDomain, code: Int(ECONNRESET))
        #expect(TransportError(urlSessionError: broken).kind == .connectionLost)
        let other = NSError(domain: "other", code: 1)
        #expect(TransportError(urlSessionError: other).isTransient)
    }
}
