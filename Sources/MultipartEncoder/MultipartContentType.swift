/// What a `Content-Type` header says about a multipart body.
struct MultipartContentType {
    let subtype: String
    let boundary: String

    /// Reads a value such as `multipart/form-data; boundary="a b"` (RFC 9110, section 8.3.1).
    init?(_ text: String) {
        var reader = ParameterReader(text)
        let type = reader.token(until: UInt8(ascii: ";")).lowercased()
        guard type.hasPrefix("multipart/") else { return nil }
        subtype = String(type.dropFirst("multipart/".count))
        var found: String?
        while let (name, value) = reader.parameter() {
            if name.lowercased() == "boundary", found == nil { found = value }
        }
        guard let found, (try? Boundary(found)) != nil else { return nil }
        boundary = found
    }
}

/// Goes through `; name=value; name="value"` as HTTP has it, with backslashes inside quotes.
private struct ParameterReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func token(until end: UInt8) -> String {
        let token = rest.prefix { $0 != end }
        rest = rest.dropFirst(token.count)
        return trimmed(token)
    }

    mutating func parameter() -> (name: String, value: String)? {
        guard rest.first == UInt8(ascii: ";") else { return nil }
        rest = rest.dropFirst()
        let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        rest = rest.dropFirst(name.count)
        guard rest.first == UInt8(ascii: "=") else { return (trimmed(name), "") }
        rest = rest.dropFirst()
        guard rest.first == UInt8(ascii: "\"") else {
            return (trimmed(name), token(until: UInt8(ascii: ";")))
        }
        rest = rest.dropFirst()
        var value: ContiguousArray<UInt8> = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
                value.append(next)
            } else {
                value.append(byte)
            }
        }
        _ = token(until: UInt8(ascii: ";"))
        return (trimmed(name), String(decoding: value, as: UTF8.self))
    }

    private func trimmed(_ bytes: Substring.UTF8View) -> String {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }
}
