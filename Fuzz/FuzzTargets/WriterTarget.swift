import MultipartEncoder
import MultipartReference

/// A part as the input asks for it, and what must become of it.
private struct Request {
    let kind: UInt8
    let name: String
    let filename: String
    let content: [UInt8]
    let split: Int

    init(_ source: inout ByteSource) {
        kind = source.byte() % 6
        name = source.text()
        filename = source.text()
        split = Int(source.byte())
        let repeats = Int(source.byte() % 8) + 1
        content = Array(repeatElement(source.counted(), count: repeats).joined())
    }

    var isText: Bool { kind == 0 }

    var expected: [UInt8] {
        isText ? wireValue(String(decoding: content, as: UTF8.self)) : content
    }

    /// The header as it must be.
    var header: String {
        let start = "Content-Disposition: form-data; name=\"\(wireName(name))\""
        if isText { return start + "\r\n\r\n" }
        return start + "; filename=\"\(wireFilename(filename))\"\r\nContent-Type: a/b\r\n\r\n"
    }

    func append(
        to writer: inout MultipartWriter,
        using workspace: borrowing Workspace
    ) throws(MultipartError) {
        switch kind {
        case 0: try writer.append(String(decoding: content, as: UTF8.self), named: name)
        case 1:
            let bytes = ContiguousArray(content)
            try writer.append(bytes.span, named: name, filename: filename, type: "a/b")
        case 2:
            workspace.setSource(content)
            try writer.append(
                fileAt: workspace.sourcePath,
                named: name,
                filename: filename,
                type: "a/b"
            )
        case 3:
            workspace.setSource([1] + content + [2, 3])
            try writer.append(
                fileAt: workspace.sourcePath,
                range: 1..<Int64(content.count + 1),
                named: name,
                filename: filename,
                type: "a/b"
            )
        case 4:
            try writer.append(named: name, filename: filename, type: "a/b") { (sink) in
                let bytes = ContiguousArray(content)
                var start = 0
                while start < bytes.count {
                    let end = min(bytes.count, start + split + 1)
                    try sink.write(bytes.span.extracting(start..<end))
                    start = end
                }
            }
        default:
            let pipe = Workspace.pipe(holding: content)
            try writer.append(
                readingFrom: pipe.rawValue,
                named: name,
                filename: filename,
                type: "a/b"
            )
        }
    }
}

/// The first byte chooses the buffer's size, the next text is the boundary, the rest are parts.
///
/// The body must be read by the reference parser as exactly the parts asked for, or be refused for
/// the reason that a slow search finds.
func fuzzWriter(_ input: [UInt8]) {
    var source = ByteSource(input)
    let bufferSize = Int(source.byte()) + 1
    let text = String(decoding: source.bytes(Int(source.byte() % 20)), as: UTF8.self)
    let boundary = (try? Boundary(text)) ?? .random()
    let isFixed = boundary.text == text
    var requests: [Request] = []
    while !source.isAtEnd, requests.count < 12 { requests.append(Request(&source)) }
    let workspace = Workspace()
    workspace.clearOutput()
    let options = WritingOptions(boundary: boundary, allowsNULInNames: true)
    let result = Result { () throws(MultipartError) in
        try MultipartWriter.stream(
            to: workspace.descriptor,
            options: options,
            bufferSize: bufferSize
        ) { (writer) throws(MultipartError) in
            for request in requests { try request.append(to: &writer, using: workspace) }
        }
    }
    switch result {
    case .success(let body): check(body, requests, workspace.outputBytes(), isFixed: isFixed)
    case .failure(let error): check(error, requests, boundary)
    }
}

private func check(
    _ body: StreamedBody,
    _ requests: [Request],
    _ bytes: [UInt8],
    isFixed: Bool
) {
    precondition(body.contentLength == Int64(bytes.count), "the length is wrong")
    guard let parts = try? ReferenceParser.parse(bytes, boundary: body.boundary.text) else {
        preconditionFailure("the body is malformed")
    }
    precondition(parts.count == requests.count, "\(parts.count) parts for \(requests.count)")
    for (index, request) in requests.enumerated() {
        let part = parts[index]
        precondition(part.content == request.expected, "part \(index): another content")
        precondition(
            part.name.map { Array($0.utf8) } == Array(wireName(request.name).utf8),
            "part \(index): another name"
        )
        precondition(
            part.filename.map { Array($0.utf8) }
                == (request.isText ? nil : Array(wireFilename(request.filename).utf8)),
            "part \(index): another filename"
        )
        precondition(body.parts[index].offset == Int64(part.offset), "part \(index): offset")
        precondition(body.parts[index].length == Int64(part.content.count), "part \(index): length")
    }
    if isFixed {
        for request in requests {
            precondition(
                place(of: body.boundary, in: request.expected) == nil,
                "a delimiter came through"
            )
        }
    }
}

private func check(_ error: MultipartError, _ requests: [Request], _ boundary: Boundary) {
    for (index, request) in requests.enumerated() {
        if place(of: boundary, in: Array(request.header.utf8)) != nil {
            guard case .header(let part, .holdsBoundary) = error, part.index == index else {
                preconditionFailure("part \(index) has a delimiter in its header: \(error)")
            }
            return
        }
        if let place = place(of: boundary, in: request.expected) {
            guard case .boundaryCollision(let part, let offset) = error, part.index == index,
                offset == place
            else { preconditionFailure("part \(index) has a delimiter at \(place): \(error)") }
            return
        }
    }
    preconditionFailure("no reason for \(error)")
}

private func place(of boundary: Boundary, in bytes: [UInt8]) -> Int? {
    ReferenceParser.occurrences(of: Array("--\(boundary.text)".utf8), in: bytes).first
}
