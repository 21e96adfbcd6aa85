import Foundation
import MultipartEncoder
import MultipartReference
import Testing

@Suite struct MultipartWriterTests {
    private let directory = try? TemporaryDirectory()
    private static let content = ContiguousArray<UInt8>([1, 2, 3])

    @Test func `a second part starts with a line break of its own`() throws {
        // nst/STHTTPRequest#42, AFNetworking#134, swift-multipart-formdata#2, danialfarid#280: CRLF
        // before each delimiter but the first, and one after the last.
        let whole = try streamed(options: WritingOptions(boundary: try Boundary("b"))) {
            (writer) throws(MultipartError) in
            try writer.append("", named: "x")
            try writer.append("1", named: "y")
            try writer.append("", named: "z")
        }
        #expect(
            String(decoding: whole.bytes, as: UTF8.self) == """
                --b\r
                Content-Disposition: form-data; name="x"\r
                \r
                \r
                --b\r
                Content-Disposition: form-data; name="y"\r
                \r
                1\r
                --b\r
                Content-Disposition: form-data; name="z"\r
                \r
                \r
                --b--\r

                """
        )
    }

    @Test(arguments: [0, 1, 2])
    func `says where each part lies`(count: Int) throws {
        // immobiliare/RealHTTP#20: the closing delimiter is there after any number of parts.
        let directory = try #require(directory)
        var writer = try MultipartWriter(spoolingIn: directory.path)
        for number in 0..<count { try writer.append("text \(number)", named: "n\(number)") }
        let body = try writer.finish()
        let content = try bytes(ofFile: body.path)
        let parts = try ReferenceParser.parse(content, boundary: body.boundary.text)
        #expect(body.contentLength == Int64(content.count))
        #expect(body.contentType == "multipart/form-data; boundary=\(body.boundary.text)")
        #expect(body.parts.map(\.offset) == parts.map { Int64($0.offset) })
        #expect(body.parts.map(\.length) == parts.map { Int64($0.content.count) })
    }

    @Test(arguments: [true, false])
    func `leaves nothing behind when it goes away unfinished`(nameless: Bool) throws {
        let directory = try #require(directory)
        do {
            var writer = try writer(in: directory, nameless: nameless)
            try writer.append(Self.content.span, named: "b")
            #expect(try directory.names.isEmpty == nameless)
        }
        #expect(try directory.names.isEmpty)
    }

    enum Trouble: CaseIterable {
        case missingFile, badHeader, nul, collision, producer, cancelled, sinkErrorHidden
    }

    @Test(arguments: Trouble.allCases, [true, false])
    func `after an error nothing is left, and every call says the same again`(
        trouble: Trouble,
        nameless: Bool
    ) throws {
        // AndersCan/justus#90, Alamofire#1742: spools left on errors. Alamofire#596: a failed
        // append was forgotten, and the upload went without the part.
        let directory = try #require(directory)
        var writer = try writer(in: directory, nameless: nameless)
        try writer.append(Self.content.span, named: "b")
        let first = #expect(throws: MultipartError.self) { try cause(trouble, in: &writer) }
        #expect(try directory.names.isEmpty)
        let second = #expect(throws: MultipartError.self) { try writer.append("x", named: "c") }
        let third = #expect(throws: MultipartError.self) {
            try writer.append(fileAt: "/no/such/other", named: "d")
        }
        var last: MultipartError?
        do throws(MultipartError) {
            _ = try writer.finish()
        } catch {
            last = error
        }
        let texts = Set([first, second, third, last].map { $0?.description })
        #expect(texts.count == 1)
        #expect(try directory.names.isEmpty)
    }

    private func cause(_ trouble: Trouble, in writer: inout MultipartWriter) throws {
        switch trouble {
        case .missingFile: try writer.append(fileAt: "/no/such", named: "f")
        case .badHeader: try writer.append("x", named: "f", headers: [HeaderField("a b", "c")])
        case .nul: try writer.append("x", named: "\u{0}")
        case .collision: try writer.append("x --fixed", named: "f")
        case .producer:
            try writer.append(named: "f") { (sink) in
                try sink.write("half")
                throw CocoaError(.fileNoSuchFile)
            }
        case .cancelled:
            try writer.append(named: "f") { (sink) in
                for _ in 0..<40 { try sink.write(String(repeating: "cancel me", count: 10_000)) }
            }
        case .sinkErrorHidden:
            try writer.append(named: "f") { (sink) in
                try? sink.write("--fixed")
                try? sink.write("more")
            }
        }
    }

    private func writer(
        in directory: TemporaryDirectory,
        nameless: Bool
    ) throws -> MultipartWriter {
        try MultipartWriter(
            path: "\(directory.path)/body",
            replaces: false,
            options: WritingOptions(
                boundary: try Boundary("fixed"),
                progress: { $0.bytesWritten > 1_000_000 ? .cancel : .proceed }
            ),
            nameless: nameless
        )
    }

    @Test func `a producer's error comes through, a sink's error before it`() throws {
        struct Mine: Error, Equatable {}
        let options = WritingOptions(boundary: try Boundary("fixed"))
        let plain = #expect(throws: MultipartError.self) {
            try streamed(options: options) { (writer) throws(MultipartError) in
                try writer.append(named: "f") { _ in throw Mine() }
            }
        }
        guard case .producer(PartLabel(index: 0, name: "f"), is Mine)? = plain else {
            Issue.record("\(String(describing: plain))")
            return
        }
        let mapped = #expect(throws: MultipartError.self) {
            try streamed(options: options) { (writer) throws(MultipartError) in
                try writer.append(named: "f") { (sink) in
                    do { try sink.write("--fixed") } catch { throw Mine() }
                }
            }
        }
        guard case .boundaryCollision? = mapped else {
            Issue.record("\(String(describing: mapped))")
            return
        }
    }

    @Test func `cancelling the task stops it and removes the spool`() async throws {
        let directory = try #require(directory)
        let path = directory.path
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try FormData([.text("x", named: "a")]).spool(in: path)
        }
        task.cancel()
        let error = await #expect(throws: MultipartError.self) { try await task.value }
        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try directory.names.isEmpty)
    }

    @Test func `reports progress that only grows and ends at the length`() throws {
        let directory = try #require(directory)
        let file = try directory.file("file", repeatElement(7, count: 10_000_000))
        let log = Log()
        let form = FormData(
            [.file(at: file, named: "a"), .bytes([], named: "b"), .file(at: file, named: "c")],
            options: WritingOptions(progress: { progress in
                log.append(progress)
                return .proceed
            })
        )
        let body = try form.spool(in: directory.path)
        let reports = log.reports
        #expect(reports.count >= 4)
        #expect(reports.map(\.bytesWritten) == reports.map(\.bytesWritten).sorted())
        #expect(reports.last?.bytesWritten == body.contentLength)
        #expect(reports.last?.partIndex == 2)
        #expect(reports.map(\.partIndex) == reports.map(\.partIndex).sorted())
    }

    private final class Log: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [BodyProgress] = []
        var reports: [BodyProgress] { lock.withLock { list } }
        func append(_ progress: BodyProgress) { lock.withLock { list.append(progress) } }
    }

    @Test func `spools into the current directory when it is given as nothing`() throws {
        let body = try FormData([.text("x", named: "a")]).spool(in: "")
        defer { try? FileManager.default.removeItem(atPath: body.path) }
        #expect(!body.path.contains("/"))
        #expect(mode(of: body.path) != nil)
    }

    @Test func `a boundary is new for every writer and the same for every use of a form`() throws {
        // couchbase-lite-ios#665, nodejs/undici#4065: a retry made a new boundary under an old
        // header.
        let directory = try #require(directory)
        let form = FormData([.text("x", named: "a")])
        let bodies = try (0..<3).map { _ in try form.spool(in: directory.path) }
        #expect(Set(bodies.map(\.contentType)).count == 1)
        #expect(Set(try bodies.map { try bytes(ofFile: $0.path) }).count == 1)
        for body in bodies {
            let start = try bytes(ofFile: body.path).prefix { $0 != 13 }
            #expect(
                body.contentType.hasSuffix(
                    "=" + String(decoding: start.dropFirst(2), as: UTF8.self)
                )
            )
        }
        #expect(FormData().options.boundary != FormData().options.boundary)
    }

    @Test func `a fixed order of many parts is kept`() throws {
        // Thousands of parts, which some servers refuse, are no trouble here.
        let whole = try streamed { (writer) throws(MultipartError) in
            for number in 0..<1100 { try writer.append("\(number)", named: "n") }
        }
        let parts = try ReferenceParser.parse(whole.bytes, boundary: whole.body.boundary.text)
        #expect(parts.map(\.content) == (0..<1100).map { Array("\($0)".utf8) })
    }

    @Test func `exchanging two sinks traps`() async {
        await #expect(processExitsWith: .failure) {
            let directory = try TemporaryDirectory()
            var first = try MultipartWriter(spoolingIn: directory.path)
            var second = try MultipartWriter(spoolingIn: directory.path)
            try first.append(named: "a") { (sink) in
                try second.append(named: "b") { (other) in swap(&sink, &other) }
            }
        }
    }

    @Test func `exchanging the writer of a stream traps`() async {
        await #expect(processExitsWith: .failure) {
            let directory = try TemporaryDirectory()
            let reader = PipeReader()
            _ = try MultipartWriter.stream(to: reader.descriptor) {
                (writer) throws(MultipartError) in
                writer = try MultipartWriter(spoolingIn: directory.path)
            }
        }
    }
}
