/// What may come next in a multipart message (RFC 2046, section 5.1.1), and which delimiter it
/// needs.
package struct MessageGrammar: Hashable {
    package enum State: Hashable, CaseIterable {
        /// Nothing has been written.
        case start
        /// A part is open: its header has been written, its content is being written.
        case inPart
        /// A part is complete.
        case betweenParts
        /// The closing delimiter has been written.
        case finished
    }

    package private(set) var state = State.start

    package init() {}

    /// A part starts.
    ///
    /// - Returns: What separates it from what was before.
    package mutating func beginPart() -> Delimiter {
        switch state {
        case .start:
            state = .inPart
            return .first
        case .betweenParts:
            state = .inPart
            return .between
        case .inPart: preconditionFailure("a part begins before the last one has ended")
        case .finished: preconditionFailure("a part begins after the end of the message")
        }
    }

    /// The open part's content is complete.
    package mutating func endPart() {
        switch state {
        case .inPart: state = .betweenParts
        case .start, .betweenParts, .finished: preconditionFailure("no part is open")
        }
    }

    /// The message ends.
    ///
    /// - Returns: What closes it.
    package mutating func finish() -> Delimiter {
        switch state {
        case .start:
            state = .finished
            return .onlyClose
        case .betweenParts:
            state = .finished
            return .close
        case .inPart: preconditionFailure("the message ends inside a part")
        case .finished: preconditionFailure("the message has ended already")
        }
    }
}

/// What stands between parts, before the first and after the last.
package enum Delimiter: Hashable, CaseIterable {
    /// `--boundary CRLF`, the first bytes of a message.
    case first
    /// `CRLF --boundary CRLF`.
    case between
    /// `CRLF --boundary-- CRLF`.
    case close
    /// `--boundary-- CRLF`, the whole of a message without parts.
    case onlyClose

    /// The bytes.
    ///
    /// The CRLF before the hyphens belongs to the delimiter, not to the content.
    package func bytes(for boundary: Boundary) -> ContiguousArray<UInt8> {
        switch self {
        case .first: ContiguousArray("--\(boundary.text)\r\n".utf8)
        case .between: ContiguousArray("\r\n--\(boundary.text)\r\n".utf8)
        case .close: ContiguousArray("\r\n--\(boundary.text)--\r\n".utf8)
        case .onlyClose: ContiguousArray("--\(boundary.text)--\r\n".utf8)
        }
    }
}
