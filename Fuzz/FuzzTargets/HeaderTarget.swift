import MultipartEncoder
import MultipartReference

/// Five texts: name, filename, type, and a header's name and value.
///
/// Either the part is refused for a reason that can be seen, or it has exactly these headers.
func fuzzHeader(_ input: [UInt8]) {
    var source = ByteSource(input)
    let allowsNUL = source.byte() % 2 == 1
    let name = source.text()
    let filename = source.text()
    let type = source.text()
    let field = HeaderField(source.text(), source.text())
    let workspace = Workspace()
    workspace.clearOutput()
    let result = Result { () throws(MultipartError) in
        try MultipartWriter.stream(
            to: workspace.descriptor,
            options: WritingOptions(allowsNULInNames: allowsNUL)
        ) { (writer) throws(MultipartError) in
            try writer.append(
                ContiguousArray<UInt8>().span,
                named: name,
                filename: filename,
                type: type,
                headers: [field]
            )
        }
    }
    let hasNUL = !allowsNUL && (name.utf8.contains(0) || filename.utf8.contains(0))
    let isRefused = hasNUL || isUnsafe(type) || isUnsafe(field.value) || !isFree(field.name)
    switch result {
    case .failure(.header): precondition(isRefused, "refused without a reason")
    case .failure(let error): preconditionFailure("\(error)")
    case .success(let body):
        precondition(!isRefused, "not refused")
        let bytes = workspace.outputBytes()
        guard let part = try? ReferenceParser.parse(bytes, boundary: body.boundary.text).first
        else { preconditionFailure("malformed") }
        let expected = [
            "form-data; name=\"\(wireName(name))\"; filename=\"\(wireFilename(filename))\"",
            type.isEmpty ? "application/octet-stream" : type, field.value,
        ]
        precondition(part.headers.count == 3, "another number of headers")
        for (header, value) in zip(part.headers, expected) {
            precondition(header.value.utf8.elementsEqual(value.utf8), "another \(header.name)")
        }
        precondition(part.headers[2].name == field.name, "another header")
        precondition(part.content.isEmpty, "content out of nothing")
    }
}

private func isUnsafe(_ value: String) -> Bool {
    value.unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" }
}

/// Whether a header's name is a token and nobody else's.
private func isFree(_ name: String) -> Bool {
    let letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&'*+-.^_`|~"
    let own = [
        "content-disposition", "content-type", "content-length", "content-transfer-encoding",
    ]
    return !name.isEmpty && name.utf8.allSatisfy(Array(letters.utf8).contains)
        && !own.contains(name.lowercased())
}
