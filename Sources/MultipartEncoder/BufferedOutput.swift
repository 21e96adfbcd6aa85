/// Buffered writing to a descriptor that somebody else owns.
///
/// Small pieces gather in one buffer and leave it in one `write`; large ones go from the caller's
/// memory together with what the buffer holds, in one `writev`, without being copied here.
package struct BufferedOutput: ~Copyable {
    let descriptor: CInt
    /// Bytes accepted so far, whether written or still in the buffer.
    package private(set) var count: Int64 = 0
    private var buffer: ByteBuffer
    private var room: SpoolRoom?
    private var refusesCopyRange = false

    /// A piece of at least this size is worth a system call of its own.
    private static let largePiece = 32 * 1024
    /// One turn of the kernel's copying, small enough for progress and cancellation.
    private static let copyTurn: Int64 = 8 * 1024 * 1024
    /// One turn of a copy between files, which is about 30 ms.
    private static let overlappedTurn: Int64 = 64 * 1024 * 1024
    /// From this size on a second thread pays.
    private static let overlappedMinimum: Int64 = 16 * 1024 * 1024
    private static let pageSize: Int64 = 4096
    package static let defaultBufferSize = 256 * 1024

    /// An output to a descriptor; if that is an empty file for nothing else, it is a spool.
    package init(descriptor: CInt, isSpool: Bool, bufferSize: Int = defaultBufferSize) {
        self.descriptor = descriptor
        buffer = ByteBuffer(capacity: bufferSize)
        if isSpool { room = SpoolRoom(descriptor: descriptor) }
    }

    package mutating func write(_ bytes: Span<UInt8>) throws(SystemError) {
        count += Int64(bytes.count)
        if bytes.count <= buffer.room {
            buffer.append(bytes)
        } else if bytes.count >= min(Self.largePiece, buffer.capacity) {
            try writeThrough(bytes)
        } else {
            let head = buffer.room
            buffer.append(bytes.extracting(first: head))
            try flush()
            buffer.append(bytes.extracting(droppingFirst: head))
        }
    }

    /// Makes room for `limit` bytes in one place and lets `fill` write there; it returns how many it
    /// wrote.
    package mutating func fill(
        atMost limit: Int,
        _ fill: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
    ) throws(SystemError) {
        if buffer.room < limit {
            try flush()
            buffer.grow(to: limit)
        }
        count += Int64(unsafe try buffer.fill(fill))
    }

    /// Reads from a descriptor straight into the buffer: from `offset` of a file, or from where a
    /// stream is.
    ///
    /// - Returns: How many bytes; 0 is the end.
    package mutating func read(
        from source: CInt,
        at offset: Int64?,
        atMost limit: Int64
    ) throws(SystemError) -> Int {
        if buffer.room < max(1, buffer.capacity / 2) { try flush() }
        let limit = Int(min(limit, Int64(buffer.room)))
        let received =
            if let offset {
                try systemRead(source, at: offset, into: &buffer, atMost: limit)
            } else {
                try systemRead(source, into: &buffer, atMost: limit)
            }
        count += Int64(received)
        return received
    }

    /// Copies from a file in the fastest way there is for these two descriptors.
    ///
    /// Where the pages of both files line up, the kernel may let them share their blocks
    /// (`copy_file_range`). Where they don't, as nearly always in a body, reading overlaps with
    /// writing. A pipe or socket is served by `sendfile`.
    ///
    /// - Returns: How many bytes, 0 at the file's end; `nil` where reading into the buffer is as good.
    package mutating func copy(
        from source: CInt,
        at offset: Int64,
        atMost limit: Int64
    ) throws(SystemError) -> Int? {
        try flush()
        let copied = try copyUncounted(from: source, at: offset, atMost: limit)
        count += Int64(copied ?? 0)
        return copied
    }

    private mutating func copyUncounted(
        from source: CInt,
        at offset: Int64,
        atMost limit: Int64
    ) throws(SystemError) -> Int? {
        guard let position = systemPosition(descriptor) else {
            let turn = Int(min(limit, Self.copyTurn))
            return try systemSendFile(from: source, at: offset, to: descriptor, count: turn)
        }
        let turn = Int(min(limit, Self.overlappedTurn))
        if !refusesCopyRange, (position - offset) % Self.pageSize == 0 {
            let copied = try systemCopyRange(from: source, at: offset, to: descriptor, count: turn)
            // 0 before the file's end comes from file systems that only look able (procfs).
            if let copied, copied > 0 { return copied }
            refusesCopyRange = true
        }
        guard limit >= Self.overlappedMinimum else { return nil }
        room?.make(for: count + Int64(turn))
        return try systemCopyOverlapped(from: source, at: offset, to: descriptor, count: turn)
    }

    /// The last bytes that were put into the buffer.
    @_lifetime(borrow self)
    package func latest(_ count: Int) -> Span<UInt8> {
        buffer.bytes.extracting(last: count)
    }

    /// Writes out what the buffer holds.
    package mutating func flush() throws(SystemError) {
        room?.make(for: count)
        var written = 0
        while written < buffer.count {
            written += try systemWrite(
                descriptor,
                buffer.bytes.extracting(droppingFirst: written)
            )
        }
        buffer.removeAll()
    }

    /// Writes out what the buffer holds, the last there is.
    package mutating func finish() throws(SystemError) {
        try flush()
        room?.giveBack(behind: count)
    }

    private mutating func writeThrough(_ bytes: Span<UInt8>) throws(SystemError) {
        room?.make(for: count)
        let pending = buffer.count
        var written = 0
        while written < pending {
            written += try systemWrite(
                descriptor,
                buffer.bytes.extracting(droppingFirst: written),
                bytes
            )
        }
        buffer.removeAll()
        written -= pending
        while written < bytes.count {
            written += try systemWrite(descriptor, bytes.extracting(droppingFirst: written))
        }
    }
}
