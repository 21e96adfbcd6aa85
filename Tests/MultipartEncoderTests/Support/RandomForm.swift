import MultipartEncoder
import MultipartReference

/// A form made from a seed, full of what could be taken for a delimiter, and what must become of
/// it.
struct RandomForm {
    struct Entry {
        var name: String
        var filename: String?
        var type: String?
        var headers: [HeaderField]
        var source: Source
    }

    /// Every way to give a part its content.
    enum Source {
        case text(String)
        case bytes([UInt8])
        case raw([UInt8])
        case file([UInt8])
        case range([UInt8], Range<Int64>)
        case closure([[UInt8]])
        case direct([[UInt8]])
        case descriptor([[UInt8]])

        var kind: Int {
            switch self {
            case .text: 0
            case .bytes: 1
            case .raw: 2
            case .file: 3
            case .range: 4
            case .closure: 5
            case .direct: 6
            case .descriptor: 7
            }
        }
    }

    /// What the encoder has to say about it.
    enum Outcome: Equatable {
        case body
        case contentCollision(part: Int, offset: Int64)
        case headerCollision(part: Int)
    }

    let boundary: Boundary
    let entries: [Entry]

    init(seed: UInt64, collisions: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let boundary = try Boundary(
            ["x", "-", "--", "a-", "abcabd", "--a--a", "BOUNDARY", "0123456789abcdef:;"][
                Int.random(in: 0..<7, using: &random)
            ]
        )
        self.boundary = boundary
        let fragments = Fragments(boundary: boundary, collisions: collisions)
        entries = (0..<Int.random(in: 0...5, using: &random)).map { _ in
            fragments.entry(using: &random)
        }
    }

    var outcome: Outcome {
        let delimiter = Array("--\(boundary.text)".utf8)
        for (index, entry) in entries.enumerated() {
            let header = Array(entry.header.utf8)
            if !ReferenceParser.occurrences(of: delimiter, in: header).isEmpty {
                return .headerCollision(part: index)
            }
            let places = ReferenceParser.occurrences(of: delimiter, in: entry.content)
            if let first = places.first {
                return .contentCollision(part: index, offset: Int64(first))
            }
        }
        return .body
    }

    func append(
        to writer: inout MultipartWriter,
        in directory: TemporaryDirectory
    ) throws(MultipartError) {
        for (index, entry) in entries.enumerated() {
            try entry.append(to: &writer, file: "\(directory.path)/source-\(index)")
        }
    }

    func createFiles(in directory: TemporaryDirectory) throws {
        for (index, entry) in entries.enumerated() {
            switch entry.source {
            case .file(let bytes), .range(let bytes, _):
                _ = try directory.file("source-\(index)", bytes)
            default: break
            }
        }
    }

    func check(_ body: [UInt8]) throws -> Bool {
        let parts = try ReferenceParser.parse(body, boundary: boundary.text)
        guard parts.count == entries.count else { return false }
        return zip(parts, entries).allSatisfy { part, entry in
            part.name == wireName(entry.name)
                && part.filename == entry.filename.map(wireFilename)
                && part.contentType == entry.expectedType
                && part.headers.suffix(entry.headers.count).map(\.value)
                    == entry.headers.map(\.value)
                && part.content == entry.content
        }
    }
}

extension RandomForm.Entry {
    var content: [UInt8] {
        switch source {
        case .text(let text): wireValue(text)
        case .bytes(let bytes), .raw(let bytes), .file(let bytes): bytes
        case .range(let bytes, let range):
            Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        case .closure(let pieces), .direct(let pieces), .descriptor(let pieces):
            Array(pieces.joined())
        }
    }

    var expectedType: String? {
        filename == nil ? type : type ?? "application/octet-stream"
    }

    /// The header as it must be written.
    var header: String {
        var text = "Content-Disposition: form-data; name=\"\(wireName(name))\""
        if let filename { text += "; filename=\"\(wireFilename(filename))\"" }
        text += "\r\n"
        if let expectedType { text += "Content-Type: \(expectedType)\r\n" }
        for field in headers { text += "\(field.name): \(field.value)\r\n" }
        return text + "\r\n"
    }

    func append(to writer: inout MultipartWriter, file: String) throws(MultipartError) {
        let filename = filename ?? ""
        switch source {
        case .text(let text):
            try writer.append(text, named: name, type: type, headers: headers)
        case .bytes(let bytes):
            let bytes = ContiguousArray(bytes)
            try writer.append(
                bytes.span,
                named: name,
                filename: filename,
                type: type,
                headers: headers
            )
        case .raw(let bytes):
            try appendRaw(bytes, named: name, filename: filename, type: type, headers, to: &writer)
        case .file:
            try writer.append(
                fileAt: file,
                named: name,
                filename: filename,
                type: type,
                headers: headers
            )
        case .range(_, let range):
            try writer.append(
                fileAt: file,
                range: range,
                named: name,
                filename: filename,
                type: type,
                headers: headers
            )
        case .closure(let pieces):
            try writer.append(named: name, filename: filename, type: type, headers: headers) {
                (sink) in
                for piece in pieces { try sink.write(ContiguousArray(piece).span) }
            }
        case .direct(let pieces):
            try writer.append(named: name, filename: filename, type: type, headers: headers) {
                (sink) in
                for piece in pieces { try appendDirectly(piece, to: &sink) }
            }
        case .descriptor(let pieces):
            let pipe = PipeWriter(pieces)
            try writer.append(
                readingFrom: pipe.descriptor,
                named: name,
                filename: filename,
                type: type,
                headers: headers
            )
            withExtendedLifetime(pipe) {}
        }
    }
}

/// Makes names and contents out of what lies near a delimiter.
private struct Fragments {
    let pieces: [[UInt8]]
    let delimiter: [UInt8]
    let collisions: Bool

    init(boundary: Boundary, collisions: Bool) {
        delimiter = Array("--\(boundary.text)".utf8)
        self.collisions = collisions
        var pieces: [[UInt8]] = [
            "\r\n", "\r", "\n", "-", "--", "--\r\n", "\r\n--", "\"", "%22", "x", "",
            "\u{E9}\u{1F600}",
        ]
        .map { (text: String) in Array(text.utf8) }
        for length in 1..<delimiter.count {
            pieces.append(Array(delimiter.prefix(length)))
            pieces.append(Array(delimiter.suffix(length)))
        }
        pieces.append(Array("\r\n".utf8) + delimiter.dropLast())
        self.pieces = pieces
    }

    func bytes(using random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let count = Int.random(in: 0...300, using: &random)
                bytes += (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            case 1 where collisions: bytes += delimiter
            case let choice:
                bytes +=
                    pieces[
                        (choice &* 7919 &+ Int.random(in: 0..<pieces.count, using: &random))
                            % pieces.count
                    ]
            }
        }
        return bytes
    }

    func text(using random: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
            text += String(decoding: piece, as: UTF8.self)
        }
        return text
    }

    func split(_ bytes: [UInt8], using random: inout SeededGenerator) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 0...min(rest.count, 20), using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    func entry(using random: inout SeededGenerator) -> RandomForm.Entry {
        let content = bytes(using: &random)
        let source: RandomForm.Source
        switch Int.random(in: 0..<8, using: &random) {
        case 0: source = .text(text(using: &random) + text(using: &random))
        case 1: source = .bytes(content)
        case 2: source = .raw(content)
        case 3: source = .file(content)
        case 4:
            let bounds = [0, 0].map { (_: Int) in
                Int64.random(in: 0...Int64(content.count), using: &random)
            }
            source = .range(content, min(bounds[0], bounds[1])..<max(bounds[0], bounds[1]))
        case 5: source = .closure(split(content, using: &random))
        case 6: source = .direct(split(content, using: &random))
        default: source = .descriptor(split(content, using: &random))
        }
        var filename: String? = text(using: &random)
        if case .text = source { filename = nil }
        let headers = Bool.random(using: &random) ? [HeaderField("X-Note", "a: \"b\"; c")] : []
        let type = Bool.random(using: &random) ? "image/png" : nil
        return RandomForm.Entry(
            name: text(using: &random),
            filename: filename,
            type: type,
            headers: headers,
            source: source
        )
    }
}
