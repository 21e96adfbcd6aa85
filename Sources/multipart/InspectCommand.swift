import MultipartEncoder
import MultipartTool

/// `multipart inspect`: what a body holds, and what is wrong with it.
enum InspectCommand {
    static let help = """
        usage: multipart inspect BODY [OPTION…]

        Reads a multipart body, of this tool's or anyone's making, with the strict grammar of RFC
        2046 and RFC 7578, in constant memory. Says for each part its name, filename, type, offset
        and length, and for each fault the byte where it is. BODY may be - for standard input.

        options:
        \(Settings().options.map(\.helpText).joined(separator: "\n"))

        Exit status: 0 when the body is well formed, 1 when it is not or can't be read, 64 for
        wrong usage.

        """

    private final class Settings {
        var contentType: String?
        var isJSON = false

        var options: [CommandOption] {
            [
                CommandOption(
                    "--content-type",
                    ["TYPE"],
                    help: "the request's Content-Type; without it the boundary is\n"
                        + "guessed from the body's first line"
                ) { [self] values in contentType = values[0] },
                CommandOption("--json", help: "one JSON object instead of text") { [self] _ in
                    isJSON = true
                },
            ]
        }
    }

    static func run(_ arguments: Arguments) throws(ToolError) {
        guard arguments.count > 0 else { throw .usage("no body is given") }
        let body = try arguments.text(at: 0)
        if body == "--help" || body == "-h" { return try Command.output(help) }
        guard body == "-" || body.utf8.first != UInt8(ascii: "-") else {
            throw .usage("the body comes before '\(body)'")
        }
        let settings = Settings()
        var parser = CommandParser(settings.options, arguments.rest)
        guard try parser.readAll() else { return try Command.output(help) }
        try inspect(body, settings)
    }

    private static func inspect(_ body: String, _ settings: Settings) throws(ToolError) {
        let inspection: BodyInspection
        do {
            inspection =
                if body == "-" {
                    try BodyInspector.inspect(
                        readingFrom: standardInput,
                        contentType: settings.contentType
                    )
                } else {
                    try BodyInspector.inspect(fileAt: body, contentType: settings.contentType)
                }
        } catch {
            throw .failure("\(body): \(error)")
        }
        if settings.isJSON {
            try Command.output(json(inspection).text + "\n")
        } else {
            try Command.output(text(inspection))
        }
        guard inspection.isWellFormed else {
            throw .failure("\(body): \(count(inspection.faults.count, "fault"))")
        }
    }

    private static func text(_ inspection: BodyInspection) -> String {
        var text = inspection.boundary.map { "boundary \(quoted($0)), " } ?? ""
        text += count(inspection.parts.count, "part")
        text += ", \(count(Int(inspection.length), "byte"))\n"
        for (index, part) in inspection.parts.enumerated() {
            let words = [
                part.name.map { "name \(quoted($0))" },
                part.filename.map { "filename \(quoted($0))" },
                part.contentType.map { printable($0) },
                "\(count(Int(part.length), "byte")) at \(part.offset)",
            ]
            text += "part \(index + 1): \(words.compactMap(\.self).joined(separator: ", "))\n"
        }
        for fault in inspection.faults {
            text += "\(fault.isWarning ? "warning" : "fault"): \(fault)\n"
        }
        return text
    }

    private static func json(_ inspection: BodyInspection) -> JSONText {
        .object([
            ("boundary", .optional(inspection.boundary)),
            ("length", .integer(inspection.length)),
            ("wellFormed", .bool(inspection.isWellFormed)),
            ("parts", .array(inspection.parts.map(json))),
            ("faults", .array(inspection.faults.map(json))),
        ])
    }

    private static func json(_ part: InspectedPart) -> JSONText {
        let headers = part.headers.map { header in
            JSONText.array([.string(header.name), .string(header.value)])
        }
        return .object([
            ("name", .optional(part.name)),
            ("filename", .optional(part.filename)),
            ("contentType", .optional(part.contentType)),
            ("offset", .integer(part.offset)),
            ("length", .integer(part.length)),
            ("headers", .array(headers)),
        ])
    }

    private static func json(_ fault: BodyFault) -> JSONText {
        .object([
            ("offset", .integer(fault.offset)),
            ("part", fault.part.map { .integer(Int64($0)) } ?? .null),
            ("warning", .bool(fault.isWarning)),
            ("message", .string(fault.kind.description)),
        ])
    }

    private static func quoted(_ text: String) -> String { "\"\(printable(text))\"" }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}

extension Command {
    static let inspect = Command(
        name: "inspect",
        summary: "say what a body holds and what is wrong with it"
    ) { (arguments) throws(ToolError) in try InspectCommand.run(arguments) }
}
