/// Looks for a boundary's delimiter in content that arrives in pieces.
///
/// It looks for `--boundary` anywhere, not only at the start of a line as RFC 2046 has it: half of
/// the parsers in use are misled by one in the middle of a line as well.
package struct BoundaryScanner: ~Copyable {
    private let delimiter: ContiguousArray<UInt8>
    /// The last bytes seen, fewer than a delimiter has.
    private var tail: ContiguousArray<UInt8> = []
    /// Bytes seen since the last `reset`.
    private var seen: Int64 = 0

    package init(for boundary: Boundary) {
        delimiter = ContiguousArray("--\(boundary.text)".utf8)
        tail.reserveCapacity(2 * delimiter.count)
    }

    /// Starts anew, so that nothing from before counts.
    package mutating func reset() {
        tail.removeAll(keepingCapacity: true)
        seen = 0
    }

    /// Takes the next piece.
    ///
    /// - Returns: Where the first delimiter starts, in bytes since `reset`, or `nil`.
    package mutating func find(in bytes: Span<UInt8>) -> Int64? {
        let reach = delimiter.count - 1
        let tailStart = seen - Int64(tail.count)
        seen += Int64(bytes.count)
        // A delimiter across the edge lies in the tail and as many bytes of the new piece.
        let before = tail.count
        for index in 0..<min(reach, bytes.count) { tail.append(bytes[index]) }
        if before > 0, let offset = systemFind(delimiter.span, in: tail.span) {
            return tailStart + Int64(offset)
        }
        if let offset = systemFind(delimiter.span, in: bytes) {
            return tailStart + Int64(before + offset)
        }
        if bytes.count >= reach {
            tail.removeAll(keepingCapacity: true)
            for index in (bytes.count - reach)..<bytes.count { tail.append(bytes[index]) }
        } else if tail.count > reach {
            tail.removeFirst(tail.count - reach)
        }
        return nil
    }
}
