import Foundation
import MultipartEncoder
import MultipartReference
import Testing

@Suite struct SourceFileTests {
    private let directory = try? TemporaryDirectory()

    enum Place: CaseIterable {
        case missing, directory, fifo, device, brokenLink, nulInPath, throughAFile

        var defect: SourceDefect {
            switch self {
            case .missing, .brokenLink: .system(SystemError(call: .open, code: ENOENT))
            case .throughAFile: .system(SystemError(call: .open, code: ENOTDIR))
            case .nulInPath: .system(SystemError(call: .open, code: EINVAL))
            case .directory, .fifo, .device: .notRegularFile
            }
        }
    }

    @Test(arguments: Place.allCases, [true, false])
    func `refuses what is no file before anything is sent`(place: Place, declared: Bool) throws {
        // Alamofire#596, #3306, measured: a directory hung until the timeout, a FIFO forever.
        let directory = try #require(directory)
        let path = try make(place, in: directory)
        let before = try directory.names
        let error = #expect(throws: MultipartError.self) {
            if declared {
                let form = FormData([.text("x", named: "a"), .file(at: path, named: "b")])
                _ = try form.spool(in: directory.path)
            } else {
                var writer = try MultipartWriter(spoolingIn: directory.path)
                try writer.append("x", named: "a")
                try writer.append(fileAt: path, named: "b")
            }
        }
        guard case .source(let part, let named, let defect)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(part == PartLabel(index: 1, name: "b"))
        #expect(named == path)
        #expect(defect == place.defect)
        #expect(try directory.names == before)
    }

    private func make(_ place: Place, in directory: TemporaryDirectory) throws -> String {
        let path = "\(directory.path)/source"
        switch place {
        case .missing: break
        case .directory:
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false
            )
        case .fifo: #expect(makeFIFO(path))
        case .device: return "/dev/null"
        case .brokenLink:
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
        case .nulInPath: return try directory.file("source", [1]) + "\u{0}.png"
        case .throughAFile: return try directory.file("source", [1]) + "/x"
        }
        return path
    }

    @Test func `a file that may not be read is an error`() async {
        // Alamofire#3306: the upload went on without it. Root may read all, so it steps down.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = try directory.file("secret", [1])
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o777],
                ofItemAtPath: directory.path
            )
            if getuid() == 0 { try #require(setuid(65_534) == 0) }
            let form = FormData([.file(at: path, named: "f")])
            let error = failure { () throws(MultipartError) in
                _ = try form.spool(in: directory.path)
            }
            guard case .source(_, _, .system(let system))? = error else { exit(1) }
            exit(system == SystemError(call: .open, code: EACCES) ? 0 : 2)
        }
    }

    @Test func `a link to a file is the file`() throws {
        let directory = try #require(directory)
        _ = try directory.file("target", [1, 2])
        let link = "\(directory.path)/link.png"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target")
        let form = FormData([.file(at: link, named: "f")])
        let body = try form.spool(in: directory.path)
        #expect(body.parts.first?.length == 2)
        #expect(body.parts.first?.filename == "link.png")
    }

    @Test(arguments: [0..<10, 0..<0, 10..<10, 3..<7, 9..<10] as [Range<Int64>])
    func `takes a range`(range: Range<Int64>) throws {
        let directory = try #require(directory)
        let file = try directory.file("ten", 0..<10)
        let form = FormData([.file(at: file, range: range, named: "f")])
        let length = try form.contentLength()
        let whole = try streamed(options: form.options) { (writer) throws(MultipartError) in
            try writer.append(fileAt: file, range: range, named: "f")
        }
        #expect(length == Int64(whole.bytes.count))
        let parts = try ReferenceParser.parse(whole.bytes, boundary: whole.body.boundary.text)
        let expected = Array((UInt8(0)..<10)[UInt8(range.lowerBound)..<UInt8(range.upperBound)])
        #expect(parts.map(\.content) == [expected])
    }

    @Test(arguments: [0..<11, 10..<11, 11..<11, -1..<3] as [Range<Int64>])
    func `refuses a range outside the file`(range: Range<Int64>) throws {
        let directory = try #require(directory)
        let file = try directory.file("ten", 0..<10)
        let form = FormData([.file(at: file, range: range, named: "f")])
        for encode in [
            { (form: FormData) throws in _ = try form.contentLength() },
            { (form: FormData) throws in _ = try form.spool(in: directory.path) },
        ] {
            let error = #expect(throws: MultipartError.self) { try encode(form) }
            guard case .source(_, _, .rangeOutside(let found, size: 10))? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(found == range)
        }
        #expect(try directory.names == ["ten"])
    }

    @Test func `an empty file is a part with a known length`() throws {
        // dropzone#2130, SaltwaterC/aws2js#88
        let directory = try #require(directory)
        let file = try directory.file("empty.txt")
        let form = FormData([.file(at: file, named: "f"), .bytes([], named: "b")])
        let body = try form.spool(in: directory.path)
        #expect(try form.contentLength() == body.contentLength)
        #expect(body.parts.map(\.length) == [0, 0])
        let parts = try ReferenceParser.parse(
            try bytes(ofFile: body.path),
            boundary: body.boundary.text
        )
        #expect(parts.map(\.content) == [[], []])
    }

    @Test func `a file that does not know its size is read to its end`() throws {
        let form = FormData([.file(at: "/proc/version", named: "f")])
        #expect(try form.contentLength() == nil)
        let whole = try streamed { (writer) throws(MultipartError) in
            try writer.append(fileAt: "/proc/version", named: "f")
        }
        let parts = try ReferenceParser.parse(whole.bytes, boundary: whole.body.boundary.text)
        #expect(try parts.map(\.content) == [bytes(ofFile: "/proc/version")])
    }

    enum Change: CaseIterable {
        case append, truncate, overwrite, replaceContent
    }

    @Test(arguments: Change.allCases, [true, false])
    func `a file that changes while it is read is an error`(
        change: Change,
        byKernel: Bool
    ) throws {
        // requests/toolbelt#314, lysine-dev/okhttp#3023, #4302, gotev/android-upload-service#320
        let directory = try #require(directory)
        // More than a turn of the copying between files, after which the first report comes.
        let size: Int64 = byKernel ? 80_000_000 : 1_000_000
        let file = try directory.file("log")
        try Self.lengthen(file, to: size)
        let options = WritingOptions(
            boundary: byKernel ? .random() : try Boundary("fixed"),
            progress: { progress in
                if progress.bytesWritten < size { Self.apply(change, to: file) }
                return .proceed
            }
        )
        let form = FormData([.file(at: file, named: "log")], options: options)
        let error = #expect(throws: MultipartError.self) { try form.spool(in: directory.path) }
        guard case .source(_, _, .changedWhileRead)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try directory.names == ["log"])
    }

    private static func lengthen(_ file: String, to size: Int64) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
    }

    private static func apply(_ change: Change, to file: String) {
        do {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
            switch change {
            case .append:
                try handle.seekToEnd()
                try handle.write(contentsOf: Data([1]))
            case .truncate: try handle.truncate(atOffset: 10)
            case .overwrite: try handle.write(contentsOf: Data([1]))
            case .replaceContent:
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: Data([1, 2, 3]))
            }
            try handle.close()
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `reads from another file system, where the kernel may not copy`() throws {
        let directory = try #require(directory)
        let shared = try #require(
            mode(of: "/dev/shm") == nil ? directory.path : "/dev/shm" as String?
        )
        let path = "\(shared)/multipart-tests-\(UInt64.random(in: 0 ... .max))"
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Data(content).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let body = try FormData([.file(at: path, named: "f")]).spool(in: directory.path)
        let part = try #require(body.parts.first)
        let bytes = try bytes(ofFile: body.path)
        #expect(Array(bytes[Int(part.offset)..<Int(part.offset + part.length)]) == content)
    }
}
