import Foundation
import MultipartEncoder
import Synchronization

/// A file of random bytes that stands for a spooled body.
///
/// No two in a directory have the same bytes. Those of different tests may, if they aren't large:
/// it takes programs to make and to sum them, and there are hundreds.
struct TestBody {
    private struct Content: Sendable {
        let bytes: Data
        let sha256: String
    }

    private static let known = Mutex<[TemporaryDirectory.Member: Content]>([:])
    private static let limit = 4_000_000

    let body: SpooledBody
    let sha256: String

    init(in directory: TemporaryDirectory, count: Int) throws {
        let path = directory.path + "/spool-\(UUID().uuidString)"
        let member = directory.nextMember(of: count)
        if let content = Self.known.withLock({ $0[member] }) {
            try content.bytes.write(to: URL(fileURLWithPath: path))
            sha256 = content.sha256
        } else {
            let script = "head -c \(count) /dev/urandom >\"$0\" && sha256sum \"$0\""
            let output = try run("sh", ["-c", script, path])
            let sum = String(decoding: output.prefix(64), as: UTF8.self)
            sha256 = sum
            if count <= Self.limit {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                Self.known.withLock { $0[member] = Content(bytes: bytes, sha256: sum) }
            }
        }
        let boundary = try Boundary("tests")
        body = SpooledBody(
            path: path,
            contentType: "multipart/form-data; boundary=tests",
            contentLength: Int64(count),
            boundary: boundary,
            parts: []
        )
    }
}
