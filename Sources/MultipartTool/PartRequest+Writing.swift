package import MultipartEncoder

extension PartRequest {
    /// Appends the part, the one with this index, to a body.
    package func append(
        to writer: inout MultipartWriter,
        at index: Int
    ) throws(MultipartError) {
        switch kind {
        case .pixels, .image:
            try appendImage(to: &writer, PartLabel(index: index, name: name))
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
