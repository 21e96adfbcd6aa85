import MultipartEncoder
import MultipartReference
import Testing

/// A boundary of the caller's own is found in whatever a part is made of, and nothing is left.
@Suite struct BoundaryCollisionTests {
    private let directory = try? TemporaryDirectory()

    enum Source: CaseIterable {
        case bytes, file, range, closure, direct, descriptor, text, nameless, named
    }

    private static let boundary = "sepa-ra-tor"
    private static let delimiter = Array("--sepa-ra-tor".utf8)

    @Test(arguments: Source.allCases, [1, 2, 3, 7, 13, 14, 32])
    func `finds a delimiter at each offset against each edge`(
        source: Source,
        bufferSize: Int
    ) throws {
        let directory = try #require(directory)
        let reach = 2 * bufferSize + Self.delimiter.count + 2
        for offset in 0...reach {
            let filler = Array(repeating: UInt8(ascii: "-"), count: offset)
            // The hyphens before it must not hide where it starts.
            let content = filler + Self.delimiter + [46]
            let error = #expect(throws: MultipartError.self) {
                try write(content, from: source, bufferSize, in: directory)
            }
            guard case .boundaryCollision(let part, let found)? = error, found == offset else {
                Issue.record("offset \(offset): \(String(describing: error))")
                continue
            }
            #expect(part == PartLabel(index: 1, name: "p"))
            var harmless = content
            harmless[offset + Self.delimiter.count - 1 - offset % Self.delimiter.count] = 33
            let body = try write(harmless, from: source, bufferSize, in: directory)
            #expect(body == harmless)
        }
        #expect(try directory.names.isEmpty)
    }

    @Test(arguments: [0, 1, 131_071, 131_072, 262_143, 262_132, 262_144, 400_000, 8_388_601])
    func `takes the scanning path for a file that the kernel would copy`(offset: Int) throws {
        let directory = try #require(directory)
        let size = max(offset + Self.delimiter.count, 300_000)
        var content = [UInt8](repeating: 46, count: size)
        content.replaceSubrange(offset..<(offset + Self.delimiter.count), with: Self.delimiter)
        let file = try directory.file("large", content)
        let error = #expect(throws: MultipartError.self) {
            var writer = try MultipartWriter(
                spoolingIn: directory.path,
                options: WritingOptions(boundary: try Boundary(Self.boundary))
            )
            try writer.append(fileAt: file, named: "f")
            _ = try writer.finish()
        }
        guard case .boundaryCollision(_, let found)? = error, found == offset else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try directory.names == ["large"])
    }

    @Test(arguments: ["name", "filename", "type", "header"])
    func `finds a delimiter in a header`(place: String) throws {
        let directory = try #require(directory)
        let hidden = "a--sepa-ra-tor-"
        let error = #expect(throws: MultipartError.self) {
            var writer = try MultipartWriter(
                spoolingIn: directory.path,
                options: WritingOptions(boundary: try Boundary(Self.boundary))
            )
            try writer.append(
                ContiguousArray<UInt8>().span,
                named: place == "name" ? hidden : "n",
                filename: place == "filename" ? hidden : "f",
                type: place == "type" ? hidden : "t/t",
                headers: place == "header" ? [HeaderField("X", hidden)] : []
            )
        }
        guard case .header(_, .holdsBoundary)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try directory.names.isEmpty)
    }

    @Test func `an inner multipart may not have a boundary that starts with the outer one`() throws
    {
        // pocoproject/poco#1753: nested multiparts shared a boundary.
        let directory = try #require(directory)
        let inner = try FormData(
            [.text("x", named: "a")],
            options: WritingOptions(boundary: try Boundary("outer-1"))
        ).spool(in: directory.path)
        for (outer, isRefused) in [("outer-1", true), ("outer", true), ("outer-2", false)] {
            let form = FormData(
                [.file(at: inner.path, named: "nested", type: inner.contentType)],
                options: WritingOptions(boundary: try Boundary(outer))
            )
            let result = Result { () throws(MultipartError) in try form.spool(in: directory.path) }
            switch result {
            case .success: #expect(!isRefused)
            case .failure: #expect(isRefused)
            }
        }
    }

    @Test func `content that ends in the start of a delimiter is no collision`() throws {
        for length in 0..<Self.delimiter.count {
            let content = Array(Self.delimiter.prefix(length))
            let whole = try streamed(
                options: WritingOptions(boundary: try Boundary(Self.boundary)),
                bufferSize: 5
            ) { (writer) throws(MultipartError) in
                for _ in 0..<2 {
                    try writer.append(ContiguousArray(content).span, named: "p", filename: "sepa")
                }
            }
            let parts = try ReferenceParser.parse(whole.bytes, boundary: Self.boundary)
            #expect(parts.map(\.content) == [content, content])
        }
    }

    private func write(
        _ content: [UInt8],
        from source: Source,
        _ bufferSize: Int,
        in directory: TemporaryDirectory
    ) throws -> [UInt8] {
        let path = "\(directory.path)/body"
        var sourceFile: String?
        if source == .file || source == .range {
            sourceFile = try directory.file(
                "source",
                source == .file ? content : [1, 2] + content + [3]
            )
        }
        defer { try? sourceFile.map { _ in try directory.remove("source") } }
        var writer = try MultipartWriter(
            path: path,
            replaces: false,
            options: WritingOptions(boundary: try Boundary(Self.boundary)),
            bufferSize: bufferSize,
            nameless: source != .named
        )
        try writer.append("sepa", named: "before")
        let file = "\(directory.path)/source"
        switch source {
        case .bytes, .nameless, .named:
            try writer.append(ContiguousArray(content).span, named: "p")
        case .file: try writer.append(fileAt: file, named: "p")
        case .range:
            try writer.append(fileAt: file, range: 2..<Int64(content.count + 2), named: "p")
        case .closure:
            try writer.append(named: "p") { (sink) in
                for byte in content { try sink.write(ContiguousArray([byte]).span) }
            }
        case .direct:
            try writer.append(named: "p") { (sink) in
                for byte in content { try appendDirectly([byte], to: &sink) }
            }
        case .descriptor:
            let pipe = PipeWriter([content])
            try writer.append(readingFrom: pipe.descriptor, named: "p")
            withExtendedLifetime(pipe) {}
        case .text:
            try writer.append(String(decoding: content, as: UTF8.self), named: "p")
        }
        let body = try writer.finish()
        defer { try? directory.remove("body") }
        let part = try #require(body.parts.last)
        let bytes = try bytes(ofFile: path)
        return Array(bytes[Int(part.offset)..<Int(part.offset + part.length)])
    }
}
