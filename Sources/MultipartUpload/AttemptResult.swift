/// What one request came to.
public struct AttemptResult: Hashable, Sendable {
    /// The last response whose headers were complete; never an interim one.
    public let response: UploadResponse?
    /// What broke, if something did: it may come on top of a response.
    public let error: TransportError?
    /// Whether a byte of the request may have reached the server.
    public let touchedServer: Bool

    /// A result, for transports.
    public init(response: UploadResponse?, error: TransportError?, touchedServer: Bool) {
        self.response = response
        self.error = error
        self.touchedServer = touchedServer
    }

    /// What the result means, before any policy.
    package var verdict: AttemptVerdict {
        if let response, response.status >= 200 {
            switch response.status {
            case 200..<300:
                guard let error else { return .delivered(response) }
                return .cutAfterSuccess(response, error)
            // The answer stands, whatever became of the connection afterwards.
            case 307, 308: return .redirected(response)
            case 401: return .unauthorized(response)
            case 408, 425, 429, 500, 502, 503, 504: return .retriable(response)
            default: return .rejected(response)
            }
        }
        guard let error else {
            // Neither an answer nor an error: nothing says that the server has anything.
            return .broken(TransportError(.noResponse, "the transport ended without a response"))
        }
        return .broken(error)
    }
}

// What transports say of attempts without a connection.
extension AttemptResult {
    /// Nothing was sent, as far as the transport knows.
    static func notSent(
        _ kind: TransportError.Kind,
        _ message: String,
        touchedServer: Bool = false
    ) -> Self {
        let error = TransportError(kind, message)
        return AttemptResult(response: nil, error: error, touchedServer: touchedServer)
    }

    /// An earlier process's attempt, of which nothing is left.
    static let lost = AttemptResult(
        response: nil,
        error: TransportError(.interrupted, "the process ended during the attempt"),
        touchedServer: true
    )
}

/// What an attempt's result means.
package enum AttemptVerdict: Hashable, Sendable {
    case delivered(UploadResponse)
    /// The server said yes, but the rest of its answer is lost.
    case cutAfterSuccess(UploadResponse, TransportError)
    case redirected(UploadResponse)
    case unauthorized(UploadResponse)
    /// An answer that invites another attempt.
    case retriable(UploadResponse)
    case rejected(UploadResponse)
    case broken(TransportError)
}
