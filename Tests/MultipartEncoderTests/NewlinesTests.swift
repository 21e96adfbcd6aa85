import MultipartEncoder
import MultipartReference
import Testing

@Suite struct NewlinesTests {
    @Test(arguments: [
        ("", ""), ("a", "a"), ("\n", "\r\n"), ("\r", "\r\n"), ("\r\n", "\r\n"),
        ("\n\r", "\r\n\r\n"), ("\r\r\n", "\r\n\r\n"), ("\n\n", "\r\n\r\n"),
        ("a\nb\r", "a\r\nb\r\n"),
        ("\r\n\n\r\r\n", "\r\n\r\n\r\n\r\n"), ("e\u{301}\n\u{301}", "e\u{301}\r\n\u{301}"),
        ("\u{2028}\u{85}\u{0B}", "\u{2028}\u{85}\u{0B}"),
    ])
    func `every CR, LF and CRLF of a text becomes CRLF`(text: String, expected: String) throws {
        let whole = try streamed { (writer) throws(MultipartError) in
            try writer.append(text, named: "t")
        }
        let boundary = whole.body.boundary.text
        let part = try #require(try ReferenceParser.parse(whole.bytes, boundary: boundary).first)
        #expect(part.content == Array(expected.utf8))
        #expect(part.content == wireValue(text))
    }
}
