import Foundation
import MultipartEncoder
import Testing

@Suite struct SpoolRoomTests {
    private let directory = try? TemporaryDirectory()

    @Test func `blocks are there ahead where that is of use, and given back`() throws {
        let directory = try #require(directory)
        let spool = try SpoolFile(in: directory.path)
        var room = SpoolRoom(descriptor: spool.descriptor)
        room.make(for: 300_000)
        #expect(try blockBytes(spool.descriptor) == 0)
        room.make(for: 600_000)
        let usual: Int64 = isOfUse(spool.descriptor) ? 8 << 20 : 0
        #expect(try blockBytes(spool.descriptor) == usual)
        #expect(try systemStatus(spool.descriptor).size == 0)
        room.make(for: 8 << 20)
        #expect(try blockBytes(spool.descriptor) == usual)
        room.make(for: 20 << 20)
        #expect(try blockBytes(spool.descriptor) == 3 * usual)
        room.giveBack(behind: 0)
        #expect(try blockBytes(spool.descriptor) == 0)
    }

    @Test(arguments: [400_000, 600_000, 8 << 20, (8 << 20) + 1, 21_000_000])
    func `a body takes no more of the disk than its bytes`(count: Int) throws {
        let directory = try #require(directory)
        var writer = try MultipartWriter(spoolingIn: directory.path)
        try writer.append([UInt8](repeating: 7, count: count).span, named: "bytes")
        let body = try writer.finish()
        let file = try systemOpen(reading: body.path)
        #expect(try blockBytes(file.rawValue) <= (body.contentLength + 65_535) / 4096 * 4096)
    }

    @Test func `blocks of a disk that has too few are given back, too`() throws {
        let directory = try #require(directory)
        let spool = try SpoolFile(in: directory.path)
        guard isOfUse(spool.descriptor) else { return }
        // What such a disk gives before it refuses; no disk has as much as is asked for then.
        #expect(systemMakeRoom(spool.descriptor, from: 0, to: 1 << 20))
        var room = SpoolRoom(descriptor: spool.descriptor)
        room.make(for: 1 << 60)
        #expect(try blockBytes(spool.descriptor) == 1 << 20)
        room.giveBack(behind: 0)
        #expect(try blockBytes(spool.descriptor) == 0)
    }

    @Test func `a disk with little to spare keeps it for everybody`() throws {
        let directory = try #require(directory)
        let spool = try SpoolFile(in: directory.path)
        var room = SpoolRoom(descriptor: spool.descriptor, leaving: 1 << 60)
        room.make(for: 600_000)
        #expect(try blockBytes(spool.descriptor) == 0)
    }

    @Test func `a pipe gets none, and no error either`() throws {
        let pipe = Pipe()
        var room = SpoolRoom(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        room.make(for: 600_000)
        room.giveBack(behind: 600_000)
    }
}

private func isOfUse(_ descriptor: CInt) -> Bool {
    systemGainsFromRoom(descriptor, leaving: SpoolRoom.usualSpare)
}

private func blockBytes(_ descriptor: CInt) throws -> Int64 {
    var status = stat()
    try #require(unsafe fstat(descriptor, &status) == 0)
    return Int64(status.st_blocks) * 512
}
