import MultipartEncoder
import Testing

/// The bodies of `Fixtures/browsers`, byte for byte.
@Suite struct BrowserCaseTests {
    private let directory = try? TemporaryDirectory()

    @Test(arguments: BrowserCase.all)
    func `writes what browsers write`(form: BrowserCase) throws {
        let directory = try #require(directory)
        var writer = try MultipartWriter(spoolingIn: directory.path, options: try options())
        for entry in form.parts {
            if let text = entry.text {
                try writer.append(text, named: entry.name)
            } else {
                let bytes = ContiguousArray(try #require(entry.base64))
                try writer.append(
                    bytes.span,
                    named: entry.name,
                    filename: try #require(entry.filename),
                    type: entry.type
                )
            }
        }
        let body = try writer.finish()
        #expect(try bytes(ofFile: body.path) == form.body)
        #expect(body.contentType == "multipart/form-data; boundary=BOUNDARY")
    }

    @Test(arguments: BrowserCase.all)
    func `a declared form gives the same bytes and knows their number`(form: BrowserCase) throws {
        let directory = try #require(directory)
        let parts = try form.parts.map { entry in
            if let text = entry.text { return Part.text(text, named: entry.name) }
            return Part.bytes(
                [UInt8](try #require(entry.base64)),
                named: entry.name,
                filename: try #require(entry.filename),
                type: entry.type
            )
        }
        let declared = FormData(parts, options: try options())
        #expect(try declared.contentLength() == Int64(form.body.count))
        #expect(try bytes(ofFile: declared.spool(in: directory.path).path) == form.body)
    }

    @Test func `there are as many cases as bodies`() throws {
        #expect(BrowserCase.all.count == 56)
        #expect(Set(BrowserCase.all.map(\.id)).count == 56)
    }

    private func options() throws -> WritingOptions {
        WritingOptions(boundary: try Boundary("BOUNDARY"), allowsNULInNames: true)
    }
}
