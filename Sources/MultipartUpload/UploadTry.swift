import Foundation

/// One try at an upload: the requests from its start to an outcome, a failure that a later try may
/// mend, or a cancel.
struct UploadTry {
    /// How a try ends.
    enum End {
        case finished(UploadOutcome)
        case retry(at: Date, reason: String)
        /// Without credentials there is no sense in another try.
        case needsCredentials(reason: String)
        /// The task was cancelled.
        case stopped
    }

    private enum Step {
        case again
        case end(End)
    }

    private var record: UploadRecord
    private let plan: UploadPlan
    private let store: UploadStore
    private let transport: any UploadTransport
    private let hub: EventHub
    private let authorize: Uploader.Authorize?
    private var continuation: UploadAttempt.Continuation
    private var url: URL
    /// What the server has, if it said so in this try.
    private var offset: Int64?
    private var redirects = 0
    private var conflicts = 0
    private var wasRefused = false
    /// Whether there were no credentials for the last request, where they could have been given.
    private var lacksCredentials = false
    /// How often since the last progress: what one request was given another may be refused.
    private var refusals = 0

    private static let redirectLimit = 5
    private static let conflictLimit = 3
    private static let refusalLimit = 3

    init(
        record: UploadRecord,
        store: UploadStore,
        transport: any UploadTransport,
        hub: EventHub,
        authorize: Uploader.Authorize?,
        continuation: UploadAttempt.Continuation
    ) {
        self.record = record
        self.store = store
        self.transport = transport
        self.hub = hub
        self.authorize = authorize
        self.continuation = continuation
        plan = UploadPlan(record)
        url = record.movedTo ?? record.request.url
    }

    /// Runs the try; returns the record as it is then, not all of it saved.
    func run() async -> (UploadRecord, End) {
        var copy = self
        let end = await copy.runSteps()
        return (copy.record, end)
    }

    /// Removes the upload's resource from the server, as far as that works within seconds.
    func delete(_ resource: URL, _ version: InteropVersion) async {
        // A task of its own: the one that runs this may be the one that was cancelled, which would
        // keep even the credentials away.
        await Task { await sendDelete(resource, version) }.value
    }

    private func sendDelete(_ resource: URL, _ version: InteropVersion) async {
        var headers = [version.header]
        let deadline = Duration.seconds(5)
        if case .success(let credentials) = await checkedCredentials(
            for: resource,
            within: deadline
        ) {
            headers += credentials
        }
        let attempt = UploadAttempt(
            upload: record.id,
            url: resource,
            method: "DELETE",
            headers: headers,
            body: nil,
            deadline: deadline
        )
        _ = await transport.perform(attempt) { _ in }
    }

    private mutating func runSteps() async -> End {
        if record.mayHaveBeenDelivered {
            let failure = UploadFailure(
                .mayHaveBeenDelivered,
                "the upload was stopped while it was sent, and must not be repeated"
            )
            return .finished(.failed(failure))
        }
        if continuation == .fresh {
            countAttempt()
            record.phase = .pending
        }
        while true {
            if Task.isCancelled {
                // What an earlier process sent, nobody knows.
                if continuation == .adoptOnly { record.mayHaveBeenDelivered = true }
                return .stopped
            }
            let exchange = plan.next(record.resumption, offset: offset)
            switch await perform(exchange) {
            case .again: continue
            case .end(let end): return end
            }
        }
    }

    /// Starts a new attempt, whose progress counts from the start.
    private mutating func countAttempt() {
        record.attempts += 1
        record.notBefore = nil
    }

    /// Has the disk know of a request before it is sent; ends the try if a later process would have
    /// to know and couldn't.
    private mutating func announceRequest() -> End? {
        guard record.phase != .sending else { return nil }
        record.phase = .sending
        do throws(UploadError) {
            // If this is lost with the machine, a request that must not be repeated would be.
            try store.save(record, durably: !record.request.mayBeRepeated)
        } catch {
            guard !record.request.mayBeRepeated else { return nil }
            let failure = UploadFailure(.attemptsExhausted, error.description)
            return delayed(error.description, otherwise: .finished(.failed(failure)))
        }
        return nil
    }

    /// Has the disk know that nothing is on its way, and that what was is refused: a process that
    /// dies now has delivered nothing.
    private mutating func forgetRequest() {
        guard record.phase == .sending else { return }
        record.phase = .pending
        try? store.save(record)
    }

    private mutating func perform(_ exchange: UploadPlan.Exchange) async -> Step {
        // What is only taken over needs nothing any more, and mustn't fail for want of it.
        let isTakenOver = continuation == .adoptOnly
        if !isTakenOver {
            do throws(UploadError) {
                try store.checkBody(record)
            } catch {
                return bodyFailed(error)
            }
        }
        let target: URL
        let baseOffset: Int64
        switch exchange {
        case .plain, .create: (target, baseOffset) = (url, 0)
        case .ask(_, let resource): (target, baseOffset) = (resource, offset ?? 0)
        case .append(_, let resource, let offset, _): (target, baseOffset) = (resource, offset)
        }
        let start = ContinuousClock.now
        let deadline = record.request.attemptDeadline?.bounded
        let credentials: [UploadHeader]
        if continuation == .fresh, mayHaveCredentials, isSameOrigin(target), !mayRepeat(exchange) {
            forgetRequest()
        }
        switch isTakenOver ? .success([]) : await checkedCredentials(for: target, within: deadline)
        {
        case .success(let given): credentials = given
        case .failure(let problem):
            // What was interrupted has not failed.
            if Task.isCancelled { return .end(.stopped) }
            // Nothing was sent: there is no reason to give the upload up.
            let end = End.needsCredentials(reason: problem.message)
            return problem.isPermanent ? .end(end) : retry(problem.message, otherwise: end)
        }
        lacksCredentials = credentials.isEmpty && isSameOrigin(target)
        if continuation == .fresh, let end = announceRequest() { return .end(end) }
        let attempt = UploadAttempt(
            upload: record.id,
            url: target,
            method: plan.method(of: exchange),
            headers: plan.headers(
                of: exchange,
                isSameOrigin: isSameOrigin(target),
                credentials: credentials
            ),
            body: plan.body(of: exchange, path: store.bodyPath(record.id)),
            mayReuseConnection: mayReuseConnection(exchange),
            deadline: deadline.map { authorize == nil ? $0 : $0 - (.now - start) },
            stallTimeout: record.request.stallTimeout.bounded,
            continuation: continuation
        )
        continuation = .fresh
        let listener = AttemptListener(record, exchange, target, baseOffset, store, hub) {
            [self] url in
            allows(url, from: target)
        }
        let result = await transport.perform(attempt) { listener.take($0) }
        record = listener.record
        return evaluate(exchange, result)
    }

    private mutating func evaluate(_ exchange: UploadPlan.Exchange, _ result: AttemptResult) -> Step
    {
        switch result.verdict {
        case .delivered(let response):
            wasRefused = false
            return succeeded(exchange, response)
        case .cutAfterSuccess(let response, let error):
            return cut(exchange, response, error)
        case .redirected(let response): return redirected(exchange, response)
        case .unauthorized(let response):
            guard mayHaveCredentials, !wasRefused, refusals < Self.refusalLimit else {
                return .end(unauthorized(response))
            }
            wasRefused = true
            refusals += 1
            forgetOffset(after: exchange)
            return .again
        case .retriable(let response):
            guard mayRepeat(exchange), UploadPlan.isComplete(response) != true else {
                return .end(.finished(.rejected(response)))
            }
            return retry(
                "the server answered \(response.status)",
                after: response,
                otherwise: .rejected(response)
            )
        case .rejected(let response): return rejected(exchange, response)
        case .broken(let error):
            return broken(exchange, error, touchedServer: result.touchedServer)
        }
    }

    /// A 401 is an answer to those who showed who they are, or never meant to.
    private mutating func unauthorized(_ response: UploadResponse) -> End {
        guard lacksCredentials, record.needsCredentials != false else {
            return .finished(.rejected(response))
        }
        record.needsCredentials = true
        return .needsCredentials(reason: "the server answered 401, and no credentials were given")
    }

    private mutating func succeeded(
        _ exchange: UploadPlan.Exchange,
        _ response: UploadResponse
    )
        -> Step
    {
        switch exchange {
        case .plain: return delivered(response)
        case .create(let version):
            guard UploadPlan.isComplete(response) == false else { return delivered(response) }
            // The server kept a part and ended the request; its offer may have been lost.
            learn(response)
            let now = self
            record.takeOffer(of: response, to: version, at: url) { now.allows($0, from: now.url) }
            try? store.save(record)
            guard record.resumption?.resource != nil else {
                return violation("an incomplete upload without an address to continue at")
            }
            offset = nil
            return .again
        case .ask:
            learn(response)
            let isComplete = UploadPlan.isComplete(response) == true
            guard let known = UploadPlan.offset(response) ?? (isComplete ? plan.contentLength : nil)
            else { return violation("the server doesn't say how much it has") }
            guard known <= plan.contentLength else {
                return violation("the server has \(known) bytes of \(plan.contentLength)")
            }
            // All of it is there and was processed, though the answer itself is lost.
            if isComplete, known == plan.contentLength { return delivered(response) }
            guard !isComplete else {
                return violation(
                    "the server calls \(known) bytes of \(plan.contentLength) complete"
                )
            }
            acknowledge(known)
            offset = known
            return .again
        case .append(_, _, let start, let length):
            learn(response)
            let end = start + length
            if end == plan.contentLength, UploadPlan.isComplete(response) != false {
                return delivered(response)
            }
            let known = UploadPlan.offset(response) ?? end
            guard known > start, known <= end else { return conflict("\(known) is no offset") }
            acknowledge(known)
            offset = known
            return .again
        }
    }

    private mutating func cut(
        _ exchange: UploadPlan.Exchange,
        _ response: UploadResponse,
        _ error: TransportError
    ) -> Step {
        switch exchange {
        case .plain where record.request.mayBeRepeated && error.kind != .cancelled:
            // Sent again under the same key, the server gives its whole answer.
            return retry(error.message, otherwise: .delivered(response))
        case .plain: return delivered(response)
        case .create, .ask, .append: return succeeded(exchange, response)
        }
    }

    private mutating func redirected(
        _ exchange: UploadPlan.Exchange,
        _ response: UploadResponse
    )
        -> Step
    {
        let current: URL
        switch exchange {
        case .plain, .create: current = url
        case .ask(_, let resource), .append(_, let resource, _, _): current = resource
        }
        guard let text = response.header("Location"),
            let location = URL(string: text, relativeTo: current)?.absoluteURL
        else { return .end(.finished(.rejected(response))) }
        redirects += 1
        guard redirects <= Self.redirectLimit else {
            return refused("more than \(Self.redirectLimit) redirects, the last one to \(text)")
        }
        guard allows(location, from: current) else {
            return refused("the server redirects to \(text), which isn't allowed")
        }
        switch exchange {
        case .plain, .create:
            url = location
            if response.status == 308 { record.movedTo = location }
            countAttempt()
            try? store.save(record)  // that one is under way, the disk knows
        case .ask, .append: record.resumption?.resource = location
        }
        return .again
    }

    private mutating func rejected(
        _ exchange: UploadPlan.Exchange,
        _ response: UploadResponse
    )
        -> Step
    {
        if case .append = exchange, UploadPlan.isAboutOffset(response) {
            // Bytes of the connection before may have come in since the server was asked.
            return conflict("the server has another offset")
        }
        // A server that says so has passed on the whole upload: this is its target's answer.
        if UploadPlan.isComplete(response) == true { return .end(.finished(.rejected(response))) }
        switch (exchange, response.status) {
        case (.create(let version), 400)
        where record.resumption?.resource == nil && record.request.mayBeRepeated:
            // It may be the protocol's version that the server doesn't like, or the form: who
            // mustn't send twice takes it for the answer that it is.
            record.resumption?.version = version.older
            countAttempt()
            try? store.save(record)  // that one is under way, the disk knows
            return .again
        case (.ask, 404), (.ask, 410), (.append, 404), (.append, 410):
            guard record.request.mayBeRepeated else { return lostSight(response) }
            // What it had before counts on: the same bytes again are no progress.
            record.resumption?.resource = nil
            offset = nil
            return conflict("the server has forgotten the upload")
        case (.ask, 405), (.ask, 501):
            guard record.request.mayBeRepeated else { return lostSight(response) }
            record.resumption = UploadRecord.Resumption(version: nil)
            countAttempt()
            try? store.save(record)  // that one is under way, the disk knows
            return .again
        case (.append, 409): return conflict("the server has another offset")
        case (.append(_, _, _, let length), 413):
            guard let limit = UploadPlan.appendLimit(response), limit < length else { break }
            record.resumption?.appendLimit = limit
            return conflict("the server takes no more than \(limit) bytes at once")
        default: break
        }
        return .end(.finished(.rejected(response)))
    }

    /// A server may have taken all of an upload before it forgot it, or have it without being able
    /// to say so.
    private func lostSight(_ response: UploadResponse) -> Step {
        let failure = UploadFailure(
            .mayHaveBeenDelivered,
            "the server knows nothing of the upload any more (\(response.status)), and may have"
                + " taken the request, which must not be repeated"
        )
        return .end(.finished(.failed(failure)))
    }

    private mutating func broken(
        _ exchange: UploadPlan.Exchange,
        _ error: TransportError,
        touchedServer: Bool
    ) -> Step {
        if error.kind == .cancelled, Task.isCancelled {
            if !mayRepeat(exchange) {
                if touchedServer { record.mayHaveBeenDelivered = true } else { forgetRequest() }
            }
            return .end(.stopped)
        }
        let isBodyUnreadable = error.kind == .bodyUnreadable
        if isBodyUnreadable, let problem = lastingProblemOfBody() { return bodyFailed(problem) }
        guard error.isTransient || error.kind == .cancelled || isBodyUnreadable else {
            let failure = UploadFailure(.permanent, error.message, transportError: error)
            return .end(.finished(.failed(failure)))
        }
        guard !touchedServer || mayRepeat(exchange) else {
            let failure = UploadFailure(
                .mayHaveBeenDelivered,
                "\(error.message); the server may have taken the request, which must not be repeated",
                transportError: error
            )
            return .end(.finished(.failed(failure)))
        }
        return retry(
            error.message,
            otherwise: .failed(
                UploadFailure(.attemptsExhausted, error.message, transportError: error)
            )
        )
    }

    /// What is wrong with the body and will stay so; `nil` if the system only couldn't read it now.
    private func lastingProblemOfBody() -> UploadError? {
        do throws(UploadError) {
            try store.checkBody(record)
        } catch .system {
            return nil
        } catch {
            return error
        }
        return nil
    }

    private mutating func bodyFailed(_ error: UploadError) -> Step {
        let outcome = UploadOutcome.failed(UploadFailure(.bodyUnusable, error.description))
        // A want of descriptors or memory, or a disk that hiccups, says nothing of the body.
        if case .system = error {
            return retry(error.description, otherwise: outcome)
        }
        return .end(.finished(outcome))
    }

    /// Over a connection that turns out to be dead, a transport may repeat a request by itself: it
    /// must be one that does no harm twice, and what failed before gets a new connection.
    private func mayReuseConnection(_ exchange: UploadPlan.Exchange) -> Bool {
        guard record.failures == 0 else { return false }
        switch exchange {
        case .plain: return record.request.mayBeRepeated
        case .ask: return true
        case .create, .append: return false
        }
    }

    /// A resource of its own makes every further request of an upload safe to repeat.
    private func mayRepeat(_ exchange: UploadPlan.Exchange) -> Bool {
        switch exchange {
        case .ask, .append: true
        case .create, .plain:
            record.request.mayBeRepeated || record.resumption?.resource != nil
        }
    }

    private mutating func retry(
        _ reason: String,
        after response: UploadResponse? = nil,
        otherwise outcome: UploadOutcome
    ) -> Step { retry(reason, after: response, otherwise: .finished(outcome)) }

    private mutating func retry(
        _ reason: String,
        after response: UploadResponse? = nil,
        otherwise end: End
    ) -> Step { .end(delayed(reason, after: response, otherwise: end)) }

    private mutating func delayed(
        _ reason: String,
        after response: UploadResponse? = nil,
        otherwise end: End
    ) -> End {
        offset = nil
        record.failures += 1
        var generator = SystemRandomNumberGenerator()
        let now = Date()
        let decision = record.request.retryPolicy.decision(
            afterAttempt: record.failures,
            retryAfter: response?.header("Retry-After"),
            // A server's dates are by its own clock.
            now: response?.header("Date").flatMap { RetryAfter.date($0, now: now) } ?? now,
            using: &generator
        )
        switch decision {
        case .retry(let delay):
            return .retry(at: Date(timeIntervalSinceNow: delay.inSeconds), reason: reason)
        case .exhausted, .refused: return end
        }
    }

    private mutating func conflict(_ reason: String) -> Step {
        offset = nil
        conflicts += 1
        guard conflicts > Self.conflictLimit else { return .again }
        conflicts = 0
        return retry(
            reason,

            otherwise: .failed(UploadFailure(.attemptsExhausted, reason))
        )
    }

    private func delivered(_ response: UploadResponse) -> Step {
        hub.publish(
            .sending(
                sent: plan.contentLength,
                total: plan.contentLength,
                attempt: record.attempts
            ),
            of: record.id
        )
        return .end(.finished(.delivered(response)))
    }

    private func violation(_ message: String) -> Step {
        .end(.finished(.failed(UploadFailure(.protocolViolation, message))))
    }

    private func refused(_ message: String) -> Step {
        .end(.finished(.failed(UploadFailure(.redirectRefused, message))))
    }

    /// Progress is what makes an upload over a bad line end: it starts the count of failures anew.
    private mutating func acknowledge(_ offset: Int64) {
        guard offset > record.resumption?.acknowledged ?? 0 else { return }
        record.resumption?.acknowledged = offset
        record.failures = 0
        conflicts = 0
        refusals = 0
        try? store.save(record)
    }

    private mutating func learn(_ response: UploadResponse) {
        if let limit = UploadPlan.appendLimit(response) { record.resumption?.appendLimit = limit }
    }

    private mutating func forgetOffset(after exchange: UploadPlan.Exchange) {
        switch exchange {
        case .plain, .create, .ask: break
        case .append: offset = nil
        }
    }

    private func isSameOrigin(_ url: URL) -> Bool { Origin(url) == Origin(record.request.url) }

    /// Whether the body may go to an address that a server named.
    private func allows(_ next: URL, from current: URL) -> Bool {
        guard let origin = Origin(next), let now = Origin(current), next.user == nil else {
            return false
        }
        if now.scheme == "https", origin.scheme != "https" { return false }
        return isSameOrigin(next) || record.request.followsToOtherOrigins
    }

    /// Whether credentials may be asked for: those for one upload's server are no business of
    /// another's, so what was queued without any is sent without.
    private var mayHaveCredentials: Bool { authorize != nil && record.needsCredentials != false }

    private struct AuthorizationProblem: Error {
        let message: String
        let isPermanent: Bool
    }

    private func checkedCredentials(
        for url: URL,
        within limit: Duration?
    ) async
        -> Result<[UploadHeader], AuthorizationProblem>
    {
        guard isSameOrigin(url) else { return .success([]) }
        do {
            let headers = try await credentials(for: url, within: limit)
            for header in headers {
                let name = header.name.lowercased()
                guard header.isWellFormed, !UploadRequest.isReserved(name) else {
                    // What is no name may be the secret: it is neither shown nor kept.
                    let isName = UploadHeader(header.name, "").isWellFormed
                    let message = "authorize gave a header that can't be sent"
                    return .failure(
                        AuthorizationProblem(
                            message: isName ? "\(message): \(header.name)" : message,
                            isPermanent: true
                        )
                    )
                }
            }
            return .success(headers)
        } catch {
            return .failure(
                AuthorizationProblem(message: "authorize failed: \(error)", isPermanent: false)
            )
        }
    }

    private struct NoCredentialsInTime: Error, CustomStringConvertible {
        let limit: Duration
        var description: String { "no answer within \(limit)" }
    }

    private func credentials(
        for url: URL,
        within limit: Duration?
    ) async throws -> [UploadHeader] {
        guard let authorize, mayHaveCredentials else { return [] }
        let question = Uploader.Authorization(
            upload: record.id,
            url: url,
            attempt: record.attempts,
            wasRefused: wasRefused
        )
        guard let limit else { return try await authorize(question) }
        return try await withThrowingTaskGroup { group in
            group.addTask { try await authorize(question) }
            group.addTask {
                try await Task.sleep(for: limit)
                throw NoCredentialsInTime(limit: limit)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }
}
