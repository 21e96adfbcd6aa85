import Foundation
import Synchronization

/// Makes sessions of URLSession.
struct SystemSessionFactory: UploadSessionFactory {
    private let sharedContainer: String?
    /// All callbacks come from here, one at a time.
    private let queue = OperationQueue()

    init(_ sharedContainer: String?) {
        self.sharedContainer = sharedContainer
        queue.maxConcurrentOperationCount = 1
        queue.name = "upload"
    }

    var hasBackgroundSessions: Bool { URLSessionPlatform.hasBackgroundSessions }

    func makeSession(
        _ kind: UploadSessionKind,
        for channel: SessionChannel
    )
        -> any UploadSession
    {
        let configuration =
            switch kind {
            case .transient: URLSessionConfiguration.ephemeral
            case .background(let identifier):
                URLSessionPlatform.background(identifier, sharedContainer: sharedContainer)
            }
        // Nothing is remembered. On Linux the cache also ends the process when a task is cancelled
        // early (swift-corelibs-foundation #3292, #3296).
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        let delegate = SystemSessionDelegate(channel)
        let session = URLSession(
            configuration: configuration,
            delegate: delegate,
            delegateQueue: queue
        )
        return SystemSession(session: session, delegate: delegate, queue: queue)
    }
}

private struct SystemSession: UploadSession {
    let session: URLSession
    let delegate: SystemSessionDelegate
    let queue: OperationQueue

    func tasks() async -> [any UploadSessionTask] {
        await withCheckedContinuation { continuation in
            session.getAllTasks { [delegate, queue] tasks in
                continuation.resume(
                    returning: tasks.map {
                        SystemSessionTask(task: $0, delegate: delegate, queue: queue)
                    }
                )
            }
        }
    }

    func makeTask(
        _ request: URLRequest,
        _ body: SessionBody,
        name: String
    ) -> (any UploadSessionTask)? {
        let task: URLSessionTask
        switch body {
        case .none: task = session.dataTask(with: request)
        case .file(let path):
            task = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
        case .range(let body):
            // With a file, Linux ends the process when a connection breaks. This form is safe, and
            // with these fields as plain on the wire as the other: a length, no chunks, no waiting.
            var request = request
            request.setValue(String(body.length), forHTTPHeaderField: "Content-Length")
            request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
            request.setValue(" ", forHTTPHeaderField: "Expect")
            task = session.uploadTask(withStreamedRequest: request)
            delegate.setBody(body, of: task.taskIdentifier)
        }
        task.taskDescription = name
        return SystemSessionTask(task: task, delegate: delegate, queue: queue)
    }

    func invalidate(cancellingTasks: Bool) {
        if cancellingTasks {
            session.invalidateAndCancel()
        } else {
            session.finishTasksAndInvalidate()
        }
    }
}

private struct SystemSessionTask: UploadSessionTask {
    let task: URLSessionTask
    let delegate: SystemSessionDelegate
    let queue: OperationQueue

    var number: Int { task.taskIdentifier }
    var name: String? { task.taskDescription }
    func resume() { task.resume() }

    /// On the delegate's queue: elsewhere it can wait for ever on Linux
    /// (swift-corelibs-foundation #5412).
    func cancel() {
        queue.addOperation { [task, delegate] in
            delegate.willCancel(task)
            task.cancel()
        }
    }
}

/// Passes on what URLSession tells; it decides only what must be decided at once.
private final class SystemSessionDelegate: NSObject, URLSessionDataDelegate {
    private let channel: SessionChannel
    private let bodies = Mutex<[Int: UploadAttempt.Body]>([:])
    private let cancelled = Mutex<Set<Int>>([])

    init(_ channel: SessionChannel) { self.channel = channel }

    func setBody(_ body: UploadAttempt.Body, of task: Int) { bodies.withLock { $0[task] = body } }

    /// Called where the callbacks come from.
    func willCancel(_ task: URLSessionTask) {
        cancelled.withLock { _ = $0.insert(task.taskIdentifier) }
    }

    /// Whether an answer to the system would come too late: on Linux it ends the process then.
    private func isCancelled(_ task: URLSessionTask) -> Bool {
        cancelled.withLock { $0.contains(task.taskIdentifier) }
    }

    private func tell(_ event: SessionEvent, _ task: URLSessionTask) {
        channel.take(event, of: task.taskIdentifier, named: task.taskDescription)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        let number = task.taskIdentifier
        let name = task.taskDescription
        let stream = bodies.withLock { $0[number] }.map { body in
            FileRangeStream(body) { [channel] reason in
                channel.take(.bodyFailed(reason), of: number, named: name)
            }
        }
        completionHandler(stream)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        tell(.sent(totalBytesSent), task)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        guard !isCancelled(task) else { return }
        completionHandler(nil)  // the redirect is the answer; on Linux the body would be lost
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard !isCancelled(task) else { return }
        guard !URLSessionPlatform.asksForTrust(challenge.protectionSpace) else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        // Anything else never ends on Linux (swift-corelibs-foundation #5456).
        tell(.passwordRefused, task)
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            tell(.response(UploadResponse(response)), dataTask)
        }
        completionHandler(.allow)
    }

    // Linux has interim responses in the method above, and never calls this one.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        tell(.response(UploadResponse(response)), task)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        tell(.data(data), dataTask)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        // Linux tells of a redirect that leads nowhere only here.
        if error == nil, let response = task.response as? HTTPURLResponse {
            tell(.lateResponse(UploadResponse(response)), task)
        }
        tell(.ended(error), task)
        bodies.withLock { $0[task.taskIdentifier] = nil }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        channel.finishedEvents()
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        channel.invalidated()
    }
}

extension UploadResponse {
    fileprivate init(_ response: HTTPURLResponse) {
        let headers = response.allHeaderFields.map { UploadHeader("\($0.key)", "\($0.value)") }
        self.init(status: response.statusCode, headers: headers.sorted { $0.name < $1.name })
    }
}
