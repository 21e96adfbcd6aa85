import Foundation
import MultipartEncoder
import MultipartTool
import MultipartUpload

/// `multipart upload`: parts or a finished body to a server, by way of a queue.
enum UploadCommand {
    static let help = """
        usage: multipart upload URL PART… [OPTION…]
               multipart upload URL --body BODY --content-type TYPE [OPTION…]

        Writes the parts as one body into a queue and sends it. If the command is killed,
        'multipart resume' with the same queue finishes its work. While another command works on
        the queue, it waits; with another --queue it need not. Prints the server's answer on
        standard output, and everything else on standard error.

        parts, each followed by the options that are about it:
        \(PartList().options.map(\.helpText).joined(separator: "\n"))

        options of the request:
        \(UploadSettings().requestOptions.map(\.helpText).joined(separator: "\n"))

        options of the queue:
        \(queueOptions.map(\.helpText).joined(separator: "\n"))

        Exit status: 0 when the server answered 2xx, 1 when it did not, 64 for wrong usage. Ctrl-C
        leaves in the queue what is complete, a second one ends the command at once; a shell says
        130 then.

        """

    private static var queueOptions: [CommandOption] {
        let queue = QueueSettings()
        return queue.options + queue.sendingOptions
    }

    static func run(_ arguments: Arguments) async throws(ToolError) {
        guard arguments.count > 0 else { throw .usage("the URL is missing") }
        let address = try arguments.text(at: 0)
        if address == "--help" || address == "-h" { return try Command.output(help) }
        guard !address.hasPrefix("-") else { throw .usage("the URL comes first") }
        let settings = UploadSettings()
        var parser = CommandParser(settings.options, arguments.rest)
        guard try parser.readAll() else { return try Command.output(help) }
        try await upload(UploadParts(arguments: arguments.rest), settings, to: address)
    }

    private static func upload(
        _ parts: UploadParts,
        _ settings: UploadSettings,
        to address: String
    ) async throws(ToolError) {
        let request = try settings.request(to: address)
        if settings.body == nil {
            try settings.parts.check()
            if settings.contentType != nil { throw .usage("--content-type is for --body") }
        } else {
            guard settings.parts.count == 0 else { throw .usage("--body is instead of parts") }
            guard settings.contentType != nil else { throw .usage("--content-type is missing") }
        }
        systemWatchInterruption(polling: true)
        let uploader = try await settings.queue.uploaderInTurn()
        let id = uploader.makeID()
        let watch = UploadWatch(uploader)
        defer { watch.stop() }
        let events = uploader.events(of: id)
        let isQuiet = settings.queue.isQuiet
        async let follower = follow(events, isQuiet: isQuiet)
        do throws(UploadError) {
            try await enqueue(parts, settings, request, uploader, id)
        } catch {
            _ = await follower
            throw ToolError(error)
        }
        switch await follower {
        case .finished(let outcome): try await report(outcome, of: id, uploader)
        case .needsCredentials(let reason):
            try? systemWrite(standardError, "multipart: \(printable(reason))\n")
            throw .failure(
                "the upload stays in the queue; 'multipart resume' with an --authorize-command that"
                    + " works goes on with it"
            )
        case .stopped:
            let hint = "the upload stays in the queue; 'multipart resume' goes on with it"
            try? systemWrite(standardError, "multipart: \(hint)\n")
            throw .failure("stopped")
        }
    }

    private static func enqueue(
        _ parts: UploadParts,
        _ settings: UploadSettings,
        _ request: UploadRequest,
        _ uploader: Uploader,
        _ id: UploadID
    ) async throws(UploadError) {
        if let body = settings.body {
            try await uploader.enqueue(
                fileAt: body,
                contentType: settings.contentType ?? "",
                contentLength: systemFileSize(body) ?? 0,
                to: request,
                keepsOriginal: true,
                as: id
            )
            return
        }
        let options = WritingOptions(progress: { _ in
            systemInterruption() == nil ? .proceed : .cancel
        })
        try await uploader.enqueue(
            to: request,
            as: id,
            options: options,
            expectedLength: parts.sourceSize
        ) { (writer) throws(MultipartError) in try parts.append(to: &writer) }
    }

    private static func follow(_ events: UploadEvents, isQuiet: Bool) async -> UploadProgress.End {
        var progress = UploadProgress(isQuiet: isQuiet)
        return await progress.follow(events)
    }

    private static func report(
        _ outcome: UploadOutcome,
        of id: UploadID,
        _ uploader: Uploader
    ) async throws(ToolError) {
        if let response = outcome.response {
            try? systemWrite(standardError, "multipart: the server answered \(response.status)\n")
            try standardOutputWrite(response.body)
        }
        // Only now has the outcome reached somebody.
        do throws(UploadError) {
            try await uploader.removeOutcome(of: id)
        } catch {
            let hint = "the queue couldn't be told, and 'multipart resume' may send it again"
            try? systemWrite(standardError, "multipart: \(printable(error.description)): \(hint)\n")
        }
        if let problem = outcome.problem { throw .failure(problem) }
    }

    private static func standardOutputWrite(_ body: Data) throws(ToolError) {
        do {
            try FileHandle.standardOutput.write(contentsOf: body)
        } catch {
            throw .failure("standard output: \(error.localizedDescription)")
        }
    }
}

extension UploadOutcome {
    /// What to tell a person, unless all is well.
    var problem: String? {
        switch self {
        case .delivered: nil
        case .rejected(let response): "the upload was refused with status \(response.status)"
        case .failed(let failure): failure.message
        case .cancelled: "the upload was cancelled"
        }
    }
}

extension ToolError {
    init(_ error: UploadError) {
        switch error {
        case .unsupportedURL, .unsupportedMethod, .malformedHeader, .reservedHeader, .secretHeader:
            self = .usage(error.description)
        default: self = .failure(error.description)
        }
    }
}

extension Command {
    static let upload = Command(
        name: "upload",
        summary: UploadSummary.upload
    ) { (arguments) throws(ToolError) in try await UploadCommand.run(arguments) }
}
