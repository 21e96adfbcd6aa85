import MultipartEncoder
import MultipartTool

/// `multipart encode`: parts into one body.
enum EncodeCommand {
    static let help = """
        usage: multipart encode PART… --output BODY [OPTION…]

        Writes the parts, in the order given, as one multipart body. Prints a JSON object about it:
        path, contentType, contentLength, boundary and the parts with their offsets.

        parts, each followed by the options that are about it:
        \(PartList().options.map(\.helpText).joined(separator: "\n"))

        options of the body:
        \(EncodeSettings().bodyOptions.map(\.helpText).joined(separator: "\n"))

        Exit status: 0 when the body is complete, 1 when it could not be made (nothing is left
        behind then), 64 for wrong usage.

        """

    static func run(_ arguments: Arguments) throws(ToolError) {
        let settings = EncodeSettings()
        var parser = CommandParser(settings.options, arguments)
        guard try parser.readAll() else { return try Command.output(help) }
        let again = EncodeSettings()
        let parts = PartReader(CommandParser(again.options, arguments), into: again.parts)
        try encode(parts, settings)
    }

    private static func encode(
        _ parts: PartReader,
        _ settings: EncodeSettings
    ) throws(ToolError) {
        try settings.parts.check(mayBeEmpty: settings.mayBeEmpty)
        guard let output = settings.output else { throw .usage("--output is missing") }
        guard !output.isEmpty else { throw .usage("--output needs a name") }
        let progress = ProgressBar(partCount: settings.parts.count, isQuiet: settings.isQuiet)
        defer { progress.clear() }
        let options = WritingOptions(
            boundary: settings.boundary ?? .random(),
            subtype: settings.subtype,
            synchronizes: settings.synchronizes,
            threads: settings.threads,
            filenames: settings.filenames,
            limits: settings.limits,
            progress: { state in
                progress.show(state)
                return systemInterruption() == nil ? .proceed : .cancel
            }
        )
        systemWatchInterruption()
        if output == "-" {
            try stream(parts, options, isQuiet: settings.isQuiet)
        } else {
            try spool(parts, to: output, options, isQuiet: settings.isQuiet)
        }
    }

    private static func spool(
        _ parts: PartReader,
        to path: String,
        _ options: WritingOptions,
        isQuiet: Bool
    ) throws(ToolError) {
        guard !systemIsSpecial(path) else {
            throw .failure("\(path): not a regular file; use --output - to write to it")
        }
        let body: SpooledBody
        do throws(MultipartError) {
            var writer = try MultipartWriter(spoolingTo: path, replacing: true, options: options)
            try append(parts, to: &writer)
            body = try writer.finish()
        } catch {
            throw ToolError(error)
        }
        guard !isQuiet else { return }
        do throws(ToolError) {
            try BodyReport(body).write(to: standardOutput)
        } catch {
            // Nobody knows its content type.
            try? systemUnlink(path)
            throw error
        }
    }

    private static func stream(
        _ parts: PartReader,
        _ options: WritingOptions,
        isQuiet: Bool
    ) throws(ToolError) {
        guard !systemIsTerminal(standardOutput) else {
            throw .usage("a body is not for a terminal; redirect standard output")
        }
        let body: StreamedBody
        do throws(MultipartError) {
            body = try MultipartWriter.stream(to: standardOutput, options: options) {
                (writer) throws(MultipartError) in try append(parts, to: &writer)
            }
        } catch {
            throw ToolError(error)
        }
        guard !isQuiet else { return }
        try BodyReport(body).write(to: standardError)
    }

    private static func append(
        _ parts: PartReader,
        to writer: inout MultipartWriter
    ) throws(MultipartError) {
        var parts = parts
        var index = 0
        // The command line was parsed before, so it can't be wrong any more.
        while let part = try? parts.next() {
            try part.append(to: &writer, at: index)
            index += 1
        }
    }
}

extension Command {
    static let encode = Command(
        name: "encode",
        summary: "write fields, files and pixels as one body"
    ) { (arguments) throws(ToolError) in try EncodeCommand.run(arguments) }
}
