/// What can be said of an outcome in a file's name: enough to send nothing twice when the disk has no
/// room for the outcome itself.
struct UploadMark {
    /// The file's name, such as `ended-delivered-201`.
    let name: String
    /// The outcome without what isn't in the name.
    let outcome: UploadOutcome

    init(_ outcome: UploadOutcome) {
        switch outcome {
        case .delivered(let response):
            self.init(
                Self.delivered,
                String(response.status),
                .delivered(Self.cut(response.status))
            )
        case .rejected(let response):
            self.init(Self.rejected, String(response.status), .rejected(Self.cut(response.status)))
        case .failed(let failure):
            let failure = UploadFailure(failure.reason, "the disk had no room for what happened")
            self.init(Self.failed, failure.reason.rawValue, .failed(failure))
        case .cancelled: self.init(Self.cancelled, "", .cancelled)
        }
    }

    /// Reads a name; `nil` if it is none that this type gives.
    init?(name: String) {
        let words = name.split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == Self.start else { return nil }
        let outcome: UploadOutcome? =
            switch String(words[1]) {
            case Self.delivered: Int(words[2]).map { .delivered(Self.cut($0)) }
            case Self.rejected: Int(words[2]).map { .rejected(Self.cut($0)) }
            case Self.failed:
                UploadFailure.Reason(rawValue: String(words[2])).map {
                    .failed(UploadFailure($0, ""))
                }
            case Self.cancelled: .cancelled
            default: nil
            }
        guard let outcome else { return nil }
        let mark = UploadMark(outcome)
        guard mark.name == name else { return nil }
        self = mark
    }

    private init(_ kind: String, _ detail: String, _ outcome: UploadOutcome) {
        name = "\(Self.start)-\(kind)-\(detail)"
        self.outcome = outcome
    }

    private static func cut(_ status: Int) -> UploadResponse {
        UploadResponse(status: status, isBodyCut: true)
    }

    private static let start = "ended"
    private static let delivered = "delivered"
    private static let rejected = "rejected"
    private static let failed = "failed"
    private static let cancelled = "cancelled"
}
