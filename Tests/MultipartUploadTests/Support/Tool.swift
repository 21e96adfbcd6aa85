import Foundation

/// The command-line tool, as the tests' own build made it.
struct Tool {
    struct Run {
        let status: Int32
        /// Whether a signal ended it.
        let wasKilled: Bool
        let output: String
        let errors: String
    }

    static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("multipart").path

    /// Runs the tool to its end, which `act` may bring about; in a directory, if there is one to
    /// remove, that is gone when it starts.
    static func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: Pipe? = nil,
        removing directory: String? = nil,
        during act: ((Process) async throws -> Void)? = nil
    ) async throws -> Run {
        let process = Process()
        if let directory {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            let script = "cd \"$0\" && rmdir \"$0\" && exec \"$@\""
            process.arguments = ["-c", script, directory, path] + arguments
        } else {
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let files = try TemporaryDirectory()
        for name in ["output", "errors"] {
            _ = FileManager.default.createFile(atPath: files.path + "/" + name, contents: nil)
        }
        process.standardOutput = FileHandle(forWritingAtPath: files.path + "/output")
        process.standardError = FileHandle(forWritingAtPath: files.path + "/errors")
        process.standardInput = input ?? FileHandle.nullDevice
        // Nothing here blocks: threads of tasks are few, and other tests need them.
        let (untilExit, exit) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in exit.finish() }
        try process.run()
        do {
            try await act?(process)
        } catch {
            process.terminate()
            throw error
        }
        for await _ in untilExit {}
        func text(_ name: String) -> String {
            let bytes = FileManager.default.contents(atPath: files.path + "/" + name) ?? Data()
            return String(decoding: bytes, as: UTF8.self)
        }
        return Run(
            status: process.terminationStatus,
            wasKilled: process.terminationReason == .uncaughtSignal,
            output: text("output"),
            errors: text("errors")
        )
    }
}
