import Foundation

extension TransportError {
    /// What an error of URLSession means.
    ///
    /// Without a response, `-1` and `-1011` are Linux's words for a broken connection; of its TLS
    /// errors only the text tells.
    package init(urlSessionError error: any Error) {
        let error = error as NSError
        let text = "\(error.localizedDescription) (\(error.domain) \(error.code))"
        guard error.domain == NSURLErrorDomain else {
            // On Apple's platforms a broken connection may come as the system call's error.
            self.init(error.domain == NSPOSIXErrorDomain ? .connectionLost : .interrupted, text)
            return
        }
        self.init(Self.kind(ofURLError: error.code, error.localizedDescription), text)
    }

    private static func kind(ofURLError code: Int, _ text: String) -> Kind {
        switch code {
        case -1: tlsKind(text) ?? .connectionLost
        case -1005: tlsKind(text) ?? .connectionLost
        // Ended by the system: by force quit (-999), by a restart of its transfer service (-997).
        case -999, -997, -996: .interrupted
        case -1003, -1006: .cannotResolve
        case -1004, -1009, -1018, -1019, -1020: .cannotConnect
        case -1001: .stalled
        case -1011: .noResponse
        // -1002 is what Linux calls an answer that isn't HTTP; other schemes never get this far.
        case -1002, -1015, -1016, -1017: .garbledResponse
        case -1200: tlsKind(text) ?? .tlsFailed
        case -1204 ... -1201: .untrustedCertificate
        case -1206, -1205: .tlsFailed
        case -995, -1000, -1022, -1103: .unsupported
        case -1021, -1100, -1101, -1102, -1104: .bodyUnreadable
        default: .interrupted
        }
    }

    private static func tlsKind(_ text: String) -> Kind? {
        let text = text.lowercased()
        if text.contains("certificate") { return .untrustedCertificate }
        return text.contains("ssl") || text.contains("tls") ? .tlsFailed : nil
    }

    /// Whether it says that not a byte of the request has left.
    var isBeforeRequest: Bool {
        switch kind {
        case .cannotResolve, .cannotConnect, .untrustedCertificate, .trustStoreUnusable, .tlsFailed,
            .unsupported:
            true
        case .connectionLost, .noResponse, .garbledResponse, .stalled, .deadlineExceeded,
            .bodyUnreadable, .interrupted, .cancelled:
            false
        }
    }
}
