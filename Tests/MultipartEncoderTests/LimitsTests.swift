import MultipartEncoder
import Testing

@Suite struct LimitsTests {
    private let directory = try? TemporaryDirectory()

    /// A form just within a limit and one just beyond it, for each kind.
    static let pairs: [(LimitViolation.Quantity, Limits, [Part], [Part])] = [
        (
            .parts, Limits(server: "s", parts: 2), [field("a"), file(1)],
            [field("a"), file(1), field("b")]
        ),
        (.files, Limits(server: "s", files: 1), [file(1), field("a")], [file(1), file(1)]),
        (
            .fields, Limits(server: "s", fields: 1), [file(1), field("a")],
            [field("a"), field("b")]
        ),
        (.headerLength, Limits(server: "s", headerLength: 45), [field("ab")], [field("abc")]),
        (.nameLength, Limits(server: "s", nameLength: 2), [field("\u{E9}")], [field("\u{E9}x")]),
        (
            .fieldLength, Limits(server: "s", fieldLength: 2), [field("a", "12"), file(3)],
            [field("a", "123")]
        ),
        (
            .fileLength, Limits(server: "s", fileLength: 2), [file(2), field("a", "123")],
            [file(2), file(3)]
        ),
        (
            .fieldsLength, Limits(server: "s", fieldsLength: 4),
            [field("a", "12"), field("b", "12")],
            [field("a", "12"), field("b", "\n\n")].map { $0 } + [field("c", "1")]
        ),
        (.bodyLength, Limits(server: "s", bodyLength: 59), [field("a", "1")], [field("a", "12")]),
    ]

    private static func field(_ name: String, _ text: String = "") -> Part {
        .text(text, named: name)
    }

    private static func file(_ length: Int) -> Part {
        .bytes(Array(repeating: 1, count: length), named: "f", filename: "f")
    }

    @Test(arguments: pairs.indices)
    func `a limit is met up to its figure and not beyond`(index: Int) throws {
        let (quantity, limits, within, beyond) = Self.pairs[index]
        let boundary = try Boundary("b")
        let options = WritingOptions(boundary: boundary, limits: limits)
        let directory = try #require(directory)
        #expect(try FormData(within, options: options).violations(of: limits).isEmpty)
        let body = try FormData(within, options: options).spool(in: directory.path)
        let found = try FormData(beyond, options: options).violations(of: limits)
        #expect(found.map(\.quantity) == [quantity])
        #expect(found.first?.server == "s")
        let error = #expect(throws: MultipartError.self) {
            try FormData(beyond, options: options).spool(in: directory.path)
        }
        guard case .limit(let violation)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect([violation] == found)
        #expect(error?.description.contains("s takes at most") == true)
        #expect(try directory.names.map { "\(directory.path)/\($0)" } == [body.path])
    }

    @Test(arguments: pairs.indices)
    func `a writer stops where a limit is passed`(index: Int) throws {
        let (quantity, limits, within, beyond) = Self.pairs[index]
        let options = WritingOptions(boundary: try Boundary("b"), limits: limits)
        for (parts, isRefused) in [(within, false), (beyond, true)] {
            let error = failure { () throws(MultipartError) in
                let reader = PipeReader()
                defer { _ = try? reader.finish() }
                _ = try MultipartWriter.stream(to: reader.descriptor, options: options) {
                    (writer) throws(MultipartError) in
                    for part in parts { try writer.append(part) }
                }
            }
            if case .limit(let violation)? = error {
                #expect(isRefused && violation.quantity == quantity)
            } else {
                #expect(!isRefused && error == nil)
            }
        }
    }

    @Test func `nothing is refused unless it is asked for`() throws {
        let form = FormData((0..<1100).map { Self.field("name-\($0)") })
        let servers = try Limits.known.filter { try !form.violations(of: $0).isEmpty }
        #expect(
            servers.map(\.server) == [
                "Tomcat", "Tornado", "Netty", "Go", "Jetty", "PHP", "Django", "Starlette",
                "Werkzeug", "ASP.NET Core",
            ]
        )
        #expect(
            try streamed { (writer) throws(MultipartError) in
                for part in form.parts { try writer.append(part) }
            }.body.parts.count == 1100
        )
    }

    @Test func `a long filename is beyond Tomcat's 512 bytes of header`() throws {
        let long = Part.bytes([], named: "f", filename: String(repeating: "x", count: 500))
        let found = try FormData([long]).violations(of: .tomcat)
        #expect(found.map(\.quantity) == [.headerLength])
        #expect(
            found.first?.description
                == "Tomcat takes at most 512 bytes of header in one part by default, this has 597"
        )
    }
}
