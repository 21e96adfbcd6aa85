import Foundation
import MultipartEncoder
import MultipartTool
import MultipartUpload

/// `multipart queue`: what is in a queue.
enum QueueCommand {
    static let help = """
        usage: multipart queue [OPTION…]

        Prints a JSON object a line for each upload in a queue, oldest first: id, state, url,
        contentLength, attempts, problem, needsCredentials (whether 'multipart resume' wants an
        --authorize-command for it). Another command may be working on the queue. What is
        unreadable, or of a later version, is left as it is.

        options:
        \(QueueSettings().options.map(\.helpText).joined(separator: "\n"))

        """

    static func run(_ arguments: Arguments) throws(ToolError) {
        let settings = QueueSettings()
        var parser = CommandParser(settings.options, arguments)
        guard try parser.readAll() else { return try Command.output(help) }
        try list(try settings.path())
    }

    private static func list(_ path: String) throws(ToolError) {
        do throws(UploadError) {
            for item in try Uploader.items(in: path) {
                try? systemWrite(standardOutput, line(item) + "\n")
            }
        } catch .system(_, ENOENT, _) {
            return  // a queue that nobody used is empty
        } catch {
            throw ToolError(error)
        }
    }

    private static func line(_ item: Uploader.Item) -> String {
        let state: String
        var problem = item.lastProblem
        switch item.state {
        case .pending: state = "pending"
        case .sending: state = "sending"
        case .paused: state = "paused"
        case .ended(let outcome):
            state = outcome.isDelivered ? "delivered" : "ended"
            problem = outcome.problem
        case .unreadable(let reason):
            state = "unreadable"
            problem = reason
        }
        return JSONText.object([
            ("id", .string(item.id.text)),
            ("state", .string(state)),
            ("url", .optional(item.url?.absoluteString)),
            ("contentLength", item.contentLength.map { .integer($0) } ?? .null),
            ("attempts", .integer(Int64(item.attempts))),
            ("problem", .optional(problem)),
            ("needsCredentials", .bool(item.needsCredentials)),
        ]).text
    }
}

extension Command {
    static let queue = Command(
        name: "queue",
        summary: UploadSummary.queue
    ) { (arguments) throws(ToolError) in try QueueCommand.run(arguments) }
}
