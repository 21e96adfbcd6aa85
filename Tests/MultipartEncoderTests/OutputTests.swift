import Foundation
import MultipartEncoder
import MultipartReference
import Testing

/// What a body is written to: full disks, slow pipes, readers that go away.
@Suite struct OutputTests {
    private let directory = try? TemporaryDirectory()

    /// Every way of writing, each with more than one buffer of content.
    enum Way: CaseIterable {
        case fields, bytes, file, smallFile, closure, descriptor
    }

    private func append(
        _ way: Way,
        to writer: inout MultipartWriter,
        in directory: TemporaryDirectory
    ) throws(MultipartError) {
        let content = ContiguousArray(repeating: UInt8(46), count: 1_500_000)
        switch way {
        case .fields:
            for number in 0..<12_000 {
                try writer.append("value of field \(number)", named: "field-\(number)")
            }
        case .bytes: try writer.append(content.span, named: "b")
        case .file: try writer.append(fileAt: "\(directory.path)/large", named: "f")
        case .smallFile:
            for _ in 0..<15 { try writer.append(fileAt: "\(directory.path)/small", named: "f") }
        case .closure:
            try writer.append(named: "c") { (sink) in
                for _ in 0..<150 { try sink.write(String(repeating: "x", count: 10_000)) }
            }
        case .descriptor:
            let pipe = PipeWriter(Array(repeating: Array(repeating: 46, count: 50_000), count: 30))
            try writer.append(readingFrom: pipe.descriptor, named: "d")
            withExtendedLifetime(pipe) {}
        }
    }

    private func makeFiles(in directory: TemporaryDirectory) throws {
        _ = try directory.file("large", repeatElement(UInt8(46), count: 1_500_000))
        _ = try directory.file("small", repeatElement(UInt8(46), count: 100_000))
    }

    @Test(arguments: Way.allCases)
    func `a full device is an error with its number`(way: Way) throws {
        // playframework#7936, OSC/ondemand#260, filebrowser#1464: taken for success.
        let directory = try #require(directory)
        try makeFiles(in: directory)
        let full = OwnedDescriptor(adopting: openDescriptor("/dev/full", O_WRONLY))
        let descriptor = full.rawValue
        let error = #expect(throws: MultipartError.self) {
            try MultipartWriter.stream(to: descriptor) { (writer) throws(MultipartError) in
                try append(way, to: &writer, in: directory)
            }
        }
        guard case .output(path: nil, let system)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(system.code == ENOSPC)
    }

    @Test(arguments: Way.allCases)
    func `a full disk leaves nothing behind`(way: Way) throws {
        let directory = try #require(directory)
        try makeFiles(in: directory)
        let disk = "\(directory.path)/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        // Only root may mount; the test with a limit covers the same without.
        guard runs("mount", "-t", "tmpfs", "-o", "size=1m", "none", disk) else { return }
        defer { #expect(runs("umount", disk)) }
        for nameless in [true, false] {
            let error = #expect(throws: MultipartError.self) {
                var writer = try MultipartWriter(
                    path: "\(disk)/body",
                    replaces: false,
                    options: WritingOptions(),
                    nameless: nameless
                )
                try append(way, to: &writer, in: directory)
                _ = try writer.finish()
            }
            guard case .output(path: "\(disk)/body", let system)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(system.code == ENOSPC)
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk).isEmpty)
        }
    }

    @Test func `a file size limit leaves nothing behind`() async {
        await #expect(processExitsWith: .success) { try OutputTests.fillLimit(nameless: true) }
    }

    @Test func `a file size limit leaves no named spool behind`() async {
        await #expect(processExitsWith: .success) { try OutputTests.fillLimit(nameless: false) }
    }

    private static func fillLimit(nameless: Bool) throws {
        let suite = OutputTests()
        let directory = try TemporaryDirectory()
        try suite.makeFiles(in: directory)
        try #require(limitFileSize(to: 700_000))
        for way in Way.allCases {
            let error = failure { () throws(MultipartError) in
                var writer = try MultipartWriter(
                    path: "\(directory.path)/body",
                    replaces: false,
                    options: WritingOptions(),
                    nameless: nameless
                )
                try suite.append(way, to: &writer, in: directory)
                _ = try writer.finish()
            }
            guard case .output(_, let system)? = error, system.code == EFBIG else { exit(1) }
            guard try directory.names == ["large", "small"] else { exit(2) }
        }
        exit(0)
    }

    @Test func `a reader that goes away is an error`() async {
        await #expect(processExitsWith: .success) {
            ignoreBrokenPipes()
            let suite = OutputTests()
            let directory = try TemporaryDirectory()
            try suite.makeFiles(in: directory)
            for way in Way.allCases {
                let pipe = Pipe()
                try pipe.fileHandleForReading.close()
                let descriptor = pipe.fileHandleForWriting.fileDescriptor
                let error = failure { () throws(MultipartError) in
                    _ = try MultipartWriter.stream(to: descriptor) {
                        (writer) throws(MultipartError) in
                        try suite.append(way, to: &writer, in: directory)
                    }
                }
                guard case .output(path: nil, let system)? = error, system.code == EPIPE else {
                    exit(1)
                }
            }
            exit(0)
        }
    }

    @Test(arguments: Way.allCases, [true, false])
    func `short writes and a slow, non-blocking reader lose nothing`(
        way: Way,
        isSocket: Bool
    ) throws {
        // AFNetworking's writer ignored short writes, Alamofire#1110 read them as the end.
        let directory = try #require(directory)
        try makeFiles(in: directory)
        let reader = isSocket ? try SlowReader(socket: ()) : SlowReader()
        #expect(fcntl(reader.descriptor, F_SETFL, O_NONBLOCK) == 0)
        let body = try MultipartWriter.stream(to: reader.descriptor) {
            (writer) throws(MultipartError) in
            try append(way, to: &writer, in: directory)
        }
        let received = try reader.finish()
        #expect(Int64(received.count) == body.contentLength)
        let start = Array("--\(body.boundary.text)\r\n".utf8)
        #expect(received.starts(with: start))
        #expect(received.suffix(4) == [45, 45, 13, 10])
        for part in body.parts where way != .fields {
            let content = received[Int(part.offset)..<Int(part.offset + part.length)]
            #expect(Set(content).count == 1)
        }
    }

    @Test func `a source without blocking is waited for`() throws {
        let pipe = PipeWriter((0..<20).map { [UInt8($0)] }, pause: 0.002)
        #expect(fcntl(pipe.descriptor, F_SETFL, O_NONBLOCK) == 0)
        let whole = try streamed { (writer) throws(MultipartError) in
            try writer.append(readingFrom: pipe.descriptor, named: "live")
        }
        let parts = try ReferenceParser.parse(whole.bytes, boundary: whole.body.boundary.text)
        #expect(parts.map(\.content) == [(0..<20).map { UInt8($0) }])
        withExtendedLifetime(pipe) {}
    }

    @Test func `signals in the middle of calls do no harm`() async {
        await #expect(processExitsWith: .success) {
            interruptEveryMillisecond()
            let suite = OutputTests()
            let directory = try TemporaryDirectory()
            try suite.makeFiles(in: directory)
            for way in Way.allCases {
                let reader = SlowReader()
                let body = try MultipartWriter.stream(to: reader.descriptor) {
                    (writer) throws(MultipartError) in
                    try suite.append(way, to: &writer, in: directory)
                }
                guard Int64(try reader.finish().count) == body.contentLength else { exit(1) }
                var writer = try MultipartWriter(spoolingIn: directory.path)
                try suite.append(way, to: &writer, in: directory)
                let spooled = try writer.finish()
                guard Int64(try bytes(ofFile: spooled.path).count) == spooled.contentLength else {
                    exit(2)
                }
            }
            exit(0)
        }
    }

    @Test func `appends to a file that is open for appending, where the kernel won't copy`() throws
    {
        let directory = try #require(directory)
        try makeFiles(in: directory)
        let path = try directory.file("log", [1, 2])
        let log = OwnedDescriptor(adopting: openDescriptor(path, O_WRONLY | O_APPEND))
        let body = try MultipartWriter.stream(to: log.rawValue) {
            (writer) throws(MultipartError) in
            try append(.file, to: &writer, in: directory)
        }
        let content = Array(try bytes(ofFile: path).dropFirst(2))
        #expect(Int64(content.count) == body.contentLength)
        let parts = try ReferenceParser.parse(content, boundary: body.boundary.text)
        #expect(parts.first?.content == Array(repeating: 46, count: 1_500_000))
    }

    @Test func `a body that is appended to itself is no endless file`() throws {
        let directory = try #require(directory)
        let path = try directory.file("self", repeatElement(UInt8(46), count: 600_000))
        let target = OwnedDescriptor(adopting: openDescriptor(path, O_WRONLY | O_APPEND))
        let descriptor = target.rawValue
        let error = #expect(throws: MultipartError.self) {
            try MultipartWriter.stream(to: descriptor) { (writer) throws(MultipartError) in
                try writer.append(fileAt: path, named: "f")
            }
        }
        guard case .source(_, _, .changedWhileRead)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a source that breaks in the middle is an error, not a short part`() throws {
        // Automattic/wordpress-rs#1514: -1 was taken for a length.
        let directory = try #require(directory)
        let (near, far) = try #require(makeSocketPair())
        let mine = OwnedDescriptor(adopting: near)
        #expect(writeBytes([1, 2, 3], to: far) == 3)
        #expect(writeBytes([9], to: near) == 1)
        // Unread bytes at the other end make its close a reset.
        close(far)
        let descriptor = mine.rawValue
        let error = #expect(throws: MultipartError.self) {
            var writer = try MultipartWriter(spoolingIn: directory.path)
            try writer.append("first", named: "a")
            try writer.append(readingFrom: descriptor, named: "s")
            _ = try writer.finish()
        }
        guard case .source(let part, _, .system(let system))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(system == SystemError(call: .read, code: ECONNRESET))
        #expect(part == PartLabel(index: 1, name: "s"))
        #expect(try directory.names.isEmpty)
    }

    @Test func `a descriptor that is not open is an error`() throws {
        #expect(throws: MultipartError.self) {
            try MultipartWriter.stream(to: -1) { (writer) throws(MultipartError) in }
        }
        #expect(throws: MultipartError.self) {
            try streamed { (writer) throws(MultipartError) in
                try writer.append(readingFrom: -1, named: "x")
            }
        }
    }

    @Test func `more than four gigabytes come through whole`() throws {
        // requests/toolbelt#80, psf/requests#2717, curl#2889, KarpelesLab/reflink#3
        let directory = try #require(directory)
        let size: Int64 = 5 << 30
        let path = try directory.file("huge", Array("head".utf8))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: UInt64(size) - 4)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("tail".utf8))
        try handle.close()
        let form = FormData([
            .file(at: path, named: "huge"),
            .file(at: path, range: (size - 7)..<size, named: "end"),
        ])
        let length = try form.contentLength()
        let sparse = OwnedDescriptor(adopting: openDescriptor("/dev/null", O_WRONLY))
        let body = try form.stream(to: sparse.rawValue)
        #expect(body.contentLength == length)
        #expect(body.parts.map(\.length) == [size, 7])
        let counter = TailCounter()
        let second = try form.stream(to: counter.descriptor)
        let (count, tail) = try counter.finish()
        #expect(count == length)
        #expect(second.parts == body.parts)
        let end = Array("\0\0\0tail\r\n--\(body.boundary.text)--\r\n".utf8)
        #expect(tail.suffix(end.count).elementsEqual(end))
    }
}
