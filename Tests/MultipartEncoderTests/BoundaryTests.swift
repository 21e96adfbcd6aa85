import MultipartEncoder
import Testing

@Suite struct BoundaryTests {
    @Test(arguments: [
        ("", BoundaryError.empty),
        (String(repeating: "x", count: 71), .tooLong(71)),
        ("ends in space ", .endsInSpace),
        ("quote\"", .forbiddenByte(0x22, offset: 5)),
        ("line\r\n", .forbiddenByte(0x0D, offset: 4)),
        ("umlaut\u{E4}", .forbiddenByte(0xC3, offset: 6)),
    ])
    func `rejects what RFC 2046 forbids`(text: String, error: BoundaryError) {
        #expect(throws: error) { try Boundary(text) }
    }

    @Test(arguments: ["x", "a b", "gc0pJq0M:08jU534c0p", String(repeating: "'", count: 70)])
    func `accepts what RFC 2046 allows`(text: String) throws {
        #expect(try Boundary(text).text == text)
    }

    @Test func `random ones differ and need no quotes`() {
        let boundaries = Set((0..<1000).map { _ in Boundary.random() })
        #expect(boundaries.count == 1000)
        #expect(boundaries.allSatisfy { $0.parameterValue == $0.text && $0.text.utf8.count == 32 })
    }

    @Test func `quotes a boundary that is no token`() throws {
        #expect(try Boundary("a:b").parameterValue == "\"a:b\"")
        #expect(try Boundary("a-b").parameterValue == "a-b")
    }
}
