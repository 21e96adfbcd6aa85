import MultipartEncoder
import Testing

@Suite struct PartHeaderTests {
    @Test func `a file's header in full, in the order that servers want`() throws {
        // dart-lang/http#1772, abonander/multipart#51: the disposition comes first.
        let header = try header { (writer) throws(MultipartError) in
            try writer.append(
                ContiguousArray<UInt8>().span,
                named: "f",
                filename: "a.png",
                headers: [HeaderField("X-Two", "2"), HeaderField("X-One", "1; q=\"x\"")]
            )
        }
        #expect(
            header == """
                Content-Disposition: form-data; name="f"; filename="a.png"\r
                Content-Type: image/png\r
                X-Two: 2\r
                X-One: 1; q="x"\r
                \r

                """
        )
    }

    @Test(arguments: [
        // javaee/jersey#868, softwaremill/sttp-model#45: name first, one space, always quoted.
        ("f", "a.txt", "name=\"f\"; filename=\"a.txt\""),
        // Alamofire/Alamofire#2647, psf/requests#5641: a quote is %22.
        ("n", "my \"q\".pdf", "name=\"n\"; filename=\"my %22q%22.pdf\""),
        // form-data/form-data#609, #610: CR and LF can't add headers or parts.
        ("n", "a\r\nX: 1", "name=\"n\"; filename=\"a%0D%0AX: 1\""),
        ("a\r\nX: 1", "f", "name=\"a%0D%0AX: 1\"; filename=\"f\""),
        ("a\n\r\r\nb", "c\n\r\r\nd", "name=\"a%0D%0A%0D%0A%0D%0Ab\"; filename=\"c%0A%0D%0D%0Ad\""),
        // kstenerud/KSCrash#147: brackets stay.
        ("upload[]", "x[0].y", "name=\"upload[]\"; filename=\"x[0].y\""),
        // seanmonstar/reqwest#419, psf/requests#4652, encode/httpx#164: no `filename*`.
        (
            "n\u{E4}me", "\u{5199}\u{771F}/\u{1F4A9}.png",
            "name=\"n\u{E4}me\"; filename=\"\u{5199}\u{771F}/\u{1F4A9}.png\""
        ),
        // curl/curl#3361, #7805: a backslash stays single.
        ("a\\b", "a\\\"b", "name=\"a\\b\"; filename=\"a\\%22b\""),
        // vapor/multipart-kit#22, akka/akka-http#387, ktorio/ktor#1073: quoted even if a token.
        ("token", "token", "name=\"token\"; filename=\"token\""),
        // curl/curl#2725, #55: no character is syntax.
        ("a;b", "a;b,(c).png", "name=\"a;b\"; filename=\"a;b,(c).png\""),
        // whatwg/html#6282: a percent sign stays, though `%22` is ambiguous then.
        ("100%22", "100%22.txt", "name=\"100%22\"; filename=\"100%22.txt\""),
        // Alamofire/Alamofire#3754: UTF-8, no other charset.
        ("\u{DC}ber", "\u{DF}.txt", "name=\"\u{DC}ber\"; filename=\"\u{DF}.txt\""),
        ("", "", "name=\"\"; filename=\"\""),
    ])
    func `a name and a filename as servers read them`(
        name: String,
        filename: String,
        parameters: String
    ) throws {
        let header = try header { (writer) throws(MultipartError) in
            try writer.append(
                ContiguousArray<UInt8>().span,
                named: name,
                filename: filename,
                type: "t/t"
            )
        }
        let first = "Content-Disposition: form-data; \(parameters)\r\nContent-Type: t/t\r\n\r\n"
        #expect(Array(header.utf8) == Array(first.utf8))
    }

    @Test func `a part never has a transfer encoding or a length`() throws {
        // AsyncHttpClient#1120, dart-archive/http_server#61, Riverline/multipart-parser#54.
        let header = try header { (writer) throws(MultipartError) in
            try writer.append(ContiguousArray<UInt8>([0, 255]).span, named: "b")
        }
        #expect(!header.lowercased().contains("content-transfer-encoding"))
        #expect(!header.lowercased().contains("content-length"))
    }

    @Test(arguments: [13, 10, 0] as [UInt8])
    func `a byte that would add a header is refused in a type`(byte: UInt8) throws {
        // margelo/react-native-nitro-fetch#224
        let text = "image/png\(Unicode.Scalar(byte))X: y"
        #expect(
            try defect { (writer) throws(MultipartError) in
                try writer.append(ContiguousArray<UInt8>().span, named: "f", type: text)
            } == .forbiddenByte(field: "Content-Type", byte: byte)
        )
        #expect(
            try defect { (writer) throws(MultipartError) in
                try writer.append("x", named: "f", headers: [HeaderField("X-A", text)])
            } == .forbiddenByte(field: "X-A", byte: byte)
        )
    }

    @Test(arguments: ["", "a b", "a:b", "a\r\nb", "\u{E4}", "a\u{0}", "(a)"])
    func `a header's name is a token`(name: String) throws {
        #expect(
            try defect { (writer) throws(MultipartError) in
                try writer.append("x", named: "f", headers: [HeaderField(name, "v")])
            } == .invalidFieldName(name)
        )
    }

    @Test(arguments: [
        "Content-Disposition", "content-type", "CONTENT-LENGTH", "Content-Transfer-Encoding",
    ])
    func `a header that is the encoder's own is refused`(name: String) throws {
        #expect(
            try defect { (writer) throws(MultipartError) in
                try writer.append("x", named: "f", headers: [HeaderField(name, "v")])
            } == .reservedField(name)
        )
    }

    @Test(arguments: [("a\u{0}b", "f"), ("n", "a\u{0}")])
    func `a NUL is refused unless it is allowed`(name: String, filename: String) throws {
        let empty = ContiguousArray<UInt8>()
        #expect(
            try defect { (writer) throws(MultipartError) in
                try writer.append(empty.span, named: name, filename: filename)
            } == .nulInName
        )
        let options = WritingOptions(allowsNULInNames: true)
        let whole = try streamed(options: options) { (writer) throws(MultipartError) in
            try writer.append(empty.span, named: name, filename: filename)
        }
        #expect(whole.bytes.contains(0))
    }

    @Test func `a text may have a type without a filename, an empty type is none`() throws {
        // Alamofire/Alamofire#569, #591: JSON beside files.
        #expect(
            try header { (writer) throws(MultipartError) in
                try writer.append("{}", named: "meta", type: "application/json")
            }
                == "Content-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n"
        )
        #expect(
            try header { (writer) throws(MultipartError) in
                try writer.append("x", named: "a", type: "")
            } == "Content-Disposition: form-data; name=\"a\"\r\n\r\n"
        )
    }

    @Test func `a filename alone is enough, the type follows from it`() throws {
        // Moya/Moya#1805
        #expect(
            try header { (writer) throws(MultipartError) in
                try writer.append(named: "a", filename: "x.gif") { _ in }
            }.contains("filename=\"x.gif\"\r\nContent-Type: image/gif\r\n")
        )
    }

    private func header(
        _ append: (inout MultipartWriter) throws(MultipartError) -> Void
    ) throws -> String {
        let whole = try streamed(append)
        let part = try #require(whole.body.parts.first)
        let start = whole.body.boundary.text.utf8.count + 4
        return String(decoding: whole.bytes[start..<Int(part.offset)], as: UTF8.self)
    }

    private func defect(
        _ append: (inout MultipartWriter) throws(MultipartError) -> Void
    ) throws -> HeaderDefect? {
        let directory = try TemporaryDirectory()
        var found: HeaderDefect?
        var writer = try MultipartWriter(spoolingIn: directory.path)
        do {
            try append(&writer)
        } catch MultipartError.header(_, let defect) {
            found = defect
        }
        #expect(try directory.names.isEmpty)
        return found
    }
}
