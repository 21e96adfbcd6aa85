import Foundation

/// What came of one task so far.
struct SessionExchange {
    private let responseLimit: Int
    private(set) var sent: Int64 = 0
    /// Anything from the server, counted so that it is seen to move.
    private(set) var received: Int64 = 0
    private var response: UploadResponse?
    private var passwordWasRefused = false
    private var bodyProblem: String?
    private var end: End?

    private struct End { var error: (any Error)? }

    init(responseLimit: Int) { self.responseLimit = responseLimit }

    /// Whether there is nothing more to come.
    var isOver: Bool { end != nil || bodyProblem != nil }

    /// Returns the interim response, if the event is one.
    mutating func take(_ event: SessionEvent) -> UploadResponse? {
        switch event {
        case .sent(let count): sent = count
        case .response(let response):
            received += 1
            guard response.status >= 200 else { return response }
            self.response = response
        case .data(let data):
            received += Int64(data.count)
            let room = responseLimit - (response?.body.count ?? 0)
            response?.body.append(data.prefix(room))
            if data.count > room { response?.isBodyCut = true }
        case .lateResponse(let late):
            if response == nil, late.status >= 200 { response = late }
        case .passwordRefused: passwordWasRefused = true
        case .bodyFailed(let reason): bodyProblem = bodyProblem ?? reason
        case .ended(let error): end = End(error: error)
        }
        return nil
    }

    /// The result, once the task is over or is stopped for a reason of ours.
    func result(stoppedBy reason: TransportError?, wasStarted: Bool) -> AttemptResult {
        let error = self.error(stoppedBy: reason)
        var response = response
        if error != nil { response?.isBodyCut = true }
        let hasLeft = sent > 0 || received > 0 || !(error?.isBeforeRequest ?? false)
        return AttemptResult(response: response, error: error, touchedServer: wasStarted && hasLeft)
    }

    private func error(stoppedBy reason: TransportError?) -> TransportError? {
        guard let end else {
            if let bodyProblem { return TransportError(.bodyUnreadable, bodyProblem) }
            return reason
        }
        if response != nil, passwordWasRefused { return nil }
        if let bodyProblem { return TransportError(.bodyUnreadable, bodyProblem) }
        if let error = end.error { return TransportError(urlSessionError: error) }
        // Not even a system that calls this a success (aws-sdk-ios#1058) has an answer then.
        return response == nil
            ? TransportError(.noResponse, "the session ended the task without a response") : nil
    }
}
