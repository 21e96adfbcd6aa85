/// The value of a whole body's `Content-Type` header.
enum ContentType {
    /// - Parameter root: For `multipart/related`, the part that the others belong to; RFC 2387,
    ///   section 3.1, wants its type.
    static func multipart(
        _ subtype: MultipartSubtype,
        boundary: Boundary,
        root: SpooledPart?
    ) -> String {
        var value = "multipart/\(subtype.name); boundary=\(boundary.parameterValue)"
        if case .related(let start) = subtype {
            value += "; type=\(quoted(root?.contentType ?? MediaType.text))"
            if let start { value += "; start=\(quoted("<\(start)>"))" }
        }
        return value
    }

    /// A quoted-string (RFC 9110, section 5.6.4).
    private static func quoted(_ text: String) -> String {
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }
}
