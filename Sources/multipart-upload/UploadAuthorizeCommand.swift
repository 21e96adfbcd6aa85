import Foundation
import MultipartEncoder
import MultipartTool
import MultipartUpload

/// Runs the command that gives credentials.
///
/// It prints a header a line, `Name: value`, and is told by `MULTIPART_URL`, `MULTIPART_ATTEMPT` and
/// `MULTIPART_REFUSED` (1 after a 401) what for.
enum AuthorizeCommand {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    static func run(
        _ command: String,
        _ question: Uploader.Authorization
    ) async throws -> [UploadHeader] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "MULTIPART_URL": question.url.absoluteString,
            "MULTIPART_ATTEMPT": String(question.attempt),
            "MULTIPART_REFUSED": question.wasRefused ? "1" : "0",
        ]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = try await answer(of: process, output.fileHandleForReading)
        guard process.terminationStatus == 0 else {
            throw Failed(description: "the command ended with \(process.terminationStatus)")
        }
        return try String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { line in
                guard let header = HeaderLine(line) else {
                    // The line itself may be the secret: it isn't shown.
                    throw Failed(description: "the command printed a line that is no header")
                }
                return UploadHeader(header.name, header.value)
            }
    }

    /// Waits for the command's end on a thread of its own; a command that hangs must not keep an
    /// upload from stopping that was interrupted, or whose deadline has come.
    private static func answer(
        of process: Process,
        _ output: FileHandle
    ) async throws -> Data {
        let (answers, answer) = AsyncStream.makeStream(of: Data.self)
        Thread.detachNewThread {
            let bytes = (try? output.readToEnd()) ?? Data()
            process.waitUntilExit()
            answer.yield(bytes)
            answer.finish()
        }
        for await bytes in answers { return bytes }
        await stop(process)
        throw CancellationError()
    }

    /// Ends the command and what it has started, which Foundation makes a process group of its own.
    private static func stop(_ process: Process) async {
        let group = process.processIdentifier
        guard systemSignal(group: group, SIGTERM) else { return }
        // A task of its own, because the one that comes here is cancelled and would not sleep.
        await Task.detached {
            let end = ContinuousClock.now + patience
            while systemSignal(group: group, 0), .now < end {
                try? await Task.sleep(for: .milliseconds(20))
            }
        }.value
        systemSignal(group: group, SIGKILL)
    }

    /// How long a command has to put things in order when it is asked to end.
    private static let patience = Duration.seconds(1)
}
