import MultipartEncoder
import MultipartReference
import Testing

@Suite struct MultipartWriterPixelsTests {
    private let directory = try? TemporaryDirectory()
    /// Seven strips of the fast levels, in which nothing repeats.
    private static let layout = try? PixelLayout(width: 500, height: 320, format: .rgba8)
    private static let image = layout.map { TestImage($0, content: .noise) }

    private func decoded(_ body: SpooledBody, _ index: Int) throws -> LibpngDecoded {
        let part = body.parts[index]
        let bytes = try bytes(ofFile: body.path)
        let content = bytes[Int(part.offset)..<Int(part.offset + part.length)]
        let decoded = LibpngDecoded(Array(content))
        #expect(decoded.complaint == "")
        return decoded
    }

    @Test(arguments: [1, 3], [PNGCompression.libpng(level: 1), .fast])
    func `an image between other parts`(threads: Int, level: PNGCompression) throws {
        let directory = try #require(directory)
        let image = try #require(Self.image)
        var writer = try MultipartWriter(
            spoolingIn: directory.path,
            options: WritingOptions(threads: threads)
        )
        try writer.append("before", named: "a")
        try writer.append(
            try image.buffer,
            named: "photo",
            filename: "p.png",
            png: PNGOptions(compression: level),
            headers: []
        )
        try writer.append("after", named: "b")
        let body = try writer.finish()
        #expect(body.parts.map(\.contentType) == [nil, "image/png", nil])
        #expect(body.parts[1].filename == "p.png")
        #expect(try decoded(body, 1).rows == Array(image.bytes))
        let parsed = try ReferenceParser.parse(
            try bytes(ofFile: body.path),
            boundary: body.boundary.text
        )
        #expect(parsed.map { Int64($0.content.count) } == body.parts.map(\.length))
    }

    @Test(arguments: [1, 2, 3, 5])
    func `many images side by side give the bytes of one after the other`(
        threads: Int
    ) throws {
        let directory = try #require(directory)
        let options: [PNGOptions] = [.fast, .libpng(level: 1), .fastest, .fast]
        var parts: [Part] = []
        var images: [TestImage] = []
        for i in 0..<75 {
            let layout = try PixelLayout(width: 40 + i, height: 10 + 3 * i, format: .bgra8)
            let image = TestImage(layout, stride: .bottomUp, seed: UInt64(i))
            let source = try PixelSource.bytes(
                Array(image.bytes),
                layout: layout,
                bytesPerRow: image.bytesPerRow
            )
            parts.append(.image(source, named: "\(i)", png: options[i % 37 % 4]))
            images.append(image)
            if i == 20 { parts.append(.text("between", named: "t")) }
        }
        let boundary = try Boundary("side-by-side-\(threads)")
        let form = FormData(parts, options: WritingOptions(boundary: boundary, threads: threads))
        let together = try form.spool(to: "\(directory.path)/together")
        var writer = try MultipartWriter(
            spoolingTo: "\(directory.path)/alone",
            options: WritingOptions(boundary: boundary, threads: 1)
        )
        for part in parts { try writer.append(part) }
        let alone = try writer.finish()
        #expect(together.parts == alone.parts)
        #expect(try bytes(ofFile: together.path) == bytes(ofFile: alone.path))
        let reference = LibpngDecoded(try images[74].png(.libpng(level: 1)))
        #expect(try decoded(together, 75).rows == reference.rows)
    }

    @Test(arguments: [1, 2, 3, 5], [PNGCompression.fast, .libpng(level: 1), .small])
    func `rows from a closure give the bytes of the whole image`(
        threads: Int,
        level: PNGCompression
    ) throws {
        let directory = try #require(directory)
        let image = try #require(Self.image)
        let options = PNGOptions(compression: level)
        let writing = WritingOptions(threads: threads)
        var writer = try MultipartWriter(spoolingIn: directory.path, options: writing)
        try writer.append(rowsOf: image.layout, named: "rows", png: options) { rows in
            var next = 0
            var step = 1
            while next < image.layout.height {
                let count = min(step, image.layout.height - next)
                let part = image.rows[next..<next + count].flatMap { $0 }
                try rows.append(ContiguousArray(part).span)
                next += count
                step = step * 3 % 50 + 1
            }
        }
        try writer.append(rowsOf: image.layout, named: "bottom up", png: options) { rows in
            let reversed = ContiguousArray(image.rows.reversed().flatMap { $0 + [1, 2, 3] })
            try rows.append(reversed.span, bytesPerRow: -2003)
        }
        try writer.append(try image.buffer, named: "whole", png: options)
        let body = try writer.finish()
        let content = try bytes(ofFile: body.path)
        let pngs = body.parts.map { content[Int($0.offset)..<Int($0.offset + $0.length)] }
        #expect(pngs[0] == pngs[2])
        #expect(pngs[1] == pngs[2])
        #expect(try decoded(body, 2).rows == Array(image.bytes))
    }

    @Test(arguments: [1, 3], [PNGCompression.fast, .libpng(level: 1)])
    func `rows that are too few, too many or no rows are errors`(
        threads: Int,
        level: PNGCompression
    ) throws {
        let directory = try #require(directory)
        let layout = try PixelLayout(width: 100, height: 3000, format: .rgba8)
        let row = ContiguousArray<UInt8>(repeating: 3, count: 400)
        let cases: [(Int, Int, PNGError)] = [
            (2999, 0, .rowCount(2999, expected: 3000)),
            (3001, 0, .rowCount(3001, expected: 3000)),
            (1, 399, .bufferTooSmall(missing: 1)),
            (1, 401, .bufferTooSmall(missing: 399)),
        ]
        for (count, length, error) in cases {
            var writer = try MultipartWriter(
                spoolingIn: directory.path,
                options: WritingOptions(threads: threads)
            )
            let options = PNGOptions(compression: level)
            let thrown = #expect(throws: MultipartError.self) {
                try writer.append(rowsOf: layout, named: "rows", png: options) { rows in
                    for _ in 0..<count {
                        if length == 0 {
                            try rows.append(row.span)
                        } else {
                            try rows.append(ContiguousArray(repeating: 0, count: length).span)
                        }
                    }
                }
            }
            guard case .image(let part, let found)? = thrown, part.name == "rows" else {
                Issue.record("\(String(describing: thrown))")
                continue
            }
            #expect(found == error)
        }
        #expect(try directory.names.isEmpty)
    }

    @Test func `interlaced rows are refused, and a closure's own error comes through`() throws {
        struct Mine: Error {}
        let directory = try #require(directory)
        let layout = try #require(Self.layout)
        var writer = try MultipartWriter(spoolingIn: directory.path)
        let error = #expect(throws: MultipartError.self) {
            try writer.append(
                rowsOf: layout,
                named: "x",
                png: PNGOptions(interlaced: true)
            ) { _ in }
        }
        guard case .image(_, .interlacedRows)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        var second = try MultipartWriter(spoolingIn: directory.path)
        let own = #expect(throws: MultipartError.self) {
            try second.append(rowsOf: layout, named: "x") { _ in throw Mine() }
        }
        guard case .producer(_, let mine)? = own, mine is Mine else {
            Issue.record("\(String(describing: own))")
            return
        }
    }

    @Test(arguments: [1, 2, 3])
    func `a sink that fails at any strip stops everything`(threads: Int) throws {
        let directory = try #require(directory)
        let image = try #require(Self.image)
        let source = try PixelSource.bytes(Array(image.bytes), layout: image.layout)
        for limit in 0..<9 {
            let writing = WritingOptions(
                threads: threads,
                progress: { $0.bytesWritten > limit * 250_000 ? .cancel : .proceed }
            )
            let form = FormData(
                (0..<4).map { .image(source, named: "\($0)") },
                options: writing
            )
            let error = #expect(throws: MultipartError.self) {
                try form.spool(in: directory.path)
            }
            guard case .cancelled? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(try directory.names.isEmpty)
        }
    }

    @Test(arguments: [1, 3])
    func `the image that fails among many is named`(threads: Int) throws {
        let directory = try #require(directory)
        let palette = try Palette([Palette.Color(red: 1, green: 2, blue: 3)])
        let layout = try PixelLayout(
            width: 300,
            height: 1000,
            format: .index8,
            palette: palette
        )
        var bytes = Array(repeating: UInt8(0), count: 300_000)
        let good = try PixelSource.bytes(bytes, layout: layout)
        bytes[300 * 900 + 7] = 1
        let bad = try PixelSource.bytes(bytes, layout: layout)
        let form = FormData(
            [
                .text("x", named: "t"), .image(good, named: "a"), .image(good, named: "b"),
                .image(bad, named: "c"), .image(good, named: "d"),
            ],
            options: WritingOptions(threads: threads)
        )
        let error = #expect(throws: MultipartError.self) { try form.spool(in: directory.path) }
        guard case .image(let part, let cause)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(part == PartLabel(index: 3, name: "c"))
        #expect(cause == .indexOutsidePalette(1, x: 7, y: 900, paletteCount: 1))
    }

    @Test func `a form with images encodes twice to the same bytes`() throws {
        let directory = try #require(directory)
        let image = try #require(Self.image)
        let path = try directory.file("pixels", [9, 9, 9] + image.bytes)
        let form = FormData([
            .image(try .bytes(Array(image.bytes), layout: image.layout), named: "bytes"),
            .image(try .file(at: path, offset: 3, layout: image.layout), named: "file"),
            .image(
                .rows(layout: image.layout) { rows in try rows.append(image.bytes.span) },
                named: "rows"
            ),
        ])
        let first = try form.spool(in: directory.path)
        let second = try form.spool(in: directory.path)
        #expect(try bytes(ofFile: first.path) == bytes(ofFile: second.path))
        let content = try bytes(ofFile: first.path)
        let pngs = first.parts.map { content[Int($0.offset)..<Int($0.offset + $0.length)] }
        #expect(pngs[1] == pngs[0])
        #expect(pngs[2] == pngs[0])
        #expect(try form.contentLength() == nil)
    }

    @Test(arguments: [0, 3])
    func `a file of pixels that is missing or too short is named`(others: Int) throws {
        let directory = try #require(directory)
        let image = try #require(Self.image)
        let path = try directory.file("pixels", image.bytes)
        let whole = Part.image(try .file(at: path, layout: image.layout), named: "whole")
        let parts = Array(repeating: whole, count: others)
        let short = try PixelSource.file(at: path, offset: 5, layout: image.layout)
        let missing = try PixelSource.file(at: path + "-none", layout: image.layout)
        let first = #expect(throws: MultipartError.self) {
            try FormData(parts + [.image(short, named: "x"), whole]).spool(in: directory.path)
        }
        guard case .image(let part, .bufferTooSmall(missing: 5))? = first else {
            Issue.record("\(String(describing: first))")
            return
        }
        #expect(part == PartLabel(index: others, name: "x"))
        let second = #expect(throws: MultipartError.self) {
            try FormData(parts + [.image(missing, named: "y"), whole]).spool(in: directory.path)
        }
        guard case .source(let other, let named, .system)? = second else {
            Issue.record("\(String(describing: second))")
            return
        }
        #expect(other == PartLabel(index: others, name: "y"))
        #expect(named == path + "-none")
        #expect(try directory.names == ["pixels"])
    }
}
