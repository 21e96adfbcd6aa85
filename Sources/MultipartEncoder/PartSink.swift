/// Where a part's content goes.
///
/// A closure that makes a part's content gets one and writes to it as often as it likes; nothing
/// is kept but one buffer.
public struct PartSink: ~Copyable {
    private var output: BufferedOutput
    private var scanner: BoundaryScanner?
    private let path: String?
    private let progress: (@Sendable (BodyProgress) -> ProgressAnswer)?
    private var nextReport: Int64 = reportInterval
    private var part = PartLabel(index: 0, name: "")
    /// Where the part's content starts in the body.
    package private(set) var contentOffset: Int64 = 0
    /// The first thing that went wrong, so that a closure can't hide it.
    package private(set) var failure: MultipartError?

    private static let reportInterval: Int64 = 256 * 1024
    /// The most that is written between two looks at progress and cancellation.
    private static let turn = 8 * 1024 * 1024

    package init(
        descriptor: CInt,
        path: String?,
        options: WritingOptions,
        bufferSize: Int
    ) {
        output = BufferedOutput(
            descriptor: descriptor,
            isSpool: path != nil,
            bufferSize: bufferSize
        )
        scanner = options.boundary.isFixed ? BoundaryScanner(for: options.boundary) : nil
        progress = options.progress
        self.path = path
    }

    /// Bytes of the body so far, whether written or still in the buffer.
    package var bodyLength: Int64 { output.count }

    /// Where it all goes.
    var descriptor: CInt { output.descriptor }

    /// Appends bytes to the part's content, as they are.
    ///
    /// - Parameter bytes: Any number; large ones are written from where they lie, without a copy.
    /// - Throws: ``MultipartError``; the body is lost then.
    public mutating func write(_ bytes: Span<UInt8>) throws(MultipartError) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.extracting(first: Self.turn)
            rest = rest.extracting(droppingFirst: piece.count)
            try checked { (sink) throws(MultipartError) in
                try sink.search(piece)
                try sink.put { (output) throws(SystemError) in try output.write(piece) }
                try sink.report()
            }
        }
    }

    /// Appends a text's UTF-8 to the part's content, as it is.
    public mutating func write(_ text: String) throws(MultipartError) {
        try write(ContiguousArray(text.utf8).span)
    }

    /// Appends bytes from memory that Swift does not watch over.
    @unsafe public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(MultipartError) {
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        try write(span)
    }

    /// Appends up to `limit` bytes that `fill` writes straight into the spool's buffer; it returns
    /// how many it wrote.
    @unsafe package mutating func append(
        atMost limit: Int,
        _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(MultipartError) {
        try checked { (sink) throws(MultipartError) in
            let before = sink.output.count
            try sink.put { (output) throws(SystemError) in
                unsafe try output.fill(atMost: limit) { unsafe fill($0) }
            }
            try sink.searchLatest(Int(sink.output.count - before))
            try sink.report()
        }
    }

    /// Appends all that can be read from a descriptor until its end.
    mutating func append(readingFrom descriptor: CInt, path: String) throws(MultipartError) {
        try checked { (sink) throws(MultipartError) in
            while try sink.read(from: descriptor, at: nil, atMost: .max, path: path) > 0 {}
        }
    }

    /// Appends a file's content, which has been checked to be there.
    mutating func append(_ file: borrowing SourceFile) throws(MultipartError) {
        if let failure { throw failure }
        do {
            try copy(file)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func copy(_ file: borrowing SourceFile) throws(MultipartError) {
        var offset = file.range.lowerBound
        // A file that has no length, as in procfs, is read until it ends.
        let end = file.hasLength ? file.range.upperBound : .max
        var byKernel = scanner == nil && file.isWorthKernelCopy
        while offset < end {
            if byKernel {
                let copied: Int?
                do {
                    copied = try output.copy(
                        from: file.descriptor,
                        at: offset,
                        atMost: end - offset
                    )
                } catch {
                    throw copyError(error, file)
                }
                byKernel = copied != nil && copied != 0
                offset += Int64(copied ?? 0)
                try report()
            } else {
                let received = try read(
                    from: file.descriptor,
                    at: offset,
                    atMost: min(end - offset, Int64(Self.turn)),
                    path: file.path
                )
                if received == 0 { break }
                offset += Int64(received)
            }
        }
        guard !file.hasLength || offset == end, try unchanged(file) else {
            throw .source(part, path: file.path, .changedWhileRead)
        }
    }

    private func unchanged(_ file: borrowing SourceFile) throws(MultipartError) -> Bool {
        do {
            return try file.isUnchanged()
        } catch {
            throw .source(part, path: file.path, .system(error))
        }
    }

    /// Says which of the two files failed; where one call serves both, the number tells.
    private func copyError(
        _ error: SystemError,
        _ file: borrowing SourceFile
    ) -> MultipartError {
        switch error.call {
        case .write: outputError(error)
        case .copyFileRange where error.isAboutOutput, .sendfile where error.isAboutOutput:
            outputError(error)
        default: .source(part, path: file.path, .system(error))
        }
    }

    private mutating func read(
        from descriptor: CInt,
        at offset: Int64?,
        atMost limit: Int64,
        path: String
    ) throws(MultipartError) -> Int {
        let received: Int
        do {
            received = try output.read(from: descriptor, at: offset, atMost: limit)
        } catch {
            switch error.call {
            case .read, .pread: throw .source(part, path: path, .system(error))
            default: throw outputError(error)
            }
        }
        try searchLatest(received)
        try report()
        return received
    }

    // What follows is for the writer, which knows where parts start and end.

    /// A part starts: what is written next is its header.
    mutating func begin(
        _ part: PartLabel,
        delimiter: ContiguousArray<UInt8>,
        header: ContiguousArray<UInt8>
    ) throws(MultipartError) {
        self.part = part
        try write(structure: delimiter)
        scanner?.reset()
        contentOffset = output.count
        if scanner?.find(in: header.span) != nil {
            throw .header(part, .holdsBoundary)
        }
        scanner?.reset()
        try write(structure: header)
        contentOffset = output.count
    }

    /// Writes a delimiter or header, in which nothing is searched.
    mutating func write(structure bytes: ContiguousArray<UInt8>) throws(MultipartError) {
        try put { (output) throws(SystemError) in try output.write(bytes.span) }
        try report()
    }

    /// Writes out what is left in the buffer, once nothing more will come.
    mutating func finish() throws(MultipartError) {
        try put { (output) throws(SystemError) in try output.finish() }
    }

    private mutating func checked(
        _ body: (inout PartSink) throws(MultipartError) -> Void
    ) throws(MultipartError) {
        if let failure { throw failure }
        do {
            try body(&self)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func put(
        _ body: (inout BufferedOutput) throws(SystemError) -> Void
    ) throws(MultipartError) {
        do {
            try body(&output)
        } catch {
            throw outputError(error)
        }
    }

    private func outputError(_ error: SystemError) -> MultipartError {
        .output(path: path, error)
    }

    private mutating func search(_ bytes: Span<UInt8>) throws(MultipartError) {
        guard let offset = scanner?.find(in: bytes) else { return }
        throw .boundaryCollision(part, offset: offset)
    }

    private mutating func searchLatest(_ count: Int) throws(MultipartError) {
        guard var scanner = scanner.take() else { return }
        let offset = scanner.find(in: output.latest(count))
        self.scanner = consume scanner
        if let offset { throw .boundaryCollision(part, offset: offset) }
    }

    private mutating func report() throws(MultipartError) {
        guard output.count >= nextReport else { return }
        nextReport = output.count + Self.reportInterval
        try reportNow()
    }

    /// Tells the progress handler, and asks whether to go on.
    mutating func reportNow() throws(MultipartError) {
        let progress = BodyProgress(bytesWritten: output.count, partIndex: part.index)
        guard self.progress?(progress) != .cancel, !Task.isCancelled else { throw .cancelled }
    }
}
