import MultipartEncoder
import Testing

@Suite struct FormDataTests {
    private let directory = try? TemporaryDirectory()

    @Test func `encodes twice with identical bytes and the length it said before`() throws {
        let directory = try #require(directory)
        let clip = try directory.file("clip.mov", [0, 1, 2, 13, 10])
        let form = FormData([
            .text("two\nlines", named: "text"),
            .bytes([1, 2, 3], named: "bytes"),
            .file(at: clip, named: "clip"),
            .file(at: clip, range: 1..<3, named: "range", filename: "part.bin"),
            .stream(named: "stream", length: 4) { (sink) in try sink.write("abcd") },
        ])
        let length = try form.contentLength()
        let first = try form.spool(in: directory.path)
        let second = try form.spool(in: directory.path)
        #expect(first.contentLength == length)
        #expect(first.path != second.path)
        #expect(try bytes(ofFile: first.path) == bytes(ofFile: second.path))
        #expect(first.contentType == (try form.contentType()))
        #expect(first.parts == second.parts)
    }

    @Test func `an empty form is the closing delimiter alone`() throws {
        let directory = try #require(directory)
        let form = FormData(options: WritingOptions(boundary: try Boundary("x")))
        #expect(try form.contentLength() == 7)
        #expect(try text(ofFile: form.spool(in: directory.path).path) == "--x--\r\n")
    }

    @Test func `does not know the length of a stream that promises none`() throws {
        let form = FormData([.stream(named: "s") { (sink) in try sink.write("x") }])
        #expect(try form.contentLength() == nil)
    }

    @Test func `holds a stream to the length it promised`() throws {
        let directory = try #require(directory)
        let form = FormData([.stream(named: "s", length: 3) { (sink) in try sink.write("xx") }])
        let error = #expect(throws: MultipartError.self) { try form.spool(in: directory.path) }
        guard case .lengthMismatch(let part, promised: 3, written: 2)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(part.name == "s")
        #expect(try directory.names.isEmpty)
    }

    @Test func `says beforehand which file is missing`() throws {
        let form = FormData([.text("a", named: "a"), .file(at: "/no/such.png", named: "photo")])
        let error = #expect(throws: MultipartError.self) { try form.contentLength() }
        #expect(error?.description.contains("part 2 (\"photo\"): /no/such.png: open: ") == true)
    }
}
