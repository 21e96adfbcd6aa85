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
        is not kept: give it again, as a server's refusal ends an upload.

        options:
        \(options(QueueSettings()).map(\.helpText).joined(separator: "\n"))

        Exit status: 0 when every upload was answered with 2xx, 1 when one was not.

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
        var unreadable = 0
        for item in items where item.state != .paused {
            if case .unreadable(let reason) = item.state {
                unreadable += 1
                try? systemWrite(standardError, "multipart: \(item.id): \(printable(reason))\n")
                continue
            }
            guard let outcome = await outcome(of: item, uploader, settings) else {
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
        if unreadable > 0 { throw .failure("unreadable uploads, left as they are: \(unreadable)") }
        if failures > 0 { throw .failure("uploads that were not delivered: \(failures)") }
    }

    private static func outcome(
        of item: Uploader.Item,
        _ uploader: Uploader,
        _ settings: QueueSettings
    ) async -> UploadOutcome? {
        var progress = UploadProgress(label: item.id.text, isQuiet: settings.isQuiet)
        for await event in uploader.events(of: item.id) {
            progress.show(event)
            if case .finished(let outcome) = event { return outcome }
        }
        progress.clear()
        return uploader.outcome(of: item.id)
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
