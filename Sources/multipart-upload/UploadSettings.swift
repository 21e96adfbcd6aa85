import Foundation
import MultipartEncoder
import MultipartUpload

/// What `multipart upload` was asked to do.
struct UploadSettings {
    var parts = PartList()
    var body: String?
    var contentType: String?
    var headers: [UploadHeader] = []
    var method = "POST"
    var retries = 7
    var deadline: Duration?
    var isResumable = false
    var sendsKey = true
    var queue = QueueSettings()

    static var options: [CommandOption<UploadSettings>] {
        PartList.options(at: \.parts).filter { $0.flag != "--header" } + [header] + requestOptions
            + QueueSettings.options(at: \.queue) + QueueSettings.sendingOptions(at: \.queue)
    }

    /// A header of the part before it, or of the request if no part came yet.
    private static var header: CommandOption<UploadSettings> {
        CommandOption(
            "--header",
            ["'Name: value'"],
            help: "before any part: a header of the request;\nafter one: a header of that part"
        ) { (settings, values) throws(ToolError) in
            guard settings.parts.count == 0 else {
                let option = PartList.options(at: \UploadSettings.parts)
                    .first { $0.flag == "--header" }
                try option?.apply(&settings, values)
                return
            }
            settings.headers.append(try requestHeader(values[0]))
        }
    }

    static var requestOptions: [CommandOption<UploadSettings>] {
        [
            CommandOption("--body", ["BODY"], help: "a finished body instead of parts") {
                (settings, values) in settings.body = values[0]
            },
            CommandOption("--content-type", ["TYPE"], help: "the type of that body") {
                (settings, values) in settings.contentType = values[0]
            },
            CommandOption("--method", ["METHOD"], help: "POST (the default), PUT or another") {
                (settings, values) in settings.method = values[0]
            },
            CommandOption(
                "--request-header",
                ["'Name: value'"],
                help: "a header of the request, wherever it stands"
            ) { (settings, values) throws(ToolError) in
                settings.headers.append(try requestHeader(values[0]))
            },
            CommandOption("--retries", ["N"], help: "further attempts after the first (7)") {
                (settings, values) throws(ToolError) in
                guard let number = Int(values[0]), (0...1000).contains(number) else {
                    throw .usage("--retries takes a number, not '\(values[0])'")
                }
                settings.retries = number
            },
            CommandOption(
                "--deadline",
                ["SECONDS"],
                help: "the longest time for each attempt, credentials included"
            ) {
                (settings, values) throws(ToolError) in
                guard let seconds = Double(values[0]), seconds > 0, seconds < 1e9 else {
                    throw .usage("--deadline takes seconds, not '\(values[0])'")
                }
                settings.deadline = .seconds(seconds)
            },
            CommandOption("--resumable", help: "go on where the server has it, if it can do that") {
                (settings, _) in settings.isResumable = true
            },
            CommandOption("--no-key", help: "no Idempotency-Key; a POST is then never repeated") {
                (settings, _) in settings.sendsKey = false
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
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw .usage("--header takes 'Name: value', not '\(text)'")
        }
        let value = text[text.utf8.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        return UploadHeader(String(text[..<colon]), value)
    }
}
