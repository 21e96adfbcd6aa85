import MultipartEncoder

/// Many pictures, or much else, into one body.
struct BodyCases {
    let options: BenchOptions

    private var path: String { "\(options.directory)/encode-bench.body" }

    /// Pictures, by level and threads, against whole PNGs in memory, put into a body in memory that
    /// is then written.
    func pictures(_ corpus: Corpus) -> Group {
        Group(labels: [("case", "body")]) { () throws(BenchError) in
            var pictures: [Picture] = []
            for file in corpus.files { pictures.append(try corpus.picture(file)) }
            let distinct = pictures
            while pictures.count < options.imageCount { pictures += distinct }
            let (all, path) = (pictures, path)
            let bytesIn = all.reduce(0) { $0 + $1.pixels.count }
            let count = [("images", "\(all.count)")]
            var variants = [
                Variant(
                    labels: count + [("level", "usual")],
                    bytesIn: bytesIn,
                    isBaseline: true,
                    run: { () throws(BenchError) in try Self.usual(all, path) },
                    cleanUp: { try? systemUnlink(path) }
                )
            ]
            for setting in Setting.all(options) {
                let parts = try setting.parts(of: all)
                let ways: [(String, () throws(BenchError) -> SpooledBody)] = [
                    (
                        "one-by-one",
                        { () throws(BenchError) in try setting.body(of: all, at: path) }
                    ),
                    (
                        "together",
                        { () throws(BenchError) in try setting.body(of: parts, at: path) }
                    ),
                ]
                variants += ways.map { way, make in
                    Variant(
                        labels: count + setting.labels + [("way", way)],
                        bytesIn: bytesIn,
                        run: { () throws(BenchError) in Int(try make().contentLength) },
                        check: { () throws(BenchError) in try checkParts(of: make(), all) },
                        cleanUp: { try? systemUnlink(path) }
                    )
                }
            }
            return variants
        }
    }

    private static func usual(_ pictures: [Picture], _ path: String) throws(BenchError) -> Int {
        var body = UsualBody()
        for picture in pictures {
            let png = try UsualPNG(picture)
            body.append(
                png.bytes,
                header:
                    "name=\"\(picture.name)\"; filename=\"image.png\"\r\nContent-Type: image/png"
            )
        }
        return try body.write(to: path)
    }

    /// Small fields, against a body put together in memory.
    func fields() -> Group {
        Group(labels: [("case", "fields")]) { () throws(BenchError) in
            let (count, path) = (options.fieldCount, path)
            let values = (0..<count).map { "value \($0) of a form" }
            let bytesIn = values.reduce(0) { $0 + $1.utf8.count }
            let labels = [("fields", "\(count)")]
            return [
                Variant(
                    labels: labels + [("way", "usual")],
                    bytesIn: bytesIn,
                    isBaseline: true,
                    run: { () throws(BenchError) in
                        var body = UsualBody()
                        for (index, value) in values.enumerated() {
                            body.append(
                                ContiguousArray(value.utf8).span,
                                header: "name=\"field\(index)\""
                            )
                        }
                        return try body.write(to: path)
                    },
                    cleanUp: { try? systemUnlink(path) }
                ),
                spooled(labels, bytesIn) { (writer) throws(MultipartError) in
                    for (index, value) in values.enumerated() {
                        try writer.append(value, named: "field\(index)")
                    }
                },
            ]
        }
    }

    /// A file, against a loop of reading and writing.
    func file() -> Group {
        let source = "\(options.directory)/encode-bench.source"
        return Group(
            labels: [("case", "file")],
            prepare: { () throws(BenchError) in
                let (size, path) = (options.fileSize, path)
                if options.child == nil { try makeFile(source, byteCount: size) }
                return [
                    Variant(
                        labels: [("way", "usual")],
                        bytesIn: size,
                        isBaseline: true,
                        run: { () throws(BenchError) in
                            try copyFile(source, to: path)
                            return size
                        },
                        cleanUp: { try? systemUnlink(path) }
                    ),
                    spooled([], size) { (writer) throws(MultipartError) in
                        try writer.append(fileAt: source, named: "file")
                    },
                ]
            },
            finish: { try? systemUnlink(source) }
        )
    }

    /// A piece of memory, against writing it to a file.
    func bytes() -> Group {
        Group(labels: [("case", "bytes")]) { () throws(BenchError) in
            let path = path
            let memory = ContiguousArray<UInt8>(repeating: 0x5A, count: options.fileSize)
            return [
                Variant(
                    labels: [("way", "usual")],
                    bytesIn: memory.count,
                    isBaseline: true,
                    run: { () throws(BenchError) in
                        try writeFile(path, memory.span)
                        return memory.count
                    },
                    cleanUp: { try? systemUnlink(path) }
                ),
                spooled([], memory.count) { (writer) throws(MultipartError) in
                    try writer.append(memory.span, named: "bytes")
                },
            ]
        }
    }

    private func spooled(
        _ labels: [(name: String, value: String)],
        _ bytesIn: Int,
        _ append: @escaping (inout MultipartWriter) throws(MultipartError) -> Void
    ) -> Variant {
        let path = path
        return Variant(
            labels: labels + [("way", "spool")],
            bytesIn: bytesIn,
            run: { () throws(BenchError) in
                do {
                    var writer = try MultipartWriter(spoolingTo: path, replacing: true)
                    try append(&writer)
                    return Int(try writer.finish().contentLength)
                } catch {
                    throw .failed("\(path): \(error)")
                }
            },
            cleanUp: { try? systemUnlink(path) }
        )
    }
}

/// A body as most programs make it: all of it in memory, then into a file.
struct UsualBody {
    private var bytes = ContiguousArray<UInt8>()

    mutating func append(_ content: Span<UInt8>, header: String) {
        let head = "--boundary\r\nContent-Disposition: form-data; \(header)\r\n\r\n"
        bytes.append(contentsOf: head.utf8)
        bytes.append(copying: content)
        bytes.append(contentsOf: "\r\n".utf8)
    }

    mutating func write(to path: String) throws(BenchError) -> Int {
        bytes.append(contentsOf: "--boundary--\r\n".utf8)
        try writeFile(path, bytes.span)
        return bytes.count
    }
}
