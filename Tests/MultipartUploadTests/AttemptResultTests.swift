import MultipartUpload
import Testing

@Suite struct AttemptResultTests {
    private let lost = TransportError(.connectionLost, "reset")

    private func verdict(_ status: Int?, _ error: TransportError? = nil) -> AttemptVerdict {
        AttemptResult(
            response: status.map { UploadResponse(status: $0) },
            error: error,
            touchedServer: true
        ).verdict
    }

    @Test(arguments: [200, 201, 202, 204, 299])
    func `takes 2xx for delivered`(status: Int) {
        #expect(verdict(status) == .delivered(UploadResponse(status: status)))
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func `tries again after what may pass`(status: Int) {
        #expect(verdict(status) == .retriable(UploadResponse(status: status)))
    }

    @Test(arguments: [300, 301, 302, 303, 304, 400, 403, 404, 409, 411, 413, 422, 501, 505, 599])
    func `takes every other answer as final`(status: Int) {
        #expect(verdict(status) == .rejected(UploadResponse(status: status)))
    }

    @Test(arguments: [307, 308])
    func `leaves redirects to the caller`(status: Int) {
        #expect(verdict(status) == .redirected(UploadResponse(status: status)))
    }

    @Test(arguments: [401, 403, 413, 503])
    func `an answer stands although the connection broke after it`(status: Int) {
        #expect(verdict(status, lost) == verdict(status))
        #expect(verdict(status, TransportError(.cancelled, "")) == verdict(status))
    }

    // aws-sdk-ios#1058: an end without an error was taken for success.
    @Test func `no answer is a failure even without an error`() {
        guard case .broken(let error) = verdict(nil) else {
            Issue.record("not broken")
            return
        }
        #expect(error.kind == .noResponse && error.isTransient)
        guard case .broken = verdict(104) else {
            Issue.record("an interim response isn't an answer")
            return
        }
    }

    @Test func `success with a lost rest is told apart`() {
        #expect(verdict(200, lost) == .cutAfterSuccess(UploadResponse(status: 200), lost))
    }

    // Vydia/react-native-background-upload#92: -997 and the like come from outside and may pass.
    @Test(arguments: TransportError.Kind.allCases)
    func `knows which errors may pass`(kind: TransportError.Kind) {
        let permanent: Set<TransportError.Kind> = [
            .untrustedCertificate, .trustStoreUnusable, .bodyUnreadable, .cancelled, .unsupported,
        ]
        #expect(TransportError(kind, "").isTransient != permanent.contains(kind))
    }
}
