import MultipartEncoder
import Testing

@Suite struct MultipartSubtypeTests {
    private let boundary = try? Boundary("b")

    @Test func `mixed parts have no names and attach their files`() throws {
        let whole = try streamed(options: try options(.mixed)) { (writer) throws(MultipartError) in
            try writer.append("hi", named: "unsent")
            try writer.append(ContiguousArray([120]).span, named: "unsent", filename: "a\"b.txt")
        }
        #expect(whole.body.contentType == "multipart/mixed; boundary=b")
        #expect(
            String(decoding: whole.bytes, as: UTF8.self) == """
                --b\r
                Content-Type: text/plain; charset=utf-8\r
                \r
                hi\r
                --b\r
                Content-Disposition: attachment; filename="a%22b.txt"\r
                Content-Type: text/plain\r
                \r
                x\r
                --b--\r

                """
        )
    }

    @Test func `related parts have their names as Content-ID`() throws {
        let subtype = MultipartSubtype.related(start: "root@x")
        let whole = try streamed(options: try options(subtype)) { (writer) throws(MultipartError) in
            try writer.append(ContiguousArray([1]).span, named: "i@x", filename: "i.png")
            try writer.append("<p>", named: "root@x", type: "text/html; x=\"\u{301}\"")
        }
        // RFC 2387, section 3.1: the type is the root's.
        #expect(
            whole.body.contentType
                == #"multipart/related; boundary=b; type="text/html; x=\""# + "\u{301}"
                + #"\""; start="<root@x>""#
        )
        let text = String(decoding: whole.bytes, as: UTF8.self)
        #expect(text.contains("\r\nContent-Type: image/png\r\nContent-ID: <i@x>\r\n\r\n"))
    }

    @Test func `the root of related is the first part unless another is named`() throws {
        let form = FormData(
            [.text("{}", named: "a", type: "application/json"), .text("x", named: "b")],
            options: try options(.related())
        )
        #expect(
            try form.contentType() == "multipart/related; boundary=b; type=\"application/json\""
        )
    }

    @Test(arguments: ["missing", "e\u{301}"])
    func `a start part that is not there is an error`(start: String) throws {
        let directory = try TemporaryDirectory()
        let form = FormData(
            [.text("x", named: "\u{E9}")],
            options: try options(.related(start: start))
        )
        for result in [
            Result { () throws(MultipartError) in _ = try form.contentType() },
            Result { () throws(MultipartError) in _ = try form.spool(in: directory.path) },
        ] {
            guard case .failure(.noStartPart(let name)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(name == start)
        }
        #expect(try directory.names.isEmpty)
    }

    @Test(arguments: ["a b", "<a>", "a\n", "\u{0}"])
    func `a name that can't be a Content-ID is refused`(name: String) throws {
        #expect(throws: MultipartError.self) {
            try streamed(options: WritingOptions(subtype: .related(), allowsNULInNames: true)) {
                (writer) throws(MultipartError) in try writer.append("x", named: name)
            }
        }
    }

    @Test func `a related part without a name has no Content-ID`() throws {
        let whole = try streamed(options: try options(.related())) {
            (writer) throws(MultipartError) in try writer.append("x", named: "")
        }
        #expect(!String(decoding: whole.bytes, as: UTF8.self).contains("Content-ID"))
    }

    @Test func `a boundary that is no token is quoted in the type`() throws {
        // adamcavendish/aioduct#150, Kuniwak/MultipartFormDataKit#8: only then.
        let form = FormData(options: WritingOptions(boundary: try Boundary("a:b c")))
        #expect(try form.contentType() == "multipart/form-data; boundary=\"a:b c\"")
    }

    private func options(_ subtype: MultipartSubtype) throws -> WritingOptions {
        WritingOptions(boundary: try #require(boundary), subtype: subtype)
    }
}
