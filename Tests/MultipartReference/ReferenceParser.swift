/// A slow and obvious reader of multipart bodies, written from the grammar of RFC 2046, section
/// 5.1.1, and RFC 7578, and from nothing of the encoder's.
///
/// It takes only what an encoder should write: no preamble, no padding, no epilogue, and the
/// delimiter nowhere in the content, not even in the middle of a line.
package enum ReferenceParser {
    package struct Part: Equatable {
        package var headers: [Header]
        package var content: [UInt8]
        /// Where the content starts in the body.
        package var offset: Int

        /// The parameters of a `Content-Disposition: form-data`, as they are on the wire.
        package var name: String?
        package var filename: String?

        package var contentType: String? {
            headers.first { $0.name.lowercased() == "content-type" }?.value
        }
    }

    package struct Header: Equatable {
        package var name: String
        package var value: String
    }

    package struct Malformed: Error, Equatable {
        package let offset: Int
        package let what: String
    }

    /// multipart-body := dash-boundary CRLF body-part *(CRLF dash-boundary CRLF body-part)
    /// CRLF dash-boundary "--" CRLF, or dash-boundary "--" CRLF for no part.
    package static func parse(_ body: [UInt8], boundary: String) throws -> [Part] {
        let dashBoundary = Array("--\(boundary)".utf8)
        let places = occurrences(of: dashBoundary, in: body)
        guard places.first == 0 else { throw Malformed(offset: 0, what: "no delimiter at start") }
        var parts: [Part] = []
        for (number, place) in places.enumerated() {
            if place > 0, Array(body[(place - 2)..<place]) != crlf {
                throw Malformed(offset: place, what: "delimiter in the middle of a line")
            }
            let after = place + dashBoundary.count
            if starts(with: Array("--\r\n".utf8), at: after, in: body) {
                guard after + 4 == body.count else {
                    throw Malformed(offset: after + 4, what: "bytes after the end")
                }
                return parts
            }
            guard starts(with: crlf, at: after, in: body) else {
                throw Malformed(offset: after, what: "delimiter line goes on")
            }
            guard number + 1 < places.count else { break }
            let end = places[number + 1] - 2
            guard end >= after + 2 else {
                throw Malformed(offset: after, what: "delimiters without a part between")
            }
            parts.append(try part(in: body, from: after + 2, to: end))
        }
        throw Malformed(offset: body.count, what: "no closing delimiter")
    }

    // body-part := *(field CRLF) CRLF *OCTET
    private static func part(in body: [UInt8], from start: Int, to end: Int) throws -> Part {
        var part = Part(headers: [], content: [], offset: 0)
        var position = start
        while true {
            guard
                let lineEnd = (position..<end).first(where: { starts(with: crlf, at: $0, in: body) }
                ),
                lineEnd + 2 <= end
            else { throw Malformed(offset: position, what: "headers without an end") }
            let line = Array(body[position..<lineEnd])
            position = lineEnd + 2
            if line.isEmpty { break }
            part.headers.append(try header(line, at: position))
        }
        part.content = Array(body[position..<end])
        part.offset = position
        let isDisposition = { (header: Header) in header.name.lowercased() == "content-disposition"
        }
        if let disposition = part.headers.first(where: isDisposition) {
            try read(disposition.value, into: &part, at: position)
        }
        return part
    }

    // field := token ":" SP *(any byte but CR, LF and NUL)
    private static func header(_ line: [UInt8], at offset: Int) throws -> Header {
        let pieces = line.split(
            separator: UInt8(ascii: ":"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard pieces.count == 2, pieces[1].first == UInt8(ascii: " "), !pieces[0].isEmpty,
            pieces[0].allSatisfy({ isToken($0) }),
            !line.contains(UInt8(ascii: "\r")), !line.contains(UInt8(ascii: "\n"))
        else { throw Malformed(offset: offset, what: "no header line") }
        return Header(
            name: String(decoding: pieces[0], as: UTF8.self),
            value: String(decoding: pieces[1].dropFirst(), as: UTF8.self)
        )
    }

    /// `form-data; name="…"` and perhaps `; filename="…"`, no byte of which needs unescaping.
    private static func read(_ value: String, into part: inout Part, at offset: Int) throws {
        var pieces: [[UInt8]] = [[]]
        var isQuoted = false
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ";"), !isQuoted {
                pieces.append([])
            } else {
                pieces[pieces.count - 1].append(byte)
            }
        }
        let texts = pieces.map { String(decoding: $0, as: UTF8.self) }
        guard texts[0].lowercased() == "form-data", !isQuoted else {
            throw Malformed(offset: offset, what: "disposition \(value)")
        }
        for (index, text) in texts.dropFirst().enumerated() {
            let bytes = Array(text.utf8)
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), bytes.first == 0x20,
                bytes.count >= equals + 3, bytes[equals + 1] == UInt8(ascii: "\""),
                bytes.last == UInt8(ascii: "\""), bytes[1..<equals].allSatisfy({ isToken($0) })
            else { throw Malformed(offset: offset, what: "parameter \(text)") }
            let key = String(decoding: bytes[1..<equals], as: UTF8.self).lowercased()
            let content = String(decoding: bytes[(equals + 2)..<(bytes.count - 1)], as: UTF8.self)
            guard !content.utf8.contains(UInt8(ascii: "\"")), (key == "name") == (index == 0) else {
                throw Malformed(offset: offset, what: "parameter \(text)")
            }
            if key == "name" { part.name = content }
            if key == "filename" { part.filename = content }
        }
        guard part.name != nil else { throw Malformed(offset: offset, what: "no name") }
    }

    package static func occurrences(of wanted: [UInt8], in bytes: [UInt8]) -> [Int] {
        guard bytes.count >= wanted.count, let first = wanted.first else { return [] }
        return (0...(bytes.count - wanted.count)).filter {
            bytes[$0] == first && starts(with: wanted, at: $0, in: bytes)
        }
    }

    private static func starts(with wanted: [UInt8], at place: Int, in bytes: [UInt8]) -> Bool {
        place + wanted.count <= bytes.count
            && wanted.indices.allSatisfy { bytes[place + $0] == wanted[$0] }
    }

    private static let crlf = Array("\r\n".utf8)

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !Array("()<>@,;:\\\"/[]?={}".utf8).contains(byte)
    }
}
