import MultipartEncoder
import MultipartTool

/// The parts of an upload's command line, which has been parsed before and can't be wrong any more.
struct UploadParts: Sendable {
    let arguments: Arguments

    func append(to writer: inout MultipartWriter) throws(MultipartError) {
        var parts = reader()
        var index = 0
        while let part = try? parts.next() {
            try part.append(to: &writer, at: index)
            index += 1
        }
    }

    /// Bytes that the body will have at least; `nil` where nobody knows.
    var sourceSize: Int64? {
        var parts = reader()
        var total: Int64 = 0
        while let part = try? parts.next() {
            switch part.kind {
            case .field: total += Int64(part.operand.utf8.count)
            case .file:
                guard let size = part.range.map({ Int64($0.count) }) ?? systemFileSize(part.operand)
                else { return nil }
                total += size
            case .pixels, .image, .stream: return nil
            }
        }
        return total
    }

    private func reader() -> PartReader {
        let settings = UploadSettings()
        return PartReader(CommandParser(settings.options, arguments), into: settings.parts)
    }
}
