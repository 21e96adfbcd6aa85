import Foundation
import MultipartEncoder
import MultipartTool
import MultipartUpload

/// What `multipart upload` was asked to do.
final class UploadSettings {
    let parts = PartList()
    var body: String?
    var contentType: String?
    var headers: [UploadHeader] = []
    var method = "POST"
    var retries = 7
    var deadline: Duration?
    var isResumable = false
    var sendsKey = true
    let queue = QueueSettings()

    var options: [CommandOption] {
        parts.options.filter { $0.flag != "--header" } + [header] + requestOptions + queue.options
            + queue.sendingOptions
    }

    /// A header of the part before it, or of the request if no part came yet.
    private var header: CommandOption {
        let ofPart = parts.options.first { $0.flag == "--header" }
        return CommandOption(
            "--header",
            ["'Name: value'"],
            help: "before any part: a header of the request;\nafter one: a header of that part"
        ) { [self] (values) throws(ToolError) in
            guard parts.count == 0 else {
                try ofPart?.apply(values)
                return
            }
            headers.append(try Self.requestHeader(values[0]))
        }
    }

    var requestOptions: [CommandOption] {
        [
            CommandOption("--body", ["BODY"], help: "a finished body instead of parts") {
                [self] values in body = values[0]
            },
            CommandOption("--content-type", ["TYPE"], help: "the type of that body") {
                [self] values in contentType = values[0]
            },
            CommandOption("--method", ["METHOD"], help: "POST (the default), PUT or another") {
                [self] values in method = values[0]
            },
            CommandOption(
                "--request-header",
                ["'Name: value'"],
                help: "a header of the request, wherever it stands"
            ) { [self] (values) throws(ToolError) in
                headers.append(try Self.requestHeader(values[0]))
            },
            CommandOption("--retries", ["N"], help: "further attempts after the first (7)") {
                [self] (values) throws(ToolError) in
                guard let number = Int(values[0]), (0...1000).contains(number) else {
                    throw .usage("--retries takes a number, not '\(values[0])'")
                }
                retries = number
            },
            CommandOption(
                "--deadline",
                ["SECONDS"],
                help: "the longest time for each attempt, credentials included"
            ) {
                [self] (values) throws(ToolError) in
                guard let seconds = Double(values[0]), seconds > 0, seconds < 1e9 else {
                    throw .usage("--deadline takes seconds, not '\(values[0])'")
                }
                deadline = .seconds(seconds)
            },
            CommandOption("--resumable", help: "go on where the server has it, if it can do that") {
                [self] _ in isResumable = true
            },
            CommandOption("--no-key", help: "no Idempotency-Key; a POST is then never repeated") {
                [self] _ in sendsKey = false
            },
        ]
    }

    /// The request, which has nothing wrong with it.
    func request(to address: String) throws(ToolError) -> UploadRequest {
        guard let url = URL(string: address) else { throw .usage("'\(address)' is no URL") }
        let request = UploadRequest(
            url: url,
            method: method,
            headers: headers,
            isResumable: isResumable,
            sendsIdempotencyKey: sendsKey,
            attemptDeadline: deadline,
            retryPolicy: RetryPolicy(maximumAttempts: retries + 1)
        )
        do throws(UploadError) {
            try request.validate()
        } catch {
            throw ToolError(error)
        }
        return request
    }

    private static func requestHeader(_ text: String) throws(ToolError) -> UploadHeader {
        guard let line = HeaderLine(text[...]) else {
            throw .usage("--header takes 'Name: value', not '\(text)'")
        }
        return UploadHeader(line.name, line.value)
    }
}
