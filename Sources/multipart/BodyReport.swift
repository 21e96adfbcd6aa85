import MultipartEncoder

/// What a command tells about a body it has made, as JSON.
enum BodyReport {
    /// The report; `path` is `nil` for a body that went to a descriptor.
    static func json(
        path: String?,
        contentType: String,
        contentLength: Int64,
        boundary: Boundary,
        parts: [SpooledPart]
    ) -> JSONText {
        .object([
            ("path", .optional(path)),
            ("contentType", .string(contentType)),
            ("contentLength", .integer(contentLength)),
            ("boundary", .string(boundary.text)),
            ("parts", .array(parts.map(json))),
        ])
    }

    private static func json(_ part: SpooledPart) -> JSONText {
        .object([
            ("name", .string(part.name)),
            ("filename", .optional(part.filename)),
            ("contentType", .optional(part.contentType)),
            ("offset", .integer(part.offset)),
            ("length", .integer(part.length)),
        ])
    }
}
