import Foundation
import MultipartEncoder
import MultipartUpload
import Testing

/// Every transport there is, for tests that all must pass.
enum TransportKind: String, CaseIterable, Codable, CustomTestStringConvertible {
    case curl
    case urlSession

    var testDescription: String { rawValue }

    func make(responseLimit: Int = 1024 * 1024) -> any UploadTransport {
        switch self {
        case .curl: CurlTransport(configuration: .init(responseLimit: responseLimit))
        case .urlSession: URLSessionTransport(configuration: .init(responseLimit: responseLimit))
        }
    }
}

extension UploadTransport {
    /// One attempt.
    func perform(
        to url: URL,
        _ body: SpooledBody?,
        method: String = "POST",
        headers: [UploadHeader] = [],
        offset: Int64 = 0,
        length: Int64? = nil,
        deadline: Duration? = nil,
        stallTimeout: Duration = .seconds(20),
        report: @escaping @Sendable (AttemptReport) -> Void = { _ in }
    ) async -> AttemptResult {
        let attempt = UploadAttempt(
            upload: .random(),
            url: url,
            method: method,
            headers: headers + [UploadHeader("Content-Type", body?.contentType ?? "text/plain")],
            body: body.map {
                UploadAttempt.Body(
                    path: $0.path,
                    fileSize: $0.contentLength,
                    offset: offset,
                    length: length ?? $0.contentLength - offset
                )
            },
            deadline: deadline,
            stallTimeout: stallTimeout
        )
        return await perform(attempt, report: report)
    }
}

/// What this toolchain's FoundationNetworking can't do, by the numbers of its public reports.
enum FoundationNetworkingDefects {
    /// #5285.
    static var cutHeadIsMended: Bool {
        #if compiler(>=6.4)
        true
        #else
        false
        #endif
    }
}
