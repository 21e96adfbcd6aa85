import Foundation
import MultipartEncoder

/// A file of random bytes that stands for a spooled body.
struct TestBody {
    let body: SpooledBody
    let sha256: String

    init(in directory: TemporaryDirectory, count: Int) throws {
        let path = directory.path + "/spool-\(UUID().uuidString)"
        let script = "head -c \(count) /dev/urandom >\"$0\" && sha256sum \"$0\""
        let output = try run("sh", ["-c", script, path])
        sha256 = String(decoding: output.prefix(64), as: UTF8.self)
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
