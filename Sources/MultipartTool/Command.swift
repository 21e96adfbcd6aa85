import MultipartEncoder

/// A subcommand of the tool.
///
/// Each has a file of its own and a line in `Commands.swift`.
package struct Command: Sendable {
    package let name: String
    package let summary: String
    package let run: @Sendable (Arguments) async throws(ToolError) -> Void

    package init(
        name: String,
        summary: String,
        run: @escaping @Sendable (Arguments) async throws(ToolError) -> Void
    ) {
        self.name = name
        self.summary = summary
        self.run = run
    }

    private static let version = "0.1.0"

    private static func help(_ all: [Command]) -> String {
        """
        usage: multipart COMMAND …

        commands:
        \(all.map { "  \(padded($0.name, to: 10))\($0.summary)" }.joined(separator: "\n"))

        'multipart COMMAND --help' says more.
        'multipart --version' prints the version.

        """
    }

    /// Runs the one of a program's commands that the arguments ask for; returns the process's exit
    /// status.
    package static func main(_ all: [Command]) async -> CInt {
        systemOccupyStandardDescriptors()
        let (command, result) = await dispatch(all)
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

    private static func dispatch(_ all: [Command]) async -> (Command?, Result<Void, ToolError>) {
        let arguments = Arguments.ofProcess
        var command: Command?
        do throws(ToolError) {
            guard arguments.count > 0 else { throw .usage("no command is given") }
            let first = try arguments.text(at: 0)
            command = all.first { $0.name == first }
            switch first {
            case "--help", "-h", "help": try output(help(all))
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
    package static func output(
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
