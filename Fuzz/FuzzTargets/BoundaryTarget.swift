import MultipartEncoder
import MultipartReference

/// The input is a boundary: it is accepted as RFC 2046 has it, and its header gives it back.
func fuzzBoundary(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    guard let boundary = try? Boundary(text) else {
        precondition(!grammarAccepts(text), "refused \(text)")
        return
    }
    precondition(grammarAccepts(text) && boundary.text == text, "accepted \(text)")
    let form = FormData([.text("x", named: "n")], options: WritingOptions(boundary: boundary))
    guard let header = try? form.contentType() else { preconditionFailure("no header") }
    let workspace = Workspace()
    workspace.clearOutput()
    switch Result(catching: { () throws(MultipartError) in try form.stream(to: workspace.descriptor)
    })
    {
    case .failure(.header(_, .holdsBoundary)), .failure(.boundaryCollision): return
    case .failure(let error): preconditionFailure("\(error)")
    case .success: break
    }
    let bytes = workspace.outputBytes()
    guard (try? ReferenceParser.parse(bytes, boundary: text))?.count == 1 else {
        preconditionFailure("malformed under \(text)")
    }
    var inspector = BodyInspector(contentType: header)
    inspector.read(ContiguousArray(bytes).span)
    let inspection = inspector.finish()
    precondition(inspection.boundary == text && inspection.isWellFormed, "\(inspection.faults)")
}

private func grammarAccepts(_ text: String) -> Bool {
    let letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'()+_,-./:=? "
    return (1...70).contains(text.utf8.count) && text.utf8.last != UInt8(ascii: " ")
        && text.utf8.allSatisfy(Array(letters.utf8).contains)
}
