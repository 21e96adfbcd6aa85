/// Something in a multipart body that a reader may stumble over, and where.
public struct BodyFault: Hashable, Sendable {
    /// Where it is, in bytes from the start of the body.
    public let offset: Int64
    /// The part it belongs to, the first being 0; `nil` before the first part and after the last.
    public let part: Int?
    /// What it is.
    public let kind: Kind

    /// What can be wrong with a body.
    public enum Kind: Hashable, Sendable {
        /// The `Content-Type` given is no `multipart/…` with a `boundary` that may be one.
        case contentType(String)
        /// The delimiter is nowhere to be found.
        case noDelimiter
        /// So many bytes come before the first delimiter.
        case bytesBeforeFirstDelimiter(Int64)
        /// A delimiter does not start a line: the CRLF that belongs to it is missing.
        case noLineBreakBeforeDelimiter
        /// A line break that is LF alone.
        case bareLineFeed
        /// A CR that no LF follows, inside a header.
        case bareCarriageReturn
        /// Spaces between a delimiter and the end of its line.
        case paddedDelimiter
        /// A line of content or header starts with the delimiter but goes on.
        case delimiterGoesOn
        /// The delimiter's text occurs in the middle of a line of content or header.
        case delimiterTextInContent
        /// A delimiter where a header's empty line should be.
        case headerWithoutEmptyLine
        /// A header block that is longer than this reader takes.
        case headerTooLong
        /// A header line that is no `Name: value`.
        case malformedHeaderLine
        /// A header value that goes on in the next line.
        case foldedHeader
        /// A header whose bytes are not UTF-8.
        case headerNotUTF8
        /// A NUL in a header.
        case nulInHeader
        /// The same header twice.
        case repeatedHeader(String)
        /// A part of a form without `Content-Disposition`.
        case noDisposition
        /// `Content-Disposition` is not the first header.
        case dispositionNotFirst
        /// A part of a form whose disposition is something else than `form-data`.
        case dispositionNotFormData
        /// A part of a form without a name.
        case noName
        /// The name does not come before the other parameters.
        case nameNotFirst
        /// A parameter that is no `key="value"`, or without `"; "` before it.
        case malformedParameter(String)
        /// A parameter's value without quotes.
        case unquotedParameter(String)
        /// A quote inside a parameter's value, bare or after a backslash, that should be `%22`.
        case quoteInParameter(String)
        /// `name*` or `filename*`, which RFC 7578, section 4.2, forbids.
        case extendedParameter(String)
        /// The same parameter twice.
        case repeatedParameter(String)
        /// A header that RFC 7578, section 4.7 or 4.8, keeps out of a part.
        case forbiddenHeader(String)
        /// The body ends inside a delimiter or a header.
        case endsTooEarly
        /// The body ends without the closing delimiter.
        case noClosingDelimiter
        /// No CRLF after the closing delimiter.
        case noLineBreakAtEnd
        /// So many bytes come after the closing delimiter's line.
        case bytesAfterEnd(Int64)
    }

    /// Whether the grammar allows it, so that only some readers are misled.
    public var isWarning: Bool {
        switch kind {
        case .paddedDelimiter, .delimiterTextInContent, .foldedHeader, .dispositionNotFirst,
            .nameNotFirst, .unquotedParameter, .noLineBreakAtEnd, .forbiddenHeader:
            true
        default: false
        }
    }
}

extension BodyFault: CustomStringConvertible {
    /// Where and what, in one line.
    public var description: String {
        let place = part.map { " (part \($0 + 1))" } ?? ""
        return "byte \(offset)\(place): \(kind)"
    }
}

extension BodyFault.Kind: CustomStringConvertible {
    /// What is wrong, and where it helps, what should be there.
    public var description: String {
        switch self {
        case .contentType(let text): "\"\(printable(text))\" names no usable boundary"
        case .noDelimiter: "no delimiter anywhere"
        case .bytesBeforeFirstDelimiter(let count):
            "\(count) bytes before the first delimiter; it should be the very first"
        case .noLineBreakBeforeDelimiter:
            "no CRLF before the delimiter; most readers take it for content"
        case .bareLineFeed: "a line ends in LF alone instead of CRLF"
        case .bareCarriageReturn: "a CR without LF in a header"
        case .paddedDelimiter: "spaces after the delimiter"
        case .delimiterGoesOn: "a line starts with the delimiter but goes on"
        case .delimiterTextInContent: "the delimiter's text occurs inside a line"
        case .headerWithoutEmptyLine: "no empty line between header and content"
        case .headerTooLong: "a header of more than \(BodyInspector.headerLimit) bytes"
        case .malformedHeaderLine: "a header line without \"Name: value\""
        case .foldedHeader: "a header that goes on in the next line"
        case .headerNotUTF8: "a header that is not UTF-8"
        case .nulInHeader: "a NUL in a header"
        case .repeatedHeader(let name): "\(printable(name)) twice in one part"
        case .noDisposition: "a part without Content-Disposition"
        case .dispositionNotFirst: "Content-Disposition is not the first header"
        case .dispositionNotFormData: "Content-Disposition is not form-data"
        case .noName: "a part without a name"
        case .nameNotFirst: "name is not the first parameter"
        case .malformedParameter(let text): "\"\(printable(text))\" is no '; key=\"value\"'"
        case .unquotedParameter(let name): "the value of \(printable(name)) is not in quotes"
        case .quoteInParameter(let name):
            "a quote inside the value of \(printable(name)), which should be %22"
        case .extendedParameter(let name): "\(printable(name)), which forms may not have"
        case .repeatedParameter(let name): "\(printable(name)) twice in one header"
        case .forbiddenHeader(let name): "\(printable(name)), which parts of a form may not have"
        case .endsTooEarly: "the body ends inside a delimiter or header"
        case .noClosingDelimiter: "the closing delimiter is missing"
        case .noLineBreakAtEnd: "no CRLF after the closing delimiter"
        case .bytesAfterEnd(let count): "\(count) bytes after the end"
        }
    }
}
