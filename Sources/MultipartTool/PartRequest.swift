import MultipartEncoder

/// One part as it was asked for on a command line.
package struct PartRequest {
    package let kind: Kind
    let name: String
    /// The field's value, or the path of what is to be read.
    package let operand: String
    var type: String?
    var filename: String?
    package var range: Range<Int64>?
    var headers: [HeaderField] = []
    var size: (width: Int, height: Int)?
    var format: PixelFormat?
    var isPremultiplied = false
    var bytesPerRow: Int?
    var palette: String?
    var png = PNGOptions()

    package enum Kind: String, CaseIterable {
        case field
        case file
        case pixels
        case image
        case stream

        var flag: String { "--\(rawValue)" }
    }

    /// Says what of a part that needs several options is missing, or does not fit.
    func check() throws(ToolError) {
        switch kind {
        case .field, .file, .image: return
        case .stream:
            guard operand == "-" else { throw misuse("only '-' (standard input) is a stream") }
        case .pixels:
            guard size != nil else { throw misuse("--size is missing") }
            guard let format else { throw misuse("--format is missing") }
            guard format.isIndexed == (palette != nil) else {
                throw misuse(
                    format.isIndexed
                        ? "--palette is missing for \(format.rawValue)"
                        : "--palette is not for \(format.rawValue)"
                )
            }
            guard !isPremultiplied || format.hasAlpha else {
                throw misuse("--premultiplied is not for \(format.rawValue), which has no alpha")
            }
        }
    }

    private func misuse(_ words: String) -> ToolError { .usage("\(kind.flag) \(name): \(words)") }
}
