/// One part as it was asked for on a command line.
struct PartRequest {
    let kind: Kind
    let name: String
    /// The field's value, or the path of what is to be read.
    let operand: String
    var type: String?
    var filename: String?
    var range: Range<Int64>?
    var headers: [(String, String)] = []

    enum Kind: String, CaseIterable {
        case field
        case file
        case stream

        var flag: String { "--\(rawValue)" }
    }

    /// Says what of a part that needs several options is missing.
    func check() throws(ToolError) {
        if kind == .stream, operand != "-" {
            throw .usage("--stream \(name): only '-' (standard input) can be read as a stream")
        }
    }
}
