/// Writes a multipart body part by part, straight to a file or a descriptor.
///
/// The body goes into a spool: a file that gets its name only in ``finish()``. A writer that goes
/// away before leaves nothing behind. Memory is one buffer, whatever the body's size.
///
///     var writer = try MultipartWriter(spoolingIn: directory)
///     try writer.append("Holiday", named: "album")
///     try writer.append(fileAt: "clip.mov", named: "video")
///     let body = try writer.finish()
///
/// After any method has thrown, the writer is of no more use: the spool is gone, and every later
/// call throws the same error.
public struct MultipartWriter: ~Copyable {
    private var spool: SpoolFile?
    private let path: String
    private let replaces: Bool
    let options: WritingOptions
    var sink: PartSink
    /// Made with the first image that needs it, and kept for the others.
    var pipeline: PNGPipeline?
    private var grammar = MessageGrammar()
    private var parts: [SpooledPart] = []
    private var failure: MultipartError?
    private var counter: LimitCounter?

    /// A writer whose body will be a new file in a directory, under a name of the library's making.
    ///
    /// - Parameters:
    ///   - directory: Where both the spool and the finished body lie; it must exist.
    ///   - options: Boundary, subtype and the like.
    /// - Throws: ``MultipartError/output(path:_:)`` if nothing can be created there.
    public init(
        spoolingIn directory: String,
        options: WritingOptions = WritingOptions()
    ) throws(MultipartError) {
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        try self.init(
            path: FilePath.joining(directory, "multipart-\(name).body"),
            replaces: false,
            options: options
        )
    }

    /// A writer whose body will be a file of this name.
    ///
    /// - Parameters:
    ///   - path: The finished body; its directory must exist.
    ///   - replaces: Whether a file of that name is replaced, in one step, when the body is
    ///     complete; otherwise such a file is an error.
    ///   - options: Boundary, subtype and the like.
    /// - Throws: ``MultipartError/output(path:_:)`` if nothing can be created there.
    public init(
        spoolingTo path: String,
        replacing replaces: Bool = false,
        options: WritingOptions = WritingOptions()
    ) throws(MultipartError) {
        try self.init(path: path, replaces: replaces, options: options)
    }

    package init(
        path: String,
        replaces: Bool,
        options: WritingOptions,
        bufferSize: Int = BufferedOutput.defaultBufferSize,
        nameless: Bool = true
    ) throws(MultipartError) {
        let spool = try Self.makeSpool(for: path, nameless: nameless)
        sink = PartSink(
            descriptor: spool.descriptor,
            path: path,
            options: options,
            bufferSize: bufferSize
        )
        self.spool = consume spool
        self.path = path
        self.replaces = replaces
        self.options = options
        counter = options.limits.map { LimitCounter($0) }
    }

    private static func makeSpool(
        for path: String,
        nameless: Bool
    ) throws(MultipartError) -> SpoolFile {
        do {
            return try SpoolFile(in: FilePath.directory(of: path), nameless: nameless)
        } catch {
            throw .output(path: path, error)
        }
    }

    private init(descriptor: CInt, options: WritingOptions, bufferSize: Int) {
        spool = nil
        path = ""
        replaces = false
        self.options = options
        counter = options.limits.map { LimitCounter($0) }
        sink = PartSink(
            descriptor: descriptor,
            path: nil,
            options: options,
            bufferSize: bufferSize
        )
    }

    /// Writes a whole body to a descriptor that is open already, such as a pipe or a socket.
    ///
    /// There is no spool, so what has been written before an error stays written.
    ///
    /// - Parameters:
    ///   - descriptor: Stays open and stays the caller's. A non-blocking one is waited for. If its
    ///     reader may go away, ignore `SIGPIPE`.
    ///   - options: Boundary, subtype and the like; `synchronizes` means nothing here.
    ///   - append: Appends the parts.
    /// - Returns: What was written.
    /// - Throws: ``MultipartError``, also what `append` threw.
    public static func stream(
        to descriptor: CInt,
        options: WritingOptions = WritingOptions(),
        _ append: (inout MultipartWriter) throws(MultipartError) -> Void
    ) throws(MultipartError) -> StreamedBody {
        try stream(
            to: descriptor,
            options: options,
            bufferSize: BufferedOutput.defaultBufferSize,
            append
        )
    }

    package static func stream(
        to descriptor: CInt,
        options: WritingOptions,
        bufferSize: Int,
        _ append: (inout MultipartWriter) throws(MultipartError) -> Void
    ) throws(MultipartError) -> StreamedBody {
        var writer = MultipartWriter(
            descriptor: descriptor,
            options: options,
            bufferSize: bufferSize
        )
        try append(&writer)
        precondition(
            writer.spool == nil && writer.sink.descriptor == descriptor,
            "the writer was exchanged for another one"
        )
        return try writer.close()
    }

    /// Closes the body and gives the spool its name.
    ///
    /// - Throws: ``MultipartError``; nothing is left behind then.
    public consuming func finish() throws(MultipartError) -> SpooledBody {
        let body = try close()
        do {
            try spool.take()?.commit(
                to: path,
                replacing: replaces,
                synchronizing: options.synchronizes
            )
        } catch {
            throw .output(path: path, error)
        }
        return SpooledBody(
            path: path,
            contentType: body.contentType,
            contentLength: body.contentLength,
            boundary: body.boundary,
            parts: body.parts
        )
    }

    /// Removes the unfinished spools that killed processes have left in a directory.
    ///
    /// Spools of running processes stay. Where spools have no name until they are finished (most
    /// file systems of Linux), there are none to find.
    ///
    /// - Returns: How many were removed.
    @discardableResult
    public static func sweepAbandonedSpools(
        in directory: String
    ) throws(MultipartError) -> Int {
        do {
            return try SpoolFile.sweep(directory)
        } catch {
            throw .output(path: directory, error)
        }
    }

    private mutating func close() throws(MultipartError) -> StreamedBody {
        try guarded { (writer) throws(MultipartError) in
            let contentType = try ContentType.multipart(
                writer.options.subtype,
                boundary: writer.options.boundary,
                parts: writer.parts.map { ($0.name, $0.contentType) }
            )
            let delimiter = writer.grammar.finish()
            try writer.sink.write(structure: delimiter.bytes(for: writer.options.boundary))
            try writer.refuse(writer.counter?.body(writer.sink.bodyLength))
            try writer.sink.finish()
            try writer.sink.reportNow()
            return StreamedBody(
                contentType: contentType,
                contentLength: writer.sink.bodyLength,
                boundary: writer.options.boundary,
                parts: writer.parts
            )
        }
    }

    /// Writes a part: its delimiter, its header, and what `content` puts into the sink.
    ///
    /// Every kind of part comes through here.
    mutating func append(
        _ header: PartHeader,
        content: (inout PartSink) throws(MultipartError) -> Void
    ) throws(MultipartError) {
        try guarded { (writer) throws(MultipartError) in
            let offset = try writer.openPart(header)
            let descriptor = writer.sink.descriptor
            try content(&writer.sink)
            precondition(
                writer.sink.descriptor == descriptor,
                "the sink was exchanged for another writer's"
            )
            try writer.closePart(header, from: offset)
        }
    }

    /// Writes a part's delimiter and header; its content comes next, into the sink.
    ///
    /// - Returns: Where the content starts in the body.
    mutating func openPart(_ header: PartHeader) throws(MultipartError) -> Int64 {
        let label = nextLabel(header.name)
        let bytes: ContiguousArray<UInt8>
        do throws(HeaderDefect) {
            bytes = try header.bytes(for: options)
        } catch {
            throw .header(label, error)
        }
        try refuse(
            counter?.begin(
                name: header.name,
                isFile: header.filename != nil,
                headerLength: bytes.count
            )
        )
        try sink.begin(
            label,
            delimiter: grammar.beginPart().bytes(for: options.boundary),
            header: bytes
        )
        return sink.bodyLength
    }

    /// Notes down a part whose content has been written.
    mutating func closePart(
        _ header: PartHeader,
        from offset: Int64
    ) throws(MultipartError) {
        if let failure = sink.failure { throw failure }
        let length = sink.bodyLength - offset
        try refuse(counter?.content(length, isFile: header.filename != nil))
        grammar.endPart()
        parts.append(
            SpooledPart(
                name: header.name,
                filename: header.filename,
                contentType: header.contentType,
                offset: offset,
                length: length
            )
        )
    }

    private func refuse(_ violations: [LimitViolation]?) throws(MultipartError) {
        if let first = violations?.first { throw .limit(first) }
    }

    /// Which part comes next, for an error about it.
    func nextLabel(_ name: String) -> PartLabel { PartLabel(index: parts.count, name: name) }

    /// Which kind of multipart is being written.
    var subtype: MultipartSubtype { options.subtype }

    /// Runs one step; if it fails, the spool goes and the error stays.
    mutating func guarded<Result>(
        _ step: (inout MultipartWriter) throws(MultipartError) -> Result
    ) throws(MultipartError) -> Result {
        if let failure { throw failure }
        do {
            return try step(&self)
        } catch {
            throw fail(error)
        }
    }

    /// Gives the spool up, and keeps the first error for every later call.
    mutating func fail(_ error: MultipartError) -> MultipartError {
        failure = failure ?? error
        spool = nil
        return failure ?? error
    }
}
