extension MultipartWriter {
    /// Appends a part as ``FormData`` holds it.
    ///
    /// - Parameter part: What to append.
    /// - Throws: ``MultipartError``; the body is lost then.
    public mutating func append(_ part: Part) throws(MultipartError) {
        let header = part.header(in: subtype)
        switch part.content {
        case .text(let text):
            try append(header) { (sink) throws(MultipartError) in
                try sink.write(Newlines.normalized(text))
            }
        case .bytes(let bytes):
            try append(header) { (sink) throws(MultipartError) in try sink.write(bytes.span) }
        case .file(let path, let range):
            try append(fileAt: path, range: range, header)
        case .image(let source, let options): try append(source, header, options)
        case .stream(let length, let content):
            try append(header, length: length, producer: content)
        }
    }
}
