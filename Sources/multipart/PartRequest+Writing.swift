import MultipartEncoder

extension PartRequest {
    /// Appends the part to a body.
    func append(to writer: inout MultipartWriter) throws(MultipartError) {
        let headers = headers.map { HeaderField($0.0, $0.1) }
        switch kind {
        case .field: try writer.append(operand, named: name, type: type, headers: headers)
        case .file:
            try writer.append(
                fileAt: operand,
                range: range,
                named: name,
                filename: filename,
                type: type,
                headers: headers
            )
        case .stream:
            try writer.append(
                readingFrom: standardInput,
                named: name,
                filename: filename ?? "blob",
                type: type,
                headers: headers
            )
        }
    }
}
