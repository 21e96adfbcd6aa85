import MultipartEncoder

/// A subcommand of the tool.
///
/// Each has a file of its own and a line in `Commands.swift`.
struct Command: Sendable {
    let name: String
    let summary: String
    let run: @Sendable (Arguments) async throws(ToolError) -> Void

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
        let arguments = Arguments.ofProcess
        var command: Command?
        do throws(ToolError) {
            guard arguments.count > 0 else { throw .usage("no command is given") }
            let first = try arguments.text(at: 0)
            command = all.first { $0.name == first }
            switch first {
            case "--help", "-h", "help": try output(help)
            case "--version": try output("multipart \(version)\n")
            default:
                guard let command else { throw .usage("no command is called '\(first)'") }
                try await command.run(arguments.rest)
            }
            return (command, .success(()))
        } catch {
            return (command, .failure(error))
        }
    }

    /// Writes to standard output or standard error, and makes sure that it arrived.
    static func output(
        _ text: String,
        to descriptor: CInt = standardOutput
    ) throws(ToolError) {
        do {
            try systemWrite(descriptor, text)
        } catch {
            throw .failure("report: \(error)")
        }
    }

    private static func report(_ message: String) {
        try? systemWrite(standardError, "multipart: \(printable(message))\n")
    }
}
