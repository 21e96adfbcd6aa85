import MultipartEncoder

/// The parts that a command line asks for, as far as it has been read, and the table of the options
/// that say so.
///
/// Used by every command that makes a body. Only the part that is being read is kept; `PartReader`
/// gives them one after the other.
package final class PartList {
    package private(set) var count = 0
    private var last: PartRequest?
    private var finished: PartRequest?
    private var streamCount = 0

    package init() {}

    /// Starts a part, or changes the last one.
    package var options: [CommandOption] {
        [
            part(.field, "VALUE", help: "a text; newlines become CRLF"),
            part(.file, "PATH", help: "a file as it is"),
            part(.pixels, "PATH", help: "raw pixels, which become a PNG"),
            part(.image, "PATH", help: "a PNM or PAM image, which becomes a PNG"),
            part(.stream, "-", help: "standard input to its end"),
            modifier("--type", "MIME", of: [.field, .file, .stream], help: "Content-Type") {
                (part, value) throws(ToolError) in part.type = value
            },
            modifier(
                "--filename",
                "NAME",
                of: [.file, .pixels, .image, .stream],
                help: "filename in the header"
            ) {
                (part, value) throws(ToolError) in part.filename = value
            },
            modifier("--range", "OFFSET:LENGTH", of: [.file], help: "only these bytes of the file")
            {
                (part, value) throws(ToolError) in part.range = try Self.range(value)
            },
            modifier(
                "--header",
                "'Name: value'",
                of: PartRequest.Kind.allCases,
                help: "a further header of the part; may be repeated"
            ) { (part, value) throws(ToolError) in part.headers.append(try Self.header(value)) },
            modifier("--size", "WxH", of: [.pixels], help: "width and height in pixels") {
                (part, value) throws(ToolError) in part.size = try Self.size(value)
            },
            modifier("--format", "FMT", of: [.pixels], help: Self.formatHelp) {
                (part, value) throws(ToolError) in part.format = try Self.format(value)
            },
            modifier("--premultiplied", nil, of: [.pixels], help: "colors are multiplied by alpha")
            {
                (part, _) throws(ToolError) in part.isPremultiplied = true
            },
            modifier(
                "--bytes-per-row",
                "N",
                of: [.pixels],
                help: "from a row to the one below it; negative where\nthe bottom row comes first"
            ) { (part, value) throws(ToolError) in
                guard let bytes = Int(value) else {
                    throw .usage("--bytes-per-row takes a whole number, not '\(value)'")
                }
                part.bytesPerRow = bytes
            },
            modifier("--palette", "PATH", of: [.pixels], help: "colors of an index format, RGBA") {
                (part, value) throws(ToolError) in part.palette = value
            },
            modifier(
                "--level",
                "L",
                of: [.pixels, .image],
                help: "\(Self.levelHelp); fast by default"
            ) {
                (part, value) throws(ToolError) in part.png.compression = try Self.level(value)
            },
            modifier(
                "--reduce",
                nil,
                of: [.pixels, .image],
                help: "look for a smaller form that loses nothing"
            ) { (part, _) throws(ToolError) in part.png.reduces = true },
        ]
    }

    /// Says what is missing, once the command line has ended.
    package func check(mayBeEmpty: Bool = false) throws(ToolError) {
        guard let last else {
            if mayBeEmpty { return }
            throw .usage("no part is given")
        }
        try last.check()
        guard streamCount <= 1 else {
            throw .usage("--stream is given twice, but standard input can be read only once")
        }
    }

    /// The part before the last one, once after the last one was begun.
    func takeFinished() -> PartRequest? { finished.take() }

    /// The part that no other has followed.
    func takeLast() -> PartRequest? { last.take() }

    private func begin(_ part: PartRequest) throws(ToolError) {
        // Moved, not copied: a request is large, and there may be very many.
        var before: PartRequest? = part
        swap(&last, &before)
        try before?.check()
        finished = consume before
        count += 1
        if part.kind == .stream { streamCount += 1 }
    }

    private func part(
        _ kind: PartRequest.Kind,
        _ operand: String,
        help: String
    ) -> CommandOption {
        CommandOption(kind.flag, ["NAME", operand], help: help) {
            [self] (values) throws(ToolError) in
            try begin(PartRequest(kind: kind, name: values[0], operand: values[1]))
        }
    }

    private func modifier(
        _ flag: String,
        _ value: String?,
        of kinds: [PartRequest.Kind],
        help: String,
        _ change: @escaping (inout PartRequest, String) throws(ToolError) -> Void
    ) -> CommandOption {
        let flags = kinds.map(\.flag).joined(separator: ", ")
        return CommandOption(
            flag,
            value.map { [$0] } ?? [],
            help:
                "\(help)\n[\(kinds.count == PartRequest.Kind.allCases.count ? "any part" : flags)]"
        ) { [self] (values) throws(ToolError) in
            guard var changed = last else {
                throw .usage("\(flag) comes after the part that it is about")
            }
            guard kinds.contains(changed.kind) else {
                throw .usage("\(flag) is for \(flags), not for \(changed.kind.flag)")
            }
            try change(&changed, values.first ?? "")
            last = changed
        }
    }

    private static func range(_ text: String) throws(ToolError) -> Range<Int64> {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard numbers.count == 2, let offset = numbers[0], let length = numbers[1],
            offset >= 0, length >= 0
        else { throw .usage("--range takes OFFSET:LENGTH in bytes, not '\(text)'") }
        let (end, overflows) = offset.addingReportingOverflow(length)
        guard !overflows else { throw .usage("--range \(text) ends past the largest file") }
        return offset..<end
    }

    private static func size(_ text: String) throws(ToolError) -> (width: Int, height: Int) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        let valid = 1...PixelLayout.maximumSide
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            valid.contains(width), valid.contains(height)
        else {
            throw .usage("--size takes WxH, each 1 to \(valid.upperBound), not '\(text)'")
        }
        return (width, height)
    }

    private static func format(_ text: String) throws(ToolError) -> PixelFormat {
        guard let format = PixelFormat(rawValue: text) else {
            throw .usage("--format does not know '\(text)'; see --help")
        }
        return format
    }

    private static var formatHelp: String {
        var lines = [""]
        for format in PixelFormat.allCases {
            if lines[lines.count - 1].count > 40 { lines.append("") }
            lines[lines.count - 1] += "\(format.rawValue) "
        }
        lines.append("(16-bit samples in this machine's byte order)")
        return lines.joined(separator: "\n")
    }

    private static let levels: KeyValuePairs<String, PNGCompression> = [
        "fastest": .fastest, "fast": .fast, "balanced": .balanced, "small": .small,
    ]

    private static var levelHelp: String {
        levels.map(\.key).joined(separator: ", ") + ",\nlibpng:0 to libpng:9"
    }

    private static func level(_ text: String) throws(ToolError) -> PNGCompression {
        if let level = levels.first(where: { $0.key == text }) { return level.value }
        let words = text.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count == 2, words[0] == "libpng", let level = Int(words[1]),
            (0...9).contains(level)
        else { throw .usage("--level does not know '\(text)'; see --help") }
        return .libpng(level: level)
    }

    private static func header(_ text: String) throws(ToolError) -> HeaderField {
        guard let line = HeaderLine(text[...]) else {
            throw .usage("--header takes 'Name: value', not '\(text)'")
        }
        return HeaderField(line.name, line.value)
    }
}
