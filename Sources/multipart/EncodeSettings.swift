import MultipartEncoder
import MultipartTool

/// What `multipart encode` was asked to do.
final class EncodeSettings {
    let parts = PartList()
    var output: String?
    var boundary: Boundary?
    var subtype = MultipartSubtype.formData
    var synchronizes = false
    var isQuiet = false
    var threads: Int?
    var mayBeEmpty = false
    var filenames: FilenameForm = []
    var limits: Limits?

    var options: [CommandOption] { parts.options + bodyOptions }

    var bodyOptions: [CommandOption] {
        [
            CommandOption(
                "--output",
                ["BODY"],
                help: "the file to write; '-' streams to standard output"
            ) { [self] values in output = values[0] },
            CommandOption(
                "--boundary",
                ["TEXT"],
                help:
                    "1 to 70 characters instead of 32 random ones;\nall content is searched for it"
            ) { [self] (values) throws(ToolError) in
                do {
                    boundary = try Boundary(values[0])
                } catch {
                    throw .usage("--boundary: \(error)")
                }
            },
            CommandOption(
                "--subtype",
                ["KIND"],
                help: "form-data (the default), mixed or related"
            ) { [self] (values) throws(ToolError) in
                switch values[0] {
                case "form-data": subtype = .formData
                case "mixed": subtype = .mixed
                case "related": subtype = .related()
                default:
                    throw .usage("--subtype is form-data, mixed or related, not '\(values[0])'")
                }
            },
            CommandOption("--fsync", help: "wait until file and name are on the disk") {
                [self] _ in synchronizes = true
            },
            CommandOption(
                "--threads",
                ["N"],
                help:
                    "how many compress an image; one a processor by default;\nthe bytes are the same"
            ) { [self] (values) throws(ToolError) in
                guard let threads = Int(values[0]), (1...1024).contains(threads) else {
                    throw .usage("--threads takes 1 to 1024, not '\(values[0])'")
                }
                self.threads = threads
            },
            CommandOption(
                "--empty",
                help: "write a body even if no part is given"
            ) { [self] _ in mayBeEmpty = true },
            CommandOption(
                "--filenames",
                ["CHANGE"],
                help:
                    "what some servers need: last-component,\nno-trailing-backslash or composed (accents); may be repeated"
            ) { [self] (values) throws(ToolError) in
                switch values[0] {
                case "last-component": filenames.insert(.lastComponent)
                case "no-trailing-backslash": filenames.insert(.noTrailingBackslash)
                case "composed": filenames.insert(.composed)
                default:
                    throw .usage(
                        "--filenames is last-component, no-trailing-backslash or composed,"
                            + " not '\(values[0])'"
                    )
                }
            },
            CommandOption(
                "--limits",
                ["SERVER"],
                help: "refuse what that server refuses by default, such as\ntomcat or php"
            ) { [self] (values) throws(ToolError) in
                let limits = Limits.known.first { $0.server.lowercased() == values[0].lowercased() }
                guard let limits else {
                    let servers = Limits.known.map(\.server).joined(separator: ", ")
                    throw .usage("--limits is one of \(servers), not '\(values[0])'")
                }
                self.limits = limits
            },
            CommandOption("--quiet", help: "no progress bar, no report") { [self] _ in
                isQuiet = true
            },
        ]
    }
}
