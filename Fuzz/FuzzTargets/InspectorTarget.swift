import MultipartEncoder
import MultipartReference

/// The first byte says how many bytes the inspector gets at a time, the rest are a body.
///
/// It must say the same however the body is cut, nothing may lie outside the body, and where it
/// finds no fault the reference parser must find the same parts.
func fuzzInspector(_ input: [UInt8]) {
    var source = ByteSource(input)
    let step = Int(source.byte()) + 1
    let body = source.bytes(.max)
    for header in [nil, "multipart/form-data; boundary=b"] {
        let whole = inspect(body, step: max(1, body.count), header)
        precondition(inspect(body, step: step, header) == whole, "depends on how it is cut")
        precondition(whole.length == Int64(body.count), "another length")
        for part in whole.parts {
            precondition(part.offset >= 0 && part.length >= 0, "a part before the start")
            precondition(part.offset + part.length <= whole.length, "a part beyond the end")
        }
        for fault in whole.faults {
            precondition((0...whole.length).contains(fault.offset), "a fault outside")
        }
        guard let boundary = whole.boundary else { continue }
        let parts = try? ReferenceParser.parse(body, boundary: boundary)
        guard whole.isWellFormed else { continue }
        guard let parts else { preconditionFailure("found nothing wrong with a malformed body") }
        precondition(parts.count == whole.parts.count, "another number of parts")
        for (mine, theirs) in zip(whole.parts, parts) {
            precondition(mine.name == theirs.name, "another name")
            precondition(mine.filename == theirs.filename, "another filename")
            precondition(mine.offset == Int64(theirs.offset), "another offset")
            precondition(mine.length == Int64(theirs.content.count), "another length")
        }
    }
}

private func inspect(_ body: [UInt8], step: Int, _ header: String?) -> BodyInspection {
    var inspector = BodyInspector(contentType: header)
    let bytes = ContiguousArray(body)
    var start = 0
    while start < bytes.count {
        let end = min(bytes.count, start + step)
        inspector.read(bytes.span.extracting(start..<end))
        start = end
    }
    return inspector.finish()
}
