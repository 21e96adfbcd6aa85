/// What is said about a part before its content, and the bytes that say it.
struct PartHeader {
    let name: String
    let filename: String?
    let contentType: String?
    let fields: [HeaderField]

    /// Headers that the encoder writes itself, or that RFC 7578, sections 4.7 and 4.8, and RFC 2046
    /// keep out of a part.
    private static let reserved: Set<String> = [
        "content-disposition", "content-type", "content-length", "content-transfer-encoding",
    ]

    /// The header of a field.
    ///
    /// One that names no type has none in a form; elsewhere the default would be US-ASCII (RFC
    /// 2045, section 5.2).
    static func field(
        _ name: String,
        type: String?,
        headers: [HeaderField],
        in subtype: MultipartSubtype
    ) -> PartHeader {
        let defaultType: String? =
            switch subtype {
            case .formData: nil
            case .mixed, .related: "text/plain; charset=utf-8"
            }
        return PartHeader(
            name: name,
            filename: nil,
            contentType: type.flatMap { $0.isEmpty ? nil : $0 } ?? defaultType,
            fields: headers
        )
    }

    /// The header of anything else: it always has a filename and a type.
    static func file(
        _ name: String,
        filename: String,
        type: String?,
        headers: [HeaderField]
    ) -> PartHeader {
        PartHeader(
            name: name,
            filename: filename,
            contentType: MediaType.resolve(type, filename: filename),
            fields: headers
        )
    }

    /// The header's bytes, with the empty line that ends it.
    ///
    /// In this order: `Content-Disposition`, `Content-Type`, `Content-ID`, the caller's own.
    func bytes(
        for options: WritingOptions
    ) throws(HeaderDefect) -> ContiguousArray<UInt8> {
        let subtype = options.subtype
        let filename = filename.map { options.filenames.applied(to: $0) }
        if !options.allowsNULInNames, name.utf8.contains(0) || filename?.utf8.contains(0) == true {
            throw .nulInName
        }
        var header: ContiguousArray<UInt8> = []
        header.reserveCapacity(160)
        switch subtype {
        case .formData:
            header.append(contentsOf: "Content-Disposition: form-data; name=".utf8)
            HeaderText.append(quoted: Newlines.normalized(name), to: &header)
            Self.append(filename, to: &header)
        case .mixed, .related:
            if filename != nil {
                header.append(contentsOf: "Content-Disposition: attachment".utf8)
                Self.append(filename, to: &header)
            }
        }
        if let contentType {
            try append("Content-Type", contentType, to: &header)
        }
        if case .related = subtype, !name.isEmpty {
            try append("Content-ID", contentID(), to: &header)
        }
        for field in fields {
            try check(field, for: subtype)
            try append(field.name, field.value, to: &header)
        }
        header.append(contentsOf: "\r\n".utf8)
        return header
    }

    private static func append(
        _ filename: String?,
        to header: inout ContiguousArray<UInt8>
    ) {
        if let filename {
            header.append(contentsOf: "; filename=".utf8)
            HeaderText.append(quoted: filename, to: &header)
        }
        header.append(contentsOf: "\r\n".utf8)
    }

    private func append(
        _ name: String,
        _ value: String,
        to header: inout ContiguousArray<UInt8>
    ) throws(HeaderDefect) {
        if let byte = HeaderText.forbiddenByte(in: value) {
            throw .forbiddenByte(field: name, byte: byte)
        }
        header.append(contentsOf: name.utf8)
        header.append(contentsOf: ": ".utf8)
        header.append(contentsOf: value.utf8)
        header.append(contentsOf: "\r\n".utf8)
    }

    private func check(
        _ field: HeaderField,
        for subtype: MultipartSubtype
    ) throws(HeaderDefect) {
        guard !field.name.isEmpty, field.name.utf8.allSatisfy(HeaderText.isTokenByte) else {
            throw .invalidFieldName(field.name)
        }
        let name = field.name.lowercased()
        var reserved = Self.reserved
        if case .related = subtype { reserved.insert("content-id") }
        guard !reserved.contains(name) else { throw .reservedField(field.name) }
    }

    /// The name as a `Content-ID` (RFC 2392): what can't stand between its brackets is refused.
    private func contentID() throws(HeaderDefect) -> String {
        for byte in name.utf8 {
            switch byte {
            case 0...UInt8(ascii: " "), UInt8(ascii: "<"), UInt8(ascii: ">"), 0x7F:
                throw .forbiddenByte(field: "Content-ID", byte: byte)
            default: break
            }
        }
        return "<\(name)>"
    }
}
