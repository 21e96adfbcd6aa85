import Foundation
import MultipartEncoder
import MultipartTool
import MultipartUpload

/// Runs the command that gives credentials.
///
/// It prints a header a line, `Name: value`, and is told by `MULTIPART_URL`, `MULTIPART_ATTEMPT` and
/// `MULTIPART_REFUSED` (1 after a 401) what for.
enum AuthorizeCommand {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    static func run(
        _ command: String,
        _ question: Uploader.Authorization
    ) async throws -> [UploadHeader] {
        let environment = ProcessInfo.processInfo.environment.merging([
            "MULTIPART_URL": question.url.absoluteString,
            "MULTIPART_ATTEMPT": String(question.attempt),
            "MULTIPART_REFUSED": question.wasRefused ? "1" : "0",
        ]) { $1 }
        let end = try await UploadShell.run(command, environment: environment)
        guard end.status == 0 else {
            throw Failed(description: "the command ended with \(end.status)")
        }
        // Repaired, it would be a secret that the server refuses.
        guard let text = String(validating: end.output, as: UTF8.self) else {
            throw Failed(description: "the command printed what is no UTF-8")
        }
        return try text.split(whereSeparator: \.isNewline).map { line in
            guard let header = HeaderLine(line) else {
                // The line itself may be the secret: it isn't shown.
                throw Failed(description: "the command printed a line that is no header")
            }
            return UploadHeader(header.name, header.value)
        }
    }
}
