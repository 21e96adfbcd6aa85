import Foundation
import MultipartEncoder
import MultipartReference
import Testing

@Suite struct BodyInspectorTests {
    private let directory = try? TemporaryDirectory()

    private static let good = """
        --b\r
        Content-Disposition: form-data; name="a"\r
        \r
        one\r
        --b\r
        Content-Disposition: form-data; name="f"; filename="x.png"\r
        Content-Type: image/png\r
        \r
        \u{1}\u{2}\r
        --b--\r

        """

    /// The well-known sample: every delimiter but the last without its CRLF, and a CRLF too many at
    /// the end.
    private static let sample = """
        --b\r
        Content-Disposition: form-data; name="a"; filename="1.jpg"\r
        Content-Type: image/jpeg\r
        \r
        first--b\r
        Content-Disposition: form-data; name="b"; filename="2.jpg"\r
        Content-Type: image/jpeg\r
        \r
        second--b\r
        Content-Disposition: form-data; name="c"; filename="3.jpg"\r
        Content-Type: image/jpeg\r
        \r
        third\r
        --b--\r
        \r

        """

    @Test(arguments: [nil, "multipart/form-data; boundary=b", "Multipart/Form-Data;boundary=\"b\""])
    func `says what a good body holds`(contentType: String?) throws {
        let inspection = inspect(Self.good, contentType)
        #expect(inspection.isWellFormed)
        #expect(inspection.boundary == "b")
        #expect(inspection.length == Int64(Self.good.utf8.count))
        #expect(inspection.parts.map(\.name) == ["a", "f"])
        #expect(inspection.parts.map(\.filename) == [nil, "x.png"])
        #expect(inspection.parts.map(\.contentType) == [nil, "image/png"])
        #expect(inspection.parts.map(\.length) == [3, 2])
        let parts = try ReferenceParser.parse(Array(Self.good.utf8), boundary: "b")
        #expect(inspection.parts.map(\.offset) == parts.map { Int64($0.offset) })
    }

    @Test func `finds every fault of the sample that forgets line breaks`() {
        // nst/STHTTPRequest#42: of 49 readers one sees the parts.
        let inspection = inspect(Self.sample, "multipart/form-data; boundary=b")
        let text = Self.sample
        let places = ReferenceParser.occurrences(of: Array("--b".utf8), in: Array(text.utf8))
        #expect(
            inspection.faults == [
                fault(places[1], 0, .noLineBreakBeforeDelimiter),
                fault(places[2], 1, .noLineBreakBeforeDelimiter),
                fault(places[3] + 7, nil, .bytesAfterEnd(2)),
            ]
        )
        #expect(inspection.parts.map(\.name) == ["a", "b", "c"])
        #expect(inspection.parts.map(\.filename) == ["1.jpg", "2.jpg", "3.jpg"])
        #expect(inspection.parts.map(\.length) == [5, 6, 5])
    }

    private func fault(_ offset: Int, _ part: Int?, _ kind: BodyFault.Kind) -> BodyFault? {
        inspect(Self.sample).faults.first {
            $0.offset == Int64(offset) && $0.part == part && $0.kind == kind
        }
    }

    @Test(arguments: [
        ("", "", [BodyFault.Kind.noDelimiter], 0),
        ("x", "y", [.noDelimiter], 0),
        ("--b--\r\n", "--b--\r\n", [], 0),
        ("\r\n--b--\r\n", "--b--", [.bytesBeforeFirstDelimiter(2)], 0),
        ("--b--", "--b--", [.noLineBreakAtEnd], 0),
        ("--b--\n", "--b--\n", [.bytesAfterEnd(1)], 0),
        ("--b--\r\n\r\n", "--b--\r\n", [.bytesAfterEnd(2)], 0),
        ("--b\r\n", "--b\r\n", [.endsTooEarly, .noDisposition], 1),
        ("--b", "--b", [.endsTooEarly], 0),
        ("--bx\r\n", "--bx", [.delimiterGoesOn, .noDelimiter], 0),
    ])
    func `says what is wrong with a short body`(
        body: String,
        _: String,
        kinds: [BodyFault.Kind],
        parts: Int
    ) {
        let inspection = inspect(body, "multipart/form-data; boundary=b")
        #expect(inspection.faults.map(\.kind) == kinds)
        #expect(inspection.parts.count == parts)
    }

    @Test(arguments: [
        ("\r\n--b--", "--b--", [BodyFault.Kind.noLineBreakBeforeDelimiter]),
        ("\r\n--b--", "\n--b--", [.bareLineFeed]),
        ("\r\n--b\r\n", "\r\n--b \t\r\n", [.paddedDelimiter]),
        ("\r\n--b\r\n", "\r\n--b\n", [.bareLineFeed]),
        ("one", "o--bne", [.delimiterTextInContent]),
        ("one", "\r\n--bne", [.delimiterGoesOn]),
        (
            "one", "--b\r\n",
            [.noLineBreakBeforeDelimiter, .noDisposition, .noLineBreakBeforeDelimiter]
        ),
        ("one", "\r\n--b\r\nX: y", [.headerWithoutEmptyLine, .noDisposition]),
        ("image/png\r\n", "image/png\n", [.bareLineFeed]),
        ("image/png\r\n", "ima\rge/png\r\n", [.bareCarriageReturn]),
        ("image/png\r\n", "image/png\r\n x=y\r\n", [.foldedHeader]),
        ("image/png\r\n", "image/\u{0}png\r\n", [.nulInHeader]),
        ("Content-Type: ", "Content-Type:", [.malformedHeaderLine]),
        ("Content-Type: ", "Content-Type : ", [.malformedHeaderLine]),
        ("Content-Type: ", ": ", [.malformedHeaderLine]),
        ("Content-Type: ", "Content-Type: --b", [.delimiterTextInContent]),
        (
            "Content-Type: image", "content-disposition: x\r\nContent-Type: image",
            [.repeatedHeader("content-disposition")]
        ),
        (
            "Content-Type: ", "Content-Length: 2\r\nContent-Type: ",
            [.forbiddenHeader("Content-Length")]
        ),
        (
            "Content-Type: ", "Content-Transfer-Encoding: binary\r\nContent-Type: ",
            [.forbiddenHeader("Content-Transfer-Encoding")]
        ),
        (
            "Content-Disposition: form-data; name=\"f\"; filename=\"x.png\"\r\n", "",
            [.noDisposition]
        ),
        ("form-data; name=\"f\"", "attachment; name=\"f\"", [.dispositionNotFormData]),
        (" name=\"f\";", "", [.noName]),
        ("name=\"f\"; filename=\"x.png\"", "filename=\"x.png\"; name=\"f\"", [.nameNotFirst]),
        (
            "name=\"f\"; filename", "name=\"f\";filename",
            [.malformedParameter("filename=\"x.png\"")]
        ),
        ("name=\"f\"; filename", "name=f; filename", [.unquotedParameter("name")]),
        ("\"x.png\"", "\"x\\\".png\"", [.quoteInParameter("filename")]),
        ("\"x.png\"", "\"x\".png\"", [.quoteInParameter("filename")]),
        ("\"x.png\"", "\"x.png", [.malformedParameter("filename")]),
        ("\"x.png\"", "\"x.png\"; name=\"g\"", [.repeatedParameter("name")]),
        (
            "filename=\"x.png\"", "filename=\"x.png\"; filename*=UTF-8''x",
            [.unquotedParameter("filename*"), .extendedParameter("filename*")]
        ),
    ])
    func `finds one fault in a good body`(
        old: String,
        new: String,
        kinds: [BodyFault.Kind]
    ) throws {
        let place = try #require(Self.good.range(of: old, options: .literal))
        let body = Self.good.replacingCharacters(in: place, with: new)
        #expect(inspect(body, "multipart/form-data; boundary=b").faults.map(\.kind) == kinds)
    }

    @Test func `a header that is not UTF-8 or has no end is a fault`() {
        var bytes = Array(Self.good.utf8)
        bytes[10] = 0xFF
        #expect(inspect(bytes).faults.map(\.kind).contains(.headerNotUTF8))
        let endless = Array("--b\r\nX: ".utf8) + Array(repeating: 120, count: 100_000)
        #expect(
            inspect(endless).faults.map(\.kind) == [
                .headerTooLong, .noDisposition, .noClosingDelimiter,
            ]
        )
        let names = (0..<20_000).map { "X-\($0): y\r\n" }
        let lines = Array("--b\r\n".utf8) + Array(names.joined().utf8)
        let kinds = Set(inspect(lines).faults.map(\.kind))
        #expect(kinds.contains(.headerTooLong) && kinds.contains(.noClosingDelimiter))
    }

    @Test(arguments: [
        "text/plain", "multipart/form-data", "multipart/form-data; boundary=",
        "multipart/x; boundary=\"a\u{E4}\"",
    ])
    func `guesses the boundary where the header is of no use`(contentType: String) {
        let inspection = inspect(Self.good, contentType)
        #expect(inspection.faults.map(\.kind) == [.contentType(contentType)])
        #expect(inspection.boundary == "b")
        #expect(inspection.parts.count == 2)
    }

    @Test func `another boundary than the body's is no delimiter anywhere`() {
        let inspection = inspect(Self.good, "multipart/form-data; boundary=c")
        #expect(inspection.faults.map(\.kind) == [.noDelimiter])
    }

    @Test func `parts of mixed and related need no disposition`() {
        let body = "--b\r\nContent-Type: a/b\r\n\r\nx\r\n--b--\r\n"
        for subtype in ["mixed", "related"] {
            #expect(inspect(body, "multipart/\(subtype); boundary=b").isWellFormed)
        }
    }

    @Test(arguments: BrowserCase.all)
    func `finds nothing wrong with what browsers write`(form: BrowserCase) throws {
        let inspection = inspect(try form.body)
        let expected: [BodyFault.Kind] = form.id == "nul-in-name" ? [.nulInHeader] : []
        #expect(inspection.faults.map(\.kind) == expected)
        #expect(inspection.parts.map(\.name) == form.parts.map { wireName($0.name) })
        #expect(
            inspection.parts.map(\.filename) == form.parts.map { $0.filename.map(wireFilename) }
        )
    }

    @Test func `says the same as the encoder, whatever was encoded`() throws {
        let directory = try #require(directory)
        for seed in 0..<200 as Range<UInt64> {
            let form = try RandomForm(seed: seed, collisions: false)
            guard form.outcome == .body else { continue }
            try form.createFiles(in: directory)
            let whole = try streamed(options: WritingOptions(boundary: form.boundary)) {
                (writer) throws(MultipartError) in try form.append(to: &writer, in: directory)
            }
            let inspection = inspect(whole.bytes, whole.body.contentType)
            #expect(inspection.isWellFormed, "seed \(seed): \(inspection.faults)")
            #expect(inspection.parts.map(\.offset) == whole.body.parts.map(\.offset))
            #expect(inspection.parts.map(\.length) == whole.body.parts.map(\.length))
        }
    }

    @Test func `reads a file, and says if it can't`() throws {
        let directory = try #require(directory)
        let path = try directory.file("body", Self.good.utf8)
        #expect(try BodyInspector.inspect(fileAt: path) == inspect(Self.good))
        #expect(throws: SystemError(call: .open, code: ENOENT)) {
            try BodyInspector.inspect(fileAt: "/no/such/body")
        }
        #expect(throws: SystemError(call: .read, code: EISDIR)) {
            try BodyInspector.inspect(fileAt: directory.path)
        }
    }

    @Test func `keeps no more faults than its limit`() {
        let body = "--b\r\n" + String(repeating: "bad\r\n", count: 3000)
        #expect(inspect(body).faults.count == BodyInspector.faultLimit)
    }

    private func inspect(_ body: String, _ contentType: String? = nil) -> BodyInspection {
        inspect(Array(body.utf8), contentType)
    }

    /// Every piece size must give the same.
    private func inspect(_ body: [UInt8], _ contentType: String? = nil) -> BodyInspection {
        var results: Set<BodyInspection> = []
        for step in [1, 2, 3, 7, 64, 1000, max(1, body.count)] where body.count / step < 3000 {
            var inspector = BodyInspector(contentType: contentType)
            var rest = body[...]
            while !rest.isEmpty {
                inspector.read(ContiguousArray(rest.prefix(step)).span)
                rest = rest.dropFirst(step)
            }
            results.insert(inspector.finish())
        }
        #expect(results.count == 1)
        return results.first ?? BodyInspector().finish()
    }
}
