/// Which kind of multipart a body is, and so which headers its parts have.
public enum MultipartSubtype: Hashable, Sendable {
    /// `multipart/form-data` (RFC 7578): every part has a name.
    case formData
    /// `multipart/mixed` (RFC 2046, section 5.1.3): parts with a filename are attachments, names
    /// are not sent.
    case mixed
    /// `multipart/related` (RFC 2387): a part's name is its `Content-ID`; the root is the part
    /// named `start`, or the first one.
    case related(start: String? = nil)

    /// The part after `multipart/`.
    package var name: String {
        switch self {
        case .formData: "form-data"
        case .mixed: "mixed"
        case .related: "related"
        }
    }
}
