/// Why a body could not be written.
///
/// After any of these the writer is of no more use: its spool is gone, sources are untouched, and
/// every later call throws the same error again.
public enum MultipartError: Error, Sendable {
    /// A name, filename, type or custom header can't stand in a part's header.
    case header(PartLabel, HeaderDefect)
    /// The boundary that the caller chose occurs in what a part holds, `offset` bytes after the
    /// part's first one. Take another boundary, best ``Boundary/random()``.
    case boundaryCollision(PartLabel, offset: Int64)
    /// A file or descriptor could not be read as promised.
    case source(PartLabel, path: String, SourceDefect)
    /// The body could not be written; `path` is `nil` for a descriptor.
    case output(path: String?, SystemError)
    /// An image can't become a PNG.
    case image(PartLabel, PNGError)
    /// The closure that makes a part's content failed.
    case producer(PartLabel, any Error)
    /// A stream wrote another number of bytes than it had promised.
    case lengthMismatch(PartLabel, promised: Int64, written: Int64)
    /// ``MultipartSubtype/related(start:)`` names a part that the body does not have.
    case noStartPart(String)
    /// The body goes beyond what ``WritingOptions/limits`` allow.
    case limit(LimitViolation)
    /// The task was cancelled or the progress handler said so.
    case cancelled
}

/// What is wrong with a part's header.
public enum HeaderDefect: Error, Hashable, Sendable {
    /// A custom header's name is no token (RFC 9110, section 5.6.2).
    case invalidFieldName(String)
    /// A type or a header's value holds CR, LF or NUL, which could add headers of its own.
    case forbiddenByte(field: String, byte: UInt8)
    /// The encoder writes this header itself, or the standard forbids it (RFC 7578, section 4.8).
    case reservedField(String)
    /// A name or filename holds NUL, on which a third of the servers fail. See
    /// ``WritingOptions/allowsNULInNames``.
    case nulInName
    /// The boundary that the caller chose occurs in the header itself.
    case holdsBoundary
}

/// What is wrong with a part's source.
public enum SourceDefect: Error, Hashable, Sendable {
    /// A system call failed, such as `open` for a file that is not there.
    case system(SystemError)
    /// It is a directory, a device, a FIFO or a socket.
    case notRegularFile
    /// The range reaches past the file's end.
    case rangeOutside(Range<Int64>, size: Int64)
    /// The file got longer, shorter or was written to while it was read.
    case changedWhileRead
}

extension MultipartError: CustomStringConvertible {
    /// What went wrong, where, and what to do.
    public var description: String {
        switch self {
        case .header(let part, let defect): "\(part): \(defect)"
        case .boundaryCollision(let part, let offset):
            "\(part): the boundary occurs in the content at offset \(offset); choose another one"
        case .source(let part, let path, let defect): "\(part): \(printable(path)): \(defect)"
        case .output(let path?, let error): "\(printable(path)): \(error)"
        case .output(nil, let error): "output: \(error)"
        case .image(let part, let error): "\(part): \(error)"
        case .producer(let part, let error): "\(part): \(error)"
        case .lengthMismatch(let part, let promised, let written):
            "\(part): \(promised) bytes promised, \(written) written"
        case .noStartPart(let name): "no part is named \"\(printable(name))\", the start part"
        case .limit(let violation):
            violation.part.map { "part \($0 + 1): \(violation)" } ?? violation.description
        case .cancelled: "cancelled"
        }
    }
}

extension HeaderDefect: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .invalidFieldName(let name): "\"\(printable(name))\" is no header name"
        case .forbiddenByte(let field, let byte):
            "\(field) holds byte \(byte), which could add a header; remove it"
        case .reservedField(let name): "\(name) can't be set by hand; leave it out"
        case .nulInName: "the name or filename holds a NUL; remove it"
        case .holdsBoundary: "the boundary occurs in the part's header; choose another one"
        }
    }
}

extension SourceDefect: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .system(let error): error.description
        case .notRegularFile: "not a regular file; append its content as a stream"
        case .rangeOutside(let range, let size):
            "bytes \(range.lowerBound) to \(range.upperBound) asked for, but it has \(size)"
        case .changedWhileRead: "changed while it was read; append it when nobody writes to it"
        }
    }
}
