import Foundation

/// Scheme, host and port of an address: what decides who may see credentials (RFC 6454).
struct Origin: Hashable {
    let scheme: String
    let host: String
    let port: Int

    /// `nil` unless the address is one of `http` or `https` with a host and a port that can be.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let standardPort = Self.ports[scheme],
            let host = url.host?.lowercased(), Self.canBeHost(host),
            let port = Self.port(of: url, standard: standardPort)
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Escapes are undone in a host, so that it may come to hold what ends one: the forbidden code
    /// points of the WHATWG's URL standard, without those of an IPv6 address.
    private static func canBeHost(_ host: String) -> Bool {
        !host.isEmpty
            && host.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar.value != 0x7F && !forbidden.contains(scalar)
            }
    }

    private static func port(of url: URL, standard: Int) -> Int? {
        if let port = url.port { return (1...65_535).contains(port) ? port : nil }
        // Foundation has no number either for digits that are too many to be one.
        let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        return components?.rangeOfPort?.isEmpty ?? true ? standard : nil
    }

    private static let forbidden = Set("#/<>?@[\\]^|".unicodeScalars)
    private static let ports = ["http": 80, "https": 443]
}
