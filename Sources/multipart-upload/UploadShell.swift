import Foundation
import MultipartEncoder
import Synchronization

/// Runs shell commands for what they print.
///
/// Not by Foundation's `Process`, which takes a command for running as long as anything that it left
/// in the background does.
enum UploadShell {
    /// How a command has ended.
    struct End {
        let status: CInt
        /// What was printed until then.
        let output: [UInt8]
    }

    struct TooMuch: Error, CustomStringConvertible {
        var description: String { "the command printed more than \(limit) bytes" }
    }

    struct WantsTerminal: Error, CustomStringConvertible {
        var description: String { "the command asked the terminal, which it can't have" }
    }

    /// The most bytes that a command may print.
    private static let limit = 1024 * 1024
    /// Milliseconds between two looks at what nobody tells of.
    private static let interval: CInt = 20
    /// How long a command has to put things in order when it is asked to end.
    private static let patience = Duration.seconds(1)

    /// Runs a command to its end, or ends it and what it has started when the task is cancelled.
    static func run(_ command: String, environment: [String: String]) async throws -> End {
        let isCancelled = Atomic(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A thread of its own: a command may take long, and threads of tasks are few.
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            try follow(command, environment) {
                                isCancelled.load(ordering: .relaxed)
                            }
                        }
                    )
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private static func follow(
        _ command: String,
        _ environment: [String: String],
        isCancelled: () -> Bool
    ) throws -> End {
        let shell = try systemSpawnShell(command, environment: environment)
        var status: CInt?
        var output: [UInt8] = []
        var isOpen = true
        var wantsTerminal = false
        while !isCancelled(), output.count <= limit, !wantsTerminal {
            // Before the output is looked at, so that nothing that came before the end is missed.
            if status == nil { status = systemExitStatus(of: shell.process) }
            if status == nil { wantsTerminal = systemWantsTerminal(shell.process) }
            let source = isOpen ? shell.output.rawValue : -1
            let bytes = try? systemRead(source, within: status == nil ? interval : 0)
            if let bytes {
                output += bytes
                isOpen = !bytes.isEmpty
            } else if let status {
                return End(status: status, output: output)
            }
        }
        stop(shell.process, hasEnded: status != nil)
        if isCancelled() { throw CancellationError() }
        if wantsTerminal { throw WantsTerminal() }
        throw TooMuch()
    }

    private static func stop(_ process: CInt, hasEnded: Bool) {
        var hasEnded = hasEnded
        /// Whether anything of the group is left.
        func look() -> Bool {
            // An ended child counts as one of its group until it was asked.
            if !hasEnded { hasEnded = systemExitStatus(of: process) != nil }
            return systemSignal(group: process, 0)
        }
        systemSignal(group: process, SIGTERM)
        wait { !look() }
        systemSignal(group: process, SIGKILL)
        // Not for ever: what has become another user's, by sudo, takes no signal from here.
        wait {
            _ = look()
            return hasEnded
        }
    }

    private static func wait(until isOver: () -> Bool) {
        let end = ContinuousClock.now + patience
        while !isOver(), .now < end { Thread.sleep(forTimeInterval: 0.02) }
    }
}
