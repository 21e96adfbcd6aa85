/// One part of a ``FormData``: what it is called, and where its content is to be had again and
/// again.
public struct Part: Sendable {
    /// The part's name.
    public let name: String
    /// The part's filename; `nil` for a field.
    public let filename: String?
    /// The part's `Content-Type`; `nil` for the default of its kind.
    public let type: String?
    /// Further headers.
    public let headers: [HeaderField]
    let content: Content

    enum Content: Sendable {
        case text(String)
        case bytes(ContiguousArray<UInt8>)
        case file(path: String, range: Range<Int64>?)
        case stream(length: Int64?, @Sendable (inout PartSink) throws -> Void)
        case image(PixelSource, PNGOptions)
    }

    /// A field: a text under a name.
    ///
    /// - Parameters:
    ///   - text: Written as UTF-8, with every newline as CRLF, as browsers do.
    ///   - name: The part's name.
    ///   - type: The part's `Content-Type`, such as `application/json`; none by default.
    ///   - headers: Further headers of the part.
    /// - Returns: The part.
    public static func text(
        _ text: String,
        named name: String,
        type: String? = nil,
        headers: [HeaderField] = []
    ) -> Part {
        Part(name: name, filename: nil, type: type, headers: headers, content: .text(text))
    }

    /// Bytes as they are, as a file of the form.
    ///
    /// - Parameters:
    ///   - bytes: The content; kept, not copied.
    ///   - name: The part's name.
    ///   - filename: Servers take a part without one for a text and may damage it.
    ///   - type: The part's `Content-Type`; by default what the filename's extension says.
    ///   - headers: Further headers of the part.
    /// - Returns: The part.
    public static func bytes(
        _ bytes: [UInt8],
        named name: String,
        filename: String = "blob",
        type: String? = nil,
        headers: [HeaderField] = []
    ) -> Part {
        Part(
            name: name,
            filename: filename,
            type: type,
            headers: headers,
            content: .bytes(ContiguousArray(bytes))
        )
    }

    /// A file, or a range of one, opened anew for every encoding.
    ///
    /// - Parameters:
    ///   - path: A regular file, or a link to one.
    ///   - range: Bytes from the file's start; the whole file by default.
    ///   - name: The part's name.
    ///   - filename: By default the path's last component.
    ///   - type: The part's `Content-Type`; by default what the filename's extension says.
    ///   - headers: Further headers of the part.
    /// - Returns: The part.
    public static func file(
        at path: String,
        range: Range<Int64>? = nil,
        named name: String,
        filename: String? = nil,
        type: String? = nil,
        headers: [HeaderField] = []
    ) -> Part {
        Part(
            name: name,
            filename: filename ?? FilePath.lastComponent(of: path),
            type: type,
            headers: headers,
            content: .file(path: path, range: range)
        )
    }

    /// What a closure writes, which is called for every encoding.
    ///
    /// - Parameters:
    ///   - name: The part's name.
    ///   - filename: Servers take a part without one for a text and may damage it.
    ///   - type: The part's `Content-Type`; by default what the filename's extension says.
    ///   - length: How many bytes it will write, where that is known; it is held to it.
    ///   - headers: Further headers of the part.
    ///   - content: Writes the same bytes each time.
    /// - Returns: The part.
    public static func stream(
        named name: String,
        filename: String = "blob",
        type: String? = nil,
        length: Int64? = nil,
        headers: [HeaderField] = [],
        content: @escaping @Sendable (inout PartSink) throws -> Void
    ) -> Part {
        Part(
            name: name,
            filename: filename,
            type: type,
            headers: headers,
            content: .stream(length: length, content)
        )
    }

    /// An image, compressed as a PNG for every encoding.
    ///
    /// - Parameters:
    ///   - source: The pixels.
    ///   - name: The part's name.
    ///   - filename: Servers take a part without one for a text and may damage it.
    ///   - options: Speed against size, metadata and the like.
    ///   - headers: Further headers of the part.
    /// - Returns: The part.
    public static func image(
        _ source: PixelSource,
        named name: String,
        filename: String = "image.png",
        png options: PNGOptions = PNGOptions(),
        headers: [HeaderField] = []
    ) -> Part {
        Part(
            name: name,
            filename: filename,
            type: "image/png",
            headers: headers,
            content: .image(source, options)
        )
    }

    func header(in subtype: MultipartSubtype) -> PartHeader {
        guard let filename else {
            return .field(name, type: type, headers: headers, in: subtype)
        }
        return .file(name, filename: filename, type: type, headers: headers)
    }

    /// How many bytes of content there will be, or `nil` where nobody knows before.
    func contentLength() throws(SourceDefect) -> Int64? {
        switch content {
        case .text(let text): Int64(Newlines.normalized(text).utf8.count)
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let path, let range): try SourceFile.open(path, range: range).length
        case .stream(let length, _): length
        case .image: nil
        }
    }
}
