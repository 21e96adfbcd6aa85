import MultipartEncoder
import Testing

@Suite struct ByteBufferTests {
    @Test func `fills from the front and empties at once`() {
        var buffer = ByteBuffer(capacity: 5)
        buffer.append(ContiguousArray([1, 2, 3]).span)
        buffer.append(ContiguousArray<UInt8>().span)
        #expect(buffer.room == 2)
        buffer.append(ContiguousArray([4, 5]).span)
        #expect(content(of: buffer) == [1, 2, 3, 4, 5])
        #expect(buffer.room == 0)
        buffer.removeAll()
        #expect(buffer.count == 0 && buffer.capacity == 5)
    }

    @Test func `keeps what it holds when it grows`() {
        var buffer = ByteBuffer(capacity: 2)
        buffer.append(ContiguousArray([1, 2]).span)
        buffer.grow(to: 1)
        #expect(buffer.capacity == 2)
        buffer.grow(to: 100)
        #expect(buffer.capacity == 100)
        #expect(content(of: buffer) == [1, 2])
    }

    @Test func `traps on more bytes than there is room for`() async {
        await #expect(processExitsWith: .failure) {
            var buffer = ByteBuffer(capacity: 2)
            buffer.append(ContiguousArray([1, 2, 3]).span)
        }
    }

    @Test func `traps on no room at all`() async {
        await #expect(processExitsWith: .failure) { _ = ByteBuffer(capacity: 0).room }
    }

    private func content(of buffer: borrowing ByteBuffer) -> [UInt8] {
        let bytes = buffer.bytes
        return (0..<bytes.count).map { bytes[$0] }
    }
}
