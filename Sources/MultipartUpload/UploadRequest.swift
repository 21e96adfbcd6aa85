public import Foundation

/// Where a body is to go, and how patiently.
///
/// All of it is written to the queue, so nothing of it may be secret: credentials come from the
/// uploader's ``Uploader/Authorize`` closure at every attempt.
public struct UploadRequest: Hashable, Sendable, Codable {
    /// The address: `http` or `https`, without a user name or a password.
    public var url: URL
    /// The request's method.
    public var method: String
    /// Header fields of your own.
    ///
    /// `Content-Type`, `Content-Length` and others that the upload decides are an error, and so
    /// are `Authorization`, `Cookie` and `Proxy-Authorization`.
    public var headers: [UploadHeader]
    /// Whether to use the resumable-upload protocol where the server speaks it.
    public var isResumable: Bool
    /// Whether to send the upload's name as `Idempotency-Key`, so that a server that knows the
    /// header takes a repeated request once.
    ///
    /// Without it, a `POST` is never repeated once it may have reached the server.
    public var sendsIdempotencyKey: Bool
    /// Whether a 307 or 308 may lead to another origin.
    ///
    /// Only the body goes there: neither credentials nor ``headers``.
    public var followsToOtherOrigins: Bool
    /// The longest time one attempt may take; `nil` for no limit.
    public var attemptDeadline: Duration?
    /// The longest time in which no byte moves in either direction before an attempt is given up.
    public var stallTimeout: Duration
    /// When to try again.
    public var retryPolicy: RetryPolicy

    /// A request with the defaults: a `POST`, retried, not resumable.
    public init(
        url: URL,
        method: String = "POST",
        headers: [UploadHeader] = [],
        isResumable: Bool = false,
        sendsIdempotencyKey: Bool = true,
        followsToOtherOrigins: Bool = false,
        attemptDeadline: Duration? = nil,
        stallTimeout: Duration = .seconds(60),
        retryPolicy: RetryPolicy = RetryPolicy()
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.isResumable = isResumable
        self.sendsIdempotencyKey = sendsIdempotencyKey
        self.followsToOtherOrigins = followsToOtherOrigins
        self.attemptDeadline = attemptDeadline
        self.stallTimeout = stallTimeout
        self.retryPolicy = retryPolicy
    }

    /// A request with the address, the method, the header fields and the time-out of a `URLRequest`,
    /// and the defaults for the rest.
    ///
    /// - Parameter request: The request. Its method must be set: it is `GET` otherwise, which has no
    ///   body.
    /// - Throws: ``UploadError/requestHasBody`` if it has a body of its own, and
    ///   ``UploadError/unsupportedURL(_:)`` if it has no address. All else is checked when it is
    ///   queued.
    public init(_ request: URLRequest) throws(UploadError) {
        guard request.httpBody == nil, request.httpBodyStream == nil else { throw .requestHasBody }
        guard let url = request.url else { throw .unsupportedURL("") }
        let headers = (request.allHTTPHeaderFields ?? [:]).map { UploadHeader($0.key, $0.value) }
        self.init(
            url: url,
            method: request.httpMethod ?? "GET",
            headers: headers.sorted { $0.name < $1.name }
        )
        if request.timeoutInterval > 0, request.timeoutInterval < 1e9 {
            stallTimeout = .seconds(request.timeoutInterval)
        }
    }

    /// Whether the request may be sent again although an earlier one may have been taken.
    var mayBeRepeated: Bool { sendsIdempotencyKey || Self.idempotentMethods.contains(method) }

    /// Checks everything that can be wrong before anything is written.
    package func validate() throws(UploadError) {
        guard Origin(url) != nil, url.user == nil, url.password == nil else {
            throw .unsupportedURL(url.absoluteString)
        }
        guard !method.isEmpty, method.utf8.allSatisfy(UploadHeader.isTokenByte),
            !Self.bodilessMethods.contains(method)
        else { throw .unsupportedMethod(method) }
        for header in headers {
            guard header.isWellFormed else { throw .malformedHeader(header.name) }
            let name = header.name.lowercased()
            guard !Self.secretHeaders.contains(name) else { throw .secretHeader(header.name) }
            guard !Self.isReserved(name) else { throw .reservedHeader(header.name) }
        }
    }

    static func isReserved(_ lowercasedName: String) -> Bool {
        reservedHeaders.contains(lowercasedName) || lowercasedName.hasPrefix("upload-")
    }

    /// RFC 9110, section 9.2.2.
    private static let idempotentMethods: Set = ["PUT", "DELETE"]
    private static let bodilessMethods: Set = ["GET", "HEAD", "TRACE", "CONNECT"]
    private static let secretHeaders: Set = ["authorization", "cookie", "proxy-authorization"]
    private static let reservedHeaders: Set = [
        "connection", "content-length", "content-type", "expect", "host", "idempotency-key",
        "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}
