/// Why a text can't be a boundary (RFC 2046, section 5.1.1).
public enum BoundaryError: Error, Hashable, Sendable {
    /// A boundary has at least one character.
    case empty
    /// A boundary has at most 70 characters; this one has so many bytes.
    case tooLong(Int)
    /// A byte that is none of the characters a boundary may have.
    case forbiddenByte(UInt8, offset: Int)
    /// The last character is a space.
    case endsInSpace
}

extension BoundaryError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .empty: "the boundary is empty; give 1 to 70 characters"
        case .tooLong(let count): "the boundary has \(count) bytes; give at most 70"
        case .forbiddenByte(let byte, let offset):
            "the boundary has byte \(byte) at offset \(offset); use letters, digits and '()+_,-./:=?"
        case .endsInSpace: "the boundary ends in a space; remove it"
        }
    }
}
