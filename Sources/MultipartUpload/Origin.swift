import Foundation

/// Scheme, host and port of an address: what decides who may see credentials (RFC 6454).
struct Origin: Hashable {
    let scheme: String
    let host: String
    let port: Int

    /// `nil` unless the address is one of `http` or `https` with a host.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let standardPort = Self.ports[scheme],
            let host = url.host?.lowercased(), !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = url.port ?? standardPort
    }

    private static let ports = ["http": 80, "https": 443]
}
