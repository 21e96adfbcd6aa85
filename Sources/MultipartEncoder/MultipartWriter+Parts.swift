extension MultipartWriter {
    /// Appends a field: a text under a name.
    ///
    /// - Parameters:
    ///   - text: Written as UTF-8, with every newline as CRLF, as browsers do.
    ///   - name: The part's name.
    ///   - type: The part's `Content-Type`, such as `application/json`; none by default.
    ///   - headers: Further headers of the part.
    /// - Throws: ``MultipartError``; the body is lost then.
    public mutating func append(
        _ text: String,
        named name: String,
        type: String? = nil,
        headers: [HeaderField] = []
    ) throws(MultipartError) {
        let header = PartHeader.field(name, type: type, headers: headers, in: subtype)
        try append(header) { (sink) throws(MultipartError) in
            try sink.write(Newlines.normalized(text))
        }
    }

    /// Appends bytes as they are, as a file of the form.
    ///
    /// - Parameters:
    ///   - bytes: Large ones are written from where they lie, without a copy.
    ///   - name: The part's name.
    ///   - filename: Servers take a part without one for a text and may damage it.
    ///   - type: The part's `Content-Type`; by default what the filename's extension says, and an
    ///     empty one counts as `application/octet-stream`.
    ///   - headers: Further headers of the part.
    /// - Throws: ``MultipartError``; the body is lost then.
    public mutating func append(
        _ bytes: Span<UInt8>,
        named name: String,
        filename: String = "blob",
        type: String? = nil,
        headers: [HeaderField] = []
    ) throws(MultipartError) {
        let header = PartHeader.file(name, filename: filename, type: type, headers: headers)
        try append(header) { (sink) throws(MultipartError) in try sink.write(bytes) }
    }

    /// Appends bytes from memory that Swift does not watch over; see the one above.
    @unsafe public mutating func append(
        _ bytes: UnsafeRawBufferPointer,
        named name: String,
        filename: String = "blob",
        type: String? = nil,
        headers: [HeaderField] = []
    ) throws(MultipartError) {
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        try append(span, named: name, filename: filename, type: type, headers: headers)
    }

    /// Appends a file, or a range of one.
    ///
    /// The kernel copies where it can, so the bytes do not pass through this process; not so under
    /// a fixed boundary, which has to be searched for.
    ///
    /// - Parameters:
    ///   - path: A regular file, or a link to one.
    ///   - range: Bytes from the file's start; the whole file by default.
    ///   - name: The part's name.
    ///   - filename: By default the path's last component.
    ///   - type: The part's `Content-Type`; by default what the filename's extension says.
    ///   - headers: Further headers of the part.
    /// - Throws: ``MultipartError/source(_:path:_:)`` if it can't be read, is no regular file, is
    ///   too short for the range, or has changed by the time it has been read.
    public mutating func append(
        fileAt path: String,
        range: Range<Int64>? = nil,
        named name: String,
        filename: String? = nil,
        type: String? = nil,
        headers: [HeaderField] = []
    ) throws(MultipartError) {
        let filename = filename ?? FilePath.lastComponent(of: path)
        let header = PartHeader.file(name, filename: filename, type: type, headers: headers)
        try append(fileAt: path, range: range, header)
    }

    /// Appends what a closure writes, however much that is.
    ///
    /// - Parameters:
    ///   - name: The part's name.
    ///   - filename: Servers take a part without one for a text and may damage it.
    ///   - type: The part's `Content-Type`; by default what the filename's extension says.
    ///   - headers: Further headers of the part.
    ///   - content: Writes the content into the sink it is given.
    /// - Throws: ``MultipartError/producer(_:_:)`` with what the closure threw, unless that is a
    ///   ``MultipartError`` itself.
    public mutating func append(
        named name: String,
        filename: String = "blob",
        type: String? = nil,
        headers: [HeaderField] = [],
        content: (inout PartSink) throws -> Void
    ) throws(MultipartError) {
        let header = PartHeader.file(name, filename: filename, type: type, headers: headers)
        try append(header, length: nil, producer: content)
    }

    /// Appends all that can be read from a descriptor until its end, such as a pipe.
    ///
    /// - Parameters:
    ///   - descriptor: Stays open and stays the caller's. A non-blocking one is waited for.
    ///   - name: The part's name.
    ///   - filename: Servers take a part without one for a text and may damage it.
    ///   - type: The part's `Content-Type`; by default what the filename's extension says.
    ///   - headers: Further headers of the part.
    /// - Throws: ``MultipartError``; the body is lost then.
    public mutating func append(
        readingFrom descriptor: CInt,
        named name: String,
        filename: String = "blob",
        type: String? = nil,
        headers: [HeaderField] = []
    ) throws(MultipartError) {
        let header = PartHeader.file(name, filename: filename, type: type, headers: headers)
        try append(header) { (sink) throws(MultipartError) in
            try sink.append(readingFrom: descriptor, path: "descriptor \(descriptor)")
        }
    }

    /// Appends a file once it is known to be there.
    mutating func append(
        fileAt path: String,
        range: Range<Int64>?,
        _ header: PartHeader
    ) throws(MultipartError) {
        let file = try openSource(path, range: range, named: header.name)
        try append(header) { (sink) throws(MultipartError) in try sink.append(file) }
    }

    /// Appends what a closure writes, and holds it to the length it promised.
    mutating func append(
        _ header: PartHeader,
        length: Int64?,
        producer: (inout PartSink) throws -> Void
    ) throws(MultipartError) {
        let label = nextLabel(header.name)
        try append(header) { (sink) throws(MultipartError) in
            do {
                try producer(&sink)
            } catch let error as MultipartError {
                throw error
            } catch {
                // What the closure made of the sink's error matters less than that error.
                throw sink.failure ?? .producer(label, error)
            }
            let written = sink.bodyLength - sink.contentOffset
            if let length, written != length {
                throw .lengthMismatch(label, promised: length, written: written)
            }
        }
    }

    private mutating func openSource(
        _ path: String,
        range: Range<Int64>?,
        named name: String
    ) throws(MultipartError) -> SourceFile {
        do {
            return try SourceFile.open(path, range: range)
        } catch {
            throw fail(.source(nextLabel(name), path: path, error))
        }
    }
}
