/// The value of a whole body's `Content-Type` header.
enum ContentType {
    /// The value for a body with these parts.
    ///
    /// A related body's root is the part named as its start, or the first one; RFC 2387, section
    /// 3.1, wants its type.
    static func multipart(
        _ subtype: MultipartSubtype,
        boundary: Boundary,
        parts: [(name: String, contentType: String?)]
    ) throws(MultipartError) -> String {
        let value = "multipart/\(subtype.name); boundary=\(boundary.parameterValue)"
        guard case .related(let start) = subtype else { return value }
        guard let start else {
            return "\(value); type=\(quoted(parts.first?.contentType ?? MediaType.text))"
        }
        guard let root = parts.first(where: { $0.name.utf8.elementsEqual(start.utf8) }) else {
            throw .noStartPart(start)
        }
        let type = quoted(root.contentType ?? MediaType.text)
        return "\(value); type=\(type); start=\(quoted("<\(start)>"))"
    }

    /// A quoted-string (RFC 9110, section 5.6.4).
    private static func quoted(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { escaped.append("\\") }
            escaped.append(scalar)
        }
        return "\"\(String(escaped))\""
    }
}
