/// Reads a multipart body with the strict grammar of RFC 2046 and RFC 7578, and says what is wrong
/// with it and where.
///
/// It takes the body in pieces of any size and keeps none of the content. Where the body is wrong it
/// goes on as it was most likely meant, so that one fault does not hide the next.
///
///     let inspection = try BodyInspector.inspect(fileAt: path, contentType: header)
///     for fault in inspection.faults { print(fault) }
public struct BodyInspector: Sendable {
    /// At most so many faults are kept.
    public static let faultLimit = 1000
    /// The longest header block that is read.
    static let headerLimit = 64 * 1024
    /// How far it looks past a delimiter to see whether it is one.
    private static let lookahead = 256

    private enum State {
        /// Nothing has been read.
        case opening
        /// Before the first delimiter.
        case preamble
        /// After `--boundary`.
        case delimiterLine
        /// After a delimiter's line.
        case header
        /// After a header's empty line.
        case content
        /// After `--boundary--`.
        case epilogue
        /// No delimiter was found to go by.
        case lost
    }

    private var state = State.opening
    private var delimiter: ContiguousArray<UInt8>?
    private let isForm: Bool
    /// Bytes that have not been dealt with, and the two before them.
    private var pending: ContiguousArray<UInt8> = []
    /// Where in the body `pending` starts.
    private var base: Int64 = 0
    /// What is next, as an index of `pending`.
    private var position = 0
    private var parts: [InspectedPart] = []
    private var part: InspectedPart?
    private var headerStart: Int64 = 0
    private var faults: [BodyFault] = []
    private var end: Int64 = 0

    /// A reader for a body with this header.
    ///
    /// - Parameter contentType: The value of the request's `Content-Type`; without it, or if it
    ///   holds no boundary, the boundary is guessed from the body's first line.
    public init(contentType: String? = nil) {
        let type = contentType.flatMap { MultipartContentType($0) }
        isForm = type.map { $0.subtype == "form-data" } ?? true
        delimiter = type.map { ContiguousArray("--\($0.boundary)".utf8) }
        if let contentType, type == nil { note(.contentType(contentType), at: 0) }
    }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - path: A file, or anything else that can be read to an end.
    ///   - contentType: As for ``init(contentType:)``.
    /// - Returns: What it holds and what is wrong with it.
    /// - Throws: ``SystemError`` if it can't be read.
    public static func inspect(
        fileAt path: String,
        contentType: String? = nil
    ) throws(SystemError) -> BodyInspection {
        let file = try systemOpen(reading: path)
        return try inspect(readingFrom: file.rawValue, contentType: contentType)
    }

    /// Reads a descriptor to its end.
    ///
    /// - Parameters:
    ///   - descriptor: Stays open and stays the caller's.
    ///   - contentType: As for ``init(contentType:)``.
    /// - Returns: What it holds and what is wrong with it.
    /// - Throws: ``SystemError`` if it can't be read.
    public static func inspect(
        readingFrom descriptor: CInt,
        contentType: String? = nil
    ) throws(SystemError) -> BodyInspection {
        var inspector = BodyInspector(contentType: contentType)
        var buffer = ByteBuffer(capacity: 256 * 1024)
        while try systemRead(descriptor, into: &buffer, atMost: buffer.capacity) > 0 {
            inspector.read(buffer.bytes)
            buffer.removeAll()
        }
        return inspector.finish()
    }

    /// Reads the next piece of the body.
    public mutating func read(_ bytes: Span<UInt8>) {
        // The two bytes before what is next tell whether a delimiter starts a line.
        let done = max(0, position - 2)
        pending.removeFirst(done)
        position -= done
        base += Int64(done)
        pending.reserveCapacity(pending.count + bytes.count)
        for index in 0..<bytes.count { pending.append(bytes[index]) }
        while step(atEnd: false) {}
    }

    /// Says what the body holds, now that it has ended.
    public consuming func finish() -> BodyInspection {
        while step(atEnd: true) {}
        let length = base + Int64(pending.count)
        close(at: length)
        return BodyInspection(
            boundary: delimiter.map { String(decoding: $0.dropFirst(2), as: UTF8.self) },
            parts: parts,
            faults: faults,
            length: length
        )
    }

    /// What the state means when the body ends in it.
    private mutating func close(at length: Int64) {
        switch state {
        case .opening, .preamble, .lost: note(.noDelimiter, at: 0)
        case .delimiterLine: note(.endsTooEarly, at: length)
        case .header:
            note(.endsTooEarly, at: length)
            finishHeader(at: length)
            endPart(at: length)
        case .content:
            note(.noClosingDelimiter, at: length)
            endPart(at: length)
        case .epilogue: noteEnd(length)
        }
    }

    private mutating func noteEnd(_ length: Int64) {
        let rest = pending[position...]
        if length == end {
            note(.noLineBreakAtEnd, at: end)
        } else if Array(rest.prefix(2)) == [carriageReturn, lineFeed] {
            if length > end + 2 { note(.bytesAfterEnd(length - end - 2), at: end + 2) }
        } else {
            note(.bytesAfterEnd(length - end), at: end)
        }
    }

    /// Deals with what comes next; `false` if more must be read before.
    private mutating func step(atEnd: Bool) -> Bool {
        switch state {
        case .opening: open(atEnd: atEnd)
        case .preamble, .content: search(atEnd: atEnd)
        case .delimiterLine: readDelimiterLine(atEnd: atEnd)
        case .header: readHeaderLine(atEnd: atEnd)
        case .epilogue, .lost: skip()
        }
    }

    /// Forgets what nobody looks at, but for the first bytes after the end.
    private mutating func skip() -> Bool {
        let kept = 4
        if pending.count - position > kept {
            base += Int64(pending.count - position - kept)
            pending.removeLast(pending.count - position - kept)
        }
        return false
    }

    private mutating func open(atEnd: Bool) -> Bool {
        guard let delimiter = delimiter ?? guessDelimiter(atEnd: atEnd) else { return false }
        guard pending.count >= delimiter.count || atEnd else { return false }
        if pending.starts(with: delimiter) {
            position = delimiter.count
            state = .delimiterLine
        } else {
            state = .preamble
        }
        return true
    }

    /// Takes the first line that is not empty for a delimiter.
    private mutating func guessDelimiter(atEnd: Bool) -> ContiguousArray<UInt8>? {
        let text = pending.prefix(Self.lookahead).drop { $0 == carriageReturn || $0 == lineFeed }
        guard pending.count >= Self.lookahead || atEnd else { return nil }
        var line = text.prefix { $0 != carriageReturn && $0 != lineFeed }
        let isOnlyLine = text.count <= line.count + 2
        while line.last == UInt8(ascii: " ") { line = line.dropLast() }
        let hyphens = "--".utf8
        if isOnlyLine, line.count > 4, line.suffix(2).elementsEqual(hyphens) {
            line = line.dropLast(2)
        }
        let name = String(decoding: line.dropFirst(2), as: UTF8.self)
        guard line.starts(with: hyphens), (try? Boundary(name)) != nil else {
            state = .lost
            return nil
        }
        delimiter = ContiguousArray(line)
        return delimiter
    }

    private enum Delimiting {
        case opens, closes
    }

    /// Looks for the next delimiter, in the preamble or in content.
    private mutating func search(atEnd: Bool) -> Bool {
        guard let delimiter else { return false }
        let rest = pending[position...]
        guard let found = find(delimiter, in: rest) else {
            position = max(position, pending.count - delimiter.count + 1)
            return false
        }
        position = found
        let after = found + delimiter.count
        guard pending.count - after >= Self.lookahead || atEnd else { return false }
        let lineBreak = lineBreak(before: found)
        guard let delimiting = delimiting(after: after, startsLine: lineBreak != nil) else {
            note(
                lineBreak == nil ? .delimiterTextInContent : .delimiterGoesOn,
                at: offset(of: found)
            )
            position = found + 1
            return true
        }
        begin(delimiting, at: found, lineBreak)
        position = after
        state = .delimiterLine
        return true
    }

    private mutating func begin(_ delimiting: Delimiting, at index: Int, _ lineBreak: Int?) {
        let place = offset(of: index)
        if state == .preamble {
            note(.bytesBeforeFirstDelimiter(place), at: 0)
        } else if let part {
            // The CRLF of the header's empty line is not the delimiter's.
            let end = place - Int64(lineBreak ?? 0)
            if lineBreak == nil || end < part.offset {
                note(.noLineBreakBeforeDelimiter, at: place)
            } else if lineBreak == 1 {
                note(.bareLineFeed, at: place - 1)
            }
            endPart(at: max(end, part.offset))
        }
    }

    private func find(
        _ wanted: ContiguousArray<UInt8>,
        in bytes: ArraySlice<UInt8>
    ) -> Int? {
        systemFind(wanted.span, in: bytes.span).map { bytes.startIndex + $0 }
    }

    /// How long the line break before an index is; `nil` if there is none.
    private func lineBreak(before index: Int) -> Int? {
        guard offset(of: index) > 0 else { return 0 }
        guard index > 0, pending[index - 1] == lineFeed else { return nil }
        return index > 1 && pending[index - 2] == carriageReturn ? 2 : 1
    }

    /// What the bytes after a delimiter's text make of it; `nil` if it is none.
    private func delimiting(after index: Int, startsLine: Bool) -> Delimiting? {
        let rest = pending[index...]
        let closes = rest.starts(with: "--".utf8)
        let line = rest.dropFirst(closes ? 2 : 0).drop { $0 == UInt8(ascii: " ") || $0 == 9 }
        let isEnd = line.isEmpty || line.first == lineFeed || line.starts(with: "\r\n".utf8)
        guard isEnd else { return nil }
        if closes { return .closes }
        // In the middle of a line only what looks like a part counts.
        let next = line.drop { $0 == carriageReturn || $0 == lineFeed }
        return startsLine || looksLikeHeader(next) ? .opens : nil
    }

    private func looksLikeHeader(_ bytes: ArraySlice<UInt8>) -> Bool {
        String(decoding: bytes.prefix(8), as: UTF8.self).lowercased() == "content-"
    }

    private mutating func readDelimiterLine(atEnd: Bool) -> Bool {
        let rest = pending[position...]
        guard rest.count >= Self.lookahead || atEnd else { return false }
        if rest.starts(with: "--".utf8) {
            position += 2
            end = offset(of: position)
            state = .epilogue
            return true
        }
        let line = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        if line.startIndex > position { note(.paddedDelimiter, at: offset(of: position)) }
        if line.starts(with: "\r\n".utf8) {
            position = line.startIndex + 2
        } else if line.first == lineFeed {
            note(.bareLineFeed, at: offset(of: line.startIndex))
            position = line.startIndex + 1
        } else if line.isEmpty {
            return false
        } else {
            // Only the first delimiter gets here without a look at its line.
            note(.delimiterGoesOn, at: 0)
            state = .preamble
            return true
        }
        headerStart = offset(of: position)
        part = InspectedPart(offset: headerStart)
        state = .header
        return true
    }

    private mutating func readHeaderLine(atEnd: Bool) -> Bool {
        let rest = pending[position...]
        let start = offset(of: position)
        if start - headerStart > Int64(Self.headerLimit) {
            note(.headerTooLong, at: headerStart)
            finishHeader(at: start)
            return true
        }
        if let delimiter {
            let reach = delimiter.count + Self.lookahead
            guard rest.count >= reach || atEnd else { return false }
            let after = position + delimiter.count
            if rest.starts(with: delimiter), delimiting(after: after, startsLine: true) != nil {
                note(.headerWithoutEmptyLine, at: start)
                finishHeader(at: start)
                endPart(at: start)
                position = after
                state = .delimiterLine
                return true
            }
        }
        guard let lineEnd = rest.firstIndex(of: lineFeed) else {
            guard rest.count > Self.headerLimit else { return false }
            note(.headerTooLong, at: headerStart)
            finishHeader(at: start)
            return true
        }
        var line = rest[..<lineEnd]
        if line.last == carriageReturn {
            line = line.dropLast()
        } else {
            note(.bareLineFeed, at: offset(of: lineEnd))
        }
        position = lineEnd + 1
        if line.isEmpty {
            finishHeader(at: offset(of: position))
        } else {
            take(line, at: start)
        }
        return true
    }

    private mutating func take(_ line: ArraySlice<UInt8>, at start: Int64) {
        if let delimiter, let place = find(delimiter, in: line) {
            let isAtStart = place == line.startIndex
            note(isAtStart ? .delimiterGoesOn : .delimiterTextInContent, at: start)
        }
        if line.contains(0) { note(.nulInHeader, at: start) }
        if line.contains(carriageReturn) { note(.bareCarriageReturn, at: start) }
        let text = String(decoding: line, as: UTF8.self)
        if !text.utf8.elementsEqual(line) { note(.headerNotUTF8, at: start) }
        if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t"),
            let last = part?.headers.popLast()
        {
            note(.foldedHeader, at: start)
            part?.headers.append(HeaderField(last.name, last.value + text))
            return
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        let value = line[name.endIndex...].dropFirst()
        guard !name.isEmpty, name.endIndex < line.endIndex,
            name.allSatisfy(HeaderText.isTokenByte), value.first == UInt8(ascii: " ")
        else {
            note(.malformedHeaderLine, at: start)
            return
        }
        let field = HeaderField(
            String(decoding: name, as: UTF8.self),
            String(decoding: value.dropFirst(), as: UTF8.self)
        )
        let lowered = field.name.lowercased()
        if part?.headers.contains(where: { $0.name.lowercased() == lowered }) == true {
            note(.repeatedHeader(field.name), at: start)
        }
        part?.headers.append(field)
    }

    /// Draws from a part's headers what they say, and notes what is wrong with them.
    private mutating func finishHeader(at place: Int64) {
        state = .content
        part?.offset = place
        guard let headers = part?.headers else { return }
        part?.contentType = headers.first { $0.name.lowercased() == "content-type" }?.value
        let index = headers.firstIndex { $0.name.lowercased() == "content-disposition" }
        if let index {
            let disposition = DispositionReader(headers[index].value)
            part?.name = disposition.name
            part?.filename = disposition.filename
            guard isForm else { return }
            if index > 0 { note(.dispositionNotFirst, at: headerStart) }
            for fault in disposition.faults { note(fault, at: headerStart) }
        } else if isForm {
            note(.noDisposition, at: headerStart)
        }
        guard isForm else { return }
        for header in headers {
            switch header.name.lowercased() {
            case "content-transfer-encoding", "content-length":
                note(.forbiddenHeader(header.name), at: headerStart)
            default: break
            }
        }
    }

    private mutating func endPart(at end: Int64) {
        guard var part = part.take() else { return }
        part.length = max(0, end - part.offset)
        parts.append(part)
    }

    private func offset(of index: Int) -> Int64 { base + Int64(index) }

    private mutating func note(_ kind: BodyFault.Kind, at offset: Int64) {
        guard faults.count < Self.faultLimit else { return }
        faults.append(BodyFault(offset: offset, part: part.map { _ in parts.count }, kind: kind))
    }
}
