import Foundation
import MultipartEncoder
import MultipartTool
import MultipartUpload

/// `multipart resume`: finishes what is in a queue.
enum ResumeCommand {
    static let help = """
        usage: multipart resume [OPTION…]

        Continues every upload in a queue that isn't paused, and prints a JSON object a line for
        each one that has ended: id, outcome, status, response. The command for credentials
        is not kept: without it, uploads that were queued with one stay in the queue. Those that
        were queued without one are sent without.

        options:
        \(options(QueueSettings()).map(\.helpText).joined(separator: "\n"))

        Exit status: 0 when every upload was answered with 2xx, 1 when one was not, or stays in
        the queue.

        """

    private static func options(_ settings: QueueSettings) -> [CommandOption] {
        settings.options + settings.sendingOptions
    }

    static func run(_ arguments: Arguments) async throws(ToolError) {
        let settings = QueueSettings()
        var parser = CommandParser(options(settings), arguments)
        guard try parser.readAll() else { return try Command.output(help) }
        try await resume(settings)
    }

    private static func resume(_ settings: QueueSettings) async throws(ToolError) {
        let uploader = try settings.uploader()
        systemWatchInterruption()
        let watch = UploadWatch(uploader)
        defer { watch.stop() }
        let items: [Uploader.Item]
        do throws(UploadError) {
            items = try uploader.items()
        } catch {
            throw ToolError(error)
        }
        await uploader.resume()
        var failures = 0
        var left = 0
        var waiting = 0
        var unreadable = 0
        for item in items where item.state != .paused {
            if case .unreadable(let reason) = item.state {
                unreadable += 1
                try? systemWrite(standardError, "multipart: \(item.id): \(printable(reason))\n")
                continue
            }
            let outcome: UploadOutcome
            switch await end(of: item, uploader, settings) {
            case .finished(let reached): outcome = reached
            case .needsCredentials(let reason):
                waiting += 1
                try? systemWrite(standardError, "multipart: \(item.id): \(printable(reason))\n")
                continue
            case .stopped:
                left += 1
                continue
            }
            try Command.output(line(item.id, outcome) + "\n")
            try? await uploader.removeOutcome(of: item.id)
            if let problem = outcome.problem {
                failures += 1
                try? systemWrite(standardError, "multipart: \(item.id): \(printable(problem))\n")
            }
        }
        if left > 0 { throw .failure("stopped; uploads left in the queue: \(left)") }
        if waiting > 0 {
            throw .failure(
                "uploads that wait for credentials: \(waiting); give the --authorize-command for them"
            )
        }
        if unreadable > 0 { throw .failure("unreadable uploads, left as they are: \(unreadable)") }
        if failures > 0 { throw .failure("uploads that were not delivered: \(failures)") }
    }

    private static func end(
        of item: Uploader.Item,
        _ uploader: Uploader,
        _ settings: QueueSettings
    ) async -> UploadProgress.End {
        var progress = UploadProgress(label: item.id.text, isQuiet: settings.isQuiet)
        let end = await progress.follow(uploader.events(of: item.id))
        guard case .stopped = end, let outcome = uploader.outcome(of: item.id) else { return end }
        return .finished(outcome)
    }

    private static func line(_ id: UploadID, _ outcome: UploadOutcome) -> String {
        let name =
            switch outcome {
            case .delivered: "delivered"
            case .rejected: "rejected"
            case .failed: "failed"
            case .cancelled: "cancelled"
            }
        let response = outcome.response
        return JSONText.object([
            ("id", .string(id.text)),
            ("outcome", .string(name)),
            ("status", response.map { .integer(Int64($0.status)) } ?? .null),
            ("response", .optional(response.map { String(decoding: $0.body, as: UTF8.self) })),
            ("problem", .optional(outcome.problem)),
        ]).text
    }
}

extension Command {
    static let resume = Command(
        name: "resume",
        summary: UploadSummary.resume
    ) { (arguments) throws(ToolError) in try await ResumeCommand.run(arguments) }
}
