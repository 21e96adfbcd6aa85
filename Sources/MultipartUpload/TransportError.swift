/// Why one attempt ended without a complete response.
public struct TransportError: Error, Hashable, Sendable, Codable {
    /// What kind of failure.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The host's name has no address, or the resolver failed.
        case cannotResolve
        /// No connection could be made.
        case cannotConnect
        /// The server's certificate can't be verified.
        case untrustedCertificate
        /// The file of trusted certificates can't be used.
        case trustStoreUnusable
        /// TLS failed in another way.
        case tlsFailed
        /// The connection broke.
        case connectionLost
        /// The connection was closed before any response, or within its headers.
        case noResponse
        /// What came back isn't HTTP.
        case garbledResponse
        /// Nothing moved for too long.
        case stalled
        /// The attempt took longer than it may.
        case deadlineExceeded
        /// The body could not be read, or became shorter.
        case bodyUnreadable
        /// The system ended the transfer without being asked to.
        case interrupted
        /// The attempt was cancelled by the uploader.
        case cancelled
        /// The request can't be sent at all.
        case unsupported
    }

    /// What kind of failure.
    public let kind: Kind
    /// The transport's own words.
    public let message: String

    /// An error, for transports.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        switch kind {
        case .cannotResolve, .cannotConnect, .tlsFailed, .connectionLost, .noResponse,
            .garbledResponse, .stalled, .deadlineExceeded, .interrupted:
            true
        case .untrustedCertificate, .trustStoreUnusable, .bodyUnreadable, .cancelled,
            .unsupported:
            false
        }
    }
}
