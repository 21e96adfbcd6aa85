public import Foundation

/// What a server answered.
public struct UploadResponse: Hashable, Sendable, Codable {
    /// The status code.
    public let status: Int
    /// The header fields in order.
    ///
    /// Those that set cookies aren't kept on disk.
    public var headers: [UploadHeader]
    /// The first bytes of the body, as many as ``CurlTransport/Configuration/responseLimit`` and its
    /// like allow.
    ///
    /// Of those, 16 MiB are kept on disk.
    public var body: Data
    /// Whether there was more body than was kept, or the connection broke before its end.
    public var isBodyCut: Bool

    /// A response, for transports.
    public init(
        status: Int,
        headers: [UploadHeader] = [],
        body: Data = Data(),
        isBodyCut: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isBodyCut = isBodyCut
    }

    /// The value of the first header field with a name, in any case of letters.
    public func header(_ name: String) -> String? { headers[name] }

    /// The response without what must not reach the disk, or is too much for it.
    var kept: UploadResponse {
        var copy = self
        if body.count > Self.keptBodyLimit {
            copy.body = body.prefix(Self.keptBodyLimit)
            copy.isBodyCut = true
        }
        copy.headers.removeAll { Self.secretHeaders.contains($0.name.lowercased()) }
        return copy
    }

    static let keptBodyLimit = 16 * 1024 * 1024

    private static let secretHeaders: Set = [
        "set-cookie", "set-cookie2", "authentication-info", "proxy-authentication-info",
    ]
}
