/// A fixed piece of memory that fills from the front.
@safe package struct ByteBuffer: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    package private(set) var count = 0

    package init(capacity: Int) {
        precondition(capacity > 0, "a buffer holds at least one byte")
        unsafe memory = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit { unsafe memory.deallocate() }

    package var capacity: Int { unsafe memory.count }
    package var room: Int { capacity - count }

    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span<UInt8>(
                _unsafeElements: UnsafeBufferPointer(
                    rebasing: memory.bindMemory(to: UInt8.self)[..<count]
                )
            )
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Copies bytes that fit into the room that is left.
    package mutating func append(_ source: Span<UInt8>) {
        precondition(source.count <= room, "the buffer is too full for these bytes")
        unsafe source.withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(
                from: source
            )
        }
        count += source.count
    }

    /// Lets `fill` write into the room that is left; it returns how many bytes it wrote.
    package mutating func fill<Failure: Error>(
        _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        let written = unsafe try fill(UnsafeMutableRawBufferPointer(rebasing: memory[count...]))
        precondition(written >= 0 && written <= room, "more bytes than there was room for")
        count += written
        return written
    }

    package mutating func removeAll() { count = 0 }

    /// Moves to memory of at least this size, for a piece that must lie in one place.
    package mutating func grow(to capacity: Int) {
        guard capacity > self.capacity else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: capacity,
            alignment: 64
        )
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
        unsafe memory.deallocate()
        unsafe memory = larger
    }
}
