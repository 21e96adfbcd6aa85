import MultipartEncoder
import MultipartTool

/// What a command tells about a body it has made, as one line of JSON.
struct BodyReport {
    /// `nil` for a body that went to a descriptor.
    let path: String?
    let contentType: String
    let contentLength: Int64
    let boundary: Boundary
    let parts: [SpooledPart]

    init(_ body: SpooledBody) {
        path = body.path
        contentType = body.contentType
        contentLength = body.contentLength
        boundary = body.boundary
        parts = body.parts
    }

    init(_ body: StreamedBody) {
        path = nil
        contentType = body.contentType
        contentLength = body.contentLength
        boundary = body.boundary
        parts = body.parts
    }

    /// Written in pieces, since there may be very many parts.
    private static let pieceSize = 16 * 1024

    func write(to descriptor: CInt) throws(ToolError) {
        let members: [(String, JSONText)] = [
            ("path", .optional(path)),
            ("contentType", .string(contentType)),
            ("contentLength", .integer(contentLength)),
            ("boundary", .string(boundary.text)),
        ]
        var text = JSONText.object(members).text
        text.removeLast()
        text += ",\"parts\":["
        for (index, part) in parts.enumerated() {
            if index > 0 { text += "," }
            text += Self.json(part).text
            if text.utf8.count >= Self.pieceSize {
                try Command.output(text, to: descriptor)
                text = ""
            }
        }
        try Command.output(text + "]}\n", to: descriptor)
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
