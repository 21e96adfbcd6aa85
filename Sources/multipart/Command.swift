import MultipartEncoder

/// A subcommand of the tool.
///
/// Each has a file of its own and a line in `all`.
struct Command: Sendable {
    let name: String
    let summary: String
    let help: String
    let run: @Sendable ([String]) async throws(ToolError) -> Void

    static let all: [Command] = [
        .encode
    ]

    static let version = "0.1.0"

    private static let help = """
        usage: multipart COMMAND …

        commands:
        \(all.map { "  \(padded($0.name, to: 10))\($0.summary)" }.joined(separator: "\n"))

        'multipart COMMAND --help' says more.
        'multipart --version' prints the version.

        """

    /// Runs the command that the arguments ask for; returns the process's exit status.
    static func main() async -> CInt {
        let (command, result) = await dispatch()
        do {
            try result.get()
            return 0
        } catch {
            if let signal = systemInterruption() {
                report("interrupted")
                systemDie(of: signal)
            }
            report(error.description)
            if case .usage = error {
                let topic = command.map { " \($0.name)" } ?? ""
                try? systemWrite(standardError, "Try 'multipart\(topic) --help'.\n")
            }
            return error.exitStatus
        }
    }

    private static func dispatch() async -> (Command?, Result<Void, ToolError>) {
        var arguments: [String] = []
        for (index, argument) in systemArguments().enumerated() {
            guard let argument else {
                return (nil, .failure(.usage("argument \(index + 1) is not UTF-8")))
            }
            arguments.append(argument)
        }
        guard let first = arguments.first else { return (nil, .failure(.usage("no command"))) }
        let command = all.first { $0.name == first }
        do throws(ToolError) {
            switch first {
            case "--help", "-h", "help": try output(help)
            case "--version": try output("multipart \(version)\n")
            default:
                guard let command else { throw .usage("no command is called '\(first)'") }
                let rest = Array(arguments.dropFirst())
                if rest.contains("--help"), asksForHelp(rest) {
                    try output(command.help)
                } else {
                    try await command.run(rest)
                }
            }
            return (command, .success(()))
        } catch {
            return (command, .failure(error))
        }
    }

    /// Whether the help is asked for where an option may stand first; elsewhere the parser finds it.
    private static func asksForHelp(_ arguments: [String]) -> Bool {
        arguments.first == "--help" || arguments.first == "-h"
    }

    /// Writes to standard output, and makes sure that it arrived.
    static func output(_ text: String) throws(ToolError) {
        do {
            try systemWrite(standardOutput, text)
        } catch {
            throw .failure("standard output: \(error)")
        }
    }

    private static func report(_ message: String) {
        try? systemWrite(standardError, "multipart: \(printable(message))\n")
    }
}
