import Foundation

/// Decides which request an upload needs next, and reads what the answers of the resumable-upload
/// protocol say (draft-ietf-httpbis-resumable-upload).
///
/// Pure: no time, no files, no network.
struct UploadPlan {
    /// One request of an upload.
    enum Exchange: Hashable {
        /// The whole body in an ordinary request.
        case plain
        /// The whole body, and the server may keep what it gets of it.
        case create(InteropVersion)
        /// How much does the server have?
        case ask(InteropVersion, URL)
        /// Some more of the body.
        case append(InteropVersion, URL, offset: Int64, length: Int64)
    }

    let request: UploadRequest
    let contentType: String
    let contentLength: Int64
    let id: UploadID

    init(_ record: UploadRecord) {
        request = record.request
        contentType = record.contentType
        contentLength = record.contentLength
        id = record.id
    }

    /// The next request.
    ///
    /// `offset` is what the server has, if it said so since the last failure.
    func next(_ resumption: UploadRecord.Resumption?, offset: Int64?) -> Exchange {
        guard let resumption, let version = resumption.version else { return .plain }
        guard let resource = resumption.resource else { return .create(version) }
        guard let offset else { return .ask(version, resource) }
        let rest = contentLength - offset
        let length = min(rest, max(1, resumption.appendLimit ?? rest))
        return .append(version, resource, offset: offset, length: length)
    }

    /// What goes on the wire.
    ///
    /// The request's own header fields only go to its own origin.
    func headers(
        of exchange: Exchange,
        isSameOrigin: Bool,
        credentials: [UploadHeader]
    ) -> [UploadHeader] {
        var headers = isSameOrigin ? request.headers : []
        if request.sendsIdempotencyKey { headers.append(UploadHeader("Idempotency-Key", id.text)) }
        switch exchange {
        case .plain: headers.append(UploadHeader("Content-Type", contentType))
        case .create(let version):
            headers.append(UploadHeader("Content-Type", contentType))
            headers.append(UploadHeader("Upload-Complete", "?1"))
            headers.append(UploadHeader("Upload-Length", String(contentLength)))
            headers.append(version.header)
        case .ask(let version, _): headers.append(version.header)
        case .append(let version, _, let offset, let length):
            let isLast = offset + length == contentLength
            headers.append(UploadHeader("Content-Type", "application/partial-upload"))
            headers.append(UploadHeader("Upload-Offset", String(offset)))
            headers.append(UploadHeader("Upload-Complete", isLast ? "?1" : "?0"))
            headers.append(version.header)
        }
        return headers + credentials
    }

    func method(of exchange: Exchange) -> String {
        switch exchange {
        case .plain, .create: request.method
        case .ask: "HEAD"
        case .append: "PATCH"
        }
    }

    func body(of exchange: Exchange, path: String) -> UploadAttempt.Body? {
        let range: (offset: Int64, length: Int64)? =
            switch exchange {
            case .plain, .create: (0, contentLength)
            case .ask: nil
            case .append(_, _, let offset, let length): (offset, length)
            }
        return range.map {
            UploadAttempt.Body(
                path: path,
                fileSize: contentLength,
                offset: $0.offset,
                length: $0.length
            )
        }
    }

    /// Whether an interim or final response speaks for a version: one that names another is
    /// ignored, as the draft wants.
    static func speaks(_ version: InteropVersion, _ response: UploadResponse) -> Bool {
        guard let named = response.header("Upload-Draft-Interop-Version") else { return true }
        return Int(named) == version.rawValue
    }

    static func offset(_ response: UploadResponse) -> Int64? {
        guard let text = response.header("Upload-Offset"), let offset = Int64(text), offset >= 0
        else { return nil }
        return offset
    }

    /// `Upload-Complete` of a response; `nil` if it isn't there.
    static func isComplete(_ response: UploadResponse) -> Bool? {
        switch response.header("Upload-Complete") {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// Whether a refusal of an append is the protocol's own, not the target's: the server has other
    /// bytes than were thought, or all of them.
    static func isAboutOffset(_ response: UploadResponse) -> Bool {
        if response.status == 409, offset(response) != nil { return true }
        guard let problem = try? JSONDecoder().decode(Problem.self, from: response.body) else {
            return false
        }
        return Problem.ofOffset.contains(problem.type)
    }

    /// A problem of RFC 9457, as far as it matters here.
    private struct Problem: Decodable {
        let type: String

        private static let registry = "https://iana.org/assignments/http-problem-types#"
        static let ofOffset: Set = [
            registry + "mismatching-upload-offset", registry + "completed-upload",
        ]
    }

    /// The `max-append-size` of an `Upload-Limit` header.
    static func appendLimit(_ response: UploadResponse) -> Int64? {
        guard let limits = response.header("Upload-Limit") else { return nil }
        for item in limits.split(separator: ",") {
            let pair = item.split(separator: "=", maxSplits: 1)
            guard pair.count == 2,
                pair[0].trimmingCharacters(in: .whitespaces) == "max-append-size",
                let limit = Int64(pair[1].trimmingCharacters(in: .whitespaces)), limit > 0
            else { continue }
            return limit
        }
        return nil
    }
}

extension InteropVersion {
    var header: UploadHeader { UploadHeader("Upload-Draft-Interop-Version", String(rawValue)) }
}
