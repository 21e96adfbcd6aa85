/// A list of parts, to be declared first and encoded later, as often as needed.
///
/// Each encoding gives the same bytes, as the boundary is chosen once.
///
///     var form = FormData()
///     form.append(.text("Holiday", named: "album"))
///     form.append(.file(at: "clip.mov", named: "video"))
///     let body = try form.spool(in: directory)
public struct FormData: Sendable {
    /// The parts in order.
    public private(set) var parts: [Part]
    /// How the body is written.
    public var options: WritingOptions

    /// A list of parts, empty unless some are given.
    public init(_ parts: [Part] = [], options: WritingOptions = WritingOptions()) {
        self.parts = parts
        self.options = options
    }

    /// Adds a part at the end.
    public mutating func append(_ part: Part) {
        parts.append(part)
    }

    /// The value of the request's `Content-Type` header.
    ///
    /// - Throws: ``MultipartError/noStartPart(_:)`` where a related body's start part is missing.
    public func contentType() throws(MultipartError) -> String {
        try ContentType.multipart(
            options.subtype,
            boundary: options.boundary,
            parts: parts.map { part in
                (part.name, part.header(in: options.subtype).contentType)
            }
        )
    }

    /// How many bytes the body will have, or `nil` where a part's length is not known before.
    ///
    /// Looks at the files, but reads none.
    ///
    /// - Throws: ``MultipartError`` for a header that can't be written or a file that can't be
    ///   opened.
    public func contentLength() throws(MultipartError) -> Int64? {
        var grammar = MessageGrammar()
        var length: Int64 = 0
        for (index, part) in parts.enumerated() {
            let label = PartLabel(index: index, name: part.name)
            let delimiter = grammar.beginPart().bytes(for: options.boundary)
            let header = try headerBytes(of: part, label)
            guard let content = try contentLength(of: part, label) else { return nil }
            length += Int64(delimiter.count + header.count) + content
            grammar.endPart()
        }
        return length + Int64(grammar.finish().bytes(for: options.boundary).count)
    }

    /// Writes the body to a new file in a directory, under a name of the library's making.
    ///
    /// - Parameter directory: It must exist.
    /// - Returns: The finished body.
    /// - Throws: ``MultipartError``; nothing is left behind then.
    public func spool(in directory: String) throws(MultipartError) -> SpooledBody {
        try checkLimits()
        var writer = try MultipartWriter(spoolingIn: directory, options: options)
        try write(to: &writer)
        return try writer.finish()
    }

    /// Writes the body to a file of this name.
    ///
    /// - Parameters:
    ///   - path: The finished body; its directory must exist.
    ///   - replaces: Whether a file of that name is replaced; otherwise it is an error.
    /// - Returns: The finished body.
    /// - Throws: ``MultipartError``; nothing is left behind then.
    public func spool(
        to path: String,
        replacing replaces: Bool = false
    ) throws(MultipartError) -> SpooledBody {
        try checkLimits()
        var writer = try MultipartWriter(
            spoolingTo: path,
            replacing: replaces,
            options: options
        )
        try write(to: &writer)
        return try writer.finish()
    }

    /// Writes the body to a descriptor that is open already; see
    /// ``MultipartWriter/stream(to:options:_:)``.
    ///
    /// - Parameter descriptor: Stays open and stays the caller's.
    /// - Returns: What was written.
    /// - Throws: ``MultipartError``.
    public func stream(to descriptor: CInt) throws(MultipartError) -> StreamedBody {
        try checkLimits()
        return try MultipartWriter.stream(to: descriptor, options: options) {
            (writer) throws(MultipartError) in try write(to: &writer)
        }
    }

    private func write(to writer: inout MultipartWriter) throws(MultipartError) {
        try writer.append(parts)
    }

    func headerBytes(
        of part: Part,
        _ label: PartLabel
    ) throws(MultipartError) -> ContiguousArray<UInt8> {
        do {
            return try part.header(in: options.subtype)
                .bytes(for: options)
        } catch {
            throw .header(label, error)
        }
    }

    func contentLength(
        of part: Part,
        _ label: PartLabel
    ) throws(MultipartError) -> Int64? {
        do {
            return try part.contentLength()
        } catch {
            guard case .file(let path, _) = part.content else { return nil }
            throw .source(label, path: path, error)
        }
    }
}
