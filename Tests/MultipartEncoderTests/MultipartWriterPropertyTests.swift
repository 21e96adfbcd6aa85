import MultipartEncoder
import MultipartReference
import Testing

/// Forms made from seeds; a failure names the seed that makes it come again.
@Suite struct MultipartWriterPropertyTests {
    private let directory = try? TemporaryDirectory()

    @Test(arguments: 0..<30)
    func `any form parses to exactly what it was made of`(block: Int) throws {
        try check(seeds: block, collisions: false)
    }

    @Test(arguments: 0..<20)
    func `any form with delimiters in it is refused where the first one starts`(block: Int) throws {
        try check(seeds: 1000 + block, collisions: true)
    }

    private func check(seeds block: Int, collisions: Bool) throws {
        let directory = try #require(directory)
        for seed in UInt64(block * 25)..<UInt64(block * 25 + 25) {
            let form = try RandomForm(seed: seed, collisions: collisions)
            try form.createFiles(in: directory)
            let sources = try directory.names
            var random = SeededGenerator(seed: ~seed)
            var bodies: [[UInt8]] = []
            for isNameless in [true, false] {
                let bufferSize = Int.random(in: 1...100, using: &random)
                let comment: Comment = "seed \(seed), buffer of \(bufferSize)"
                let path = "\(directory.path)/body"
                let result = Result { () throws(MultipartError) in
                    var writer = try MultipartWriter(
                        path: path,
                        replaces: false,
                        options: WritingOptions(boundary: form.boundary),
                        bufferSize: bufferSize,
                        nameless: isNameless
                    )
                    try form.append(to: &writer, in: directory)
                    return try writer.finish()
                }
                switch result {
                case .success(let body):
                    #expect(form.outcome == .body, comment)
                    let bytes = try bytes(ofFile: path)
                    #expect(try form.check(bytes), comment)
                    #expect(body.contentLength == Int64(bytes.count), comment)
                    try expectParts(body.parts, of: form, in: bytes, comment)
                    bodies.append(bytes)
                    try directory.remove("body")
                case .failure(let error):
                    #expect(form.outcome == outcome(of: error), "\(comment): \(error)")
                }
                #expect(try directory.names == sources, comment)
            }
            if form.outcome == .body {
                let bufferSize = Int.random(in: 1...100, using: &random)
                let whole = try streamed(
                    options: WritingOptions(boundary: form.boundary),
                    bufferSize: bufferSize
                ) { (writer) throws(MultipartError) in try form.append(to: &writer, in: directory) }
                bodies.append(whole.bytes)
                #expect(Set(bodies).count == 1, "seed \(seed): encodings differ")
            }
            for name in sources { try directory.remove(name) }
        }
    }

    private func expectParts(
        _ parts: [SpooledPart],
        of form: RandomForm,
        in body: [UInt8],
        _ comment: Comment
    ) throws {
        let read = try ReferenceParser.parse(body, boundary: form.boundary.text)
        #expect(parts.map(\.offset) == read.map { Int64($0.offset) }, comment)
        #expect(parts.map(\.length) == read.map { Int64($0.content.count) }, comment)
        #expect(parts.map(\.name) == form.entries.map(\.name), comment)
        #expect(parts.map(\.filename) == form.entries.map(\.filename), comment)
    }

    private func outcome(of error: MultipartError) -> RandomForm.Outcome? {
        switch error {
        case .boundaryCollision(let part, let offset):
            .contentCollision(part: part.index, offset: offset)
        case .header(let part, .holdsBoundary): .headerCollision(part: part.index)
        default: nil
        }
    }

    /// The first forms with many parts and no delimiter in them.
    private static let largeForms = Result {
        try (0..<1000).lazy.map { try RandomForm(seed: $0, collisions: false) }
            .filter { $0.entries.count == 5 && $0.outcome == .body }
            .prefix(6).map { $0 }
    }

    @Test func `the seeds make forms of both kinds and with every source`() throws {
        let forms = try (0..<1000).map { try RandomForm(seed: $0, collisions: $0 >= 500) }
        #expect(forms.count { $0.outcome == .body } > 400)
        #expect(forms.count { $0.outcome != .body } > 200)
        #expect(try Self.largeForms.get().count == 6)
        let entries = try Self.largeForms.get().flatMap(\.entries)
        #expect(Set(entries.map(\.source.kind)).count == 8)
    }

    @Test(arguments: 1...300)
    func `any buffer size gives the same bytes`(bufferSize: Int) throws {
        // requests/toolbelt#8, #17, #130: bodies were cut where a chunk ended in a delimiter.
        let directory = try #require(directory)
        for form in try Self.largeForms.get() {
            try form.createFiles(in: directory)
            var writer = try MultipartWriter(
                path: "\(directory.path)/body",
                replaces: true,
                options: WritingOptions(boundary: form.boundary),
                bufferSize: bufferSize,
                nameless: true
            )
            try form.append(to: &writer, in: directory)
            let path = try writer.finish().path
            #expect(try form.check(try bytes(ofFile: path)))
        }
    }
}
