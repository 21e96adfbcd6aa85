import MultipartEncoder
import Testing

@Suite struct PartLabelTests {
    @Test func `counts from 1`() {
        #expect(PartLabel(index: 2, name: "photo").description == "part 3 (\"photo\")")
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb\r\n", "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}"), ("\u{9B}31m", "\u{FFFD}31m"),
        ("\u{7F}\u{0}", "\u{FFFD}\u{FFFD}"), ("l\u{2028}l", "l\u{FFFD}l"),
        ("\u{E9}\u{1F600}", "\u{E9}\u{1F600}"),
    ])
    func `control characters can't garble a message`(name: String, shown: String) {
        #expect(printable(name) == shown)
    }
}
