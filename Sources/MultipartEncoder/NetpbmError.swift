/// Why a file is no PNM or PAM image.
package enum NetpbmError: Error, Hashable, Sendable {
    /// It starts with none of `P1` to `P7`.
    case unknownKind
    /// The file ends within its header.
    case endsInHeader
    /// Something else stands where a number should; or the number is beyond its limits.
    case invalid(Field)
    /// A header that PAM must have is not there.
    case missing(Field)
    /// A line of a PAM header that nobody knows.
    case unknownLine(String)
    /// A kind of pixels that is none of PAM's own, or has another depth.
    case tupleType(String, depth: Int)
    /// No integer can say how many bytes the samples take.
    case overflow
    /// The file ends before the image does.
    case truncated(missing: Int)
    /// A sample in row `row` (from 0) is no number, or above the header's maximum.
    case invalidSample(row: Int)

    package enum Field: String, Hashable, Sendable {
        case width
        case height
        case depth
        case maximum
    }
}

extension NetpbmError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownKind: "not a PNM or PAM image: it starts with none of P1 to P7"
        case .endsInHeader: "the image's header is cut off"
        case .invalid(let field): "the header's \(field.rawValue) is no number that can be right"
        case .missing(let field): "the header has no \(field.rawValue)"
        case .unknownLine(let line): "the header has an unknown line \"\(printable(line))\""
        case .tupleType(let type, let depth):
            "pixels of type \"\(printable(type))\" and depth \(depth) are not known"
        case .overflow: "the image is too large to address"
        case .truncated(let missing): "the image is cut off: \(missing) bytes are missing"
        case .invalidSample(let row):
            "row \(row + 1) has a sample that is no number, or above the maximum"
        }
    }
}
