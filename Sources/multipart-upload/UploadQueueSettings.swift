import Foundation
import MultipartEncoder
import MultipartTool
import MultipartUpload

/// Which queue a command works on, and how it sends.
final class QueueSettings {
    var directory: String?
    var authorizeCommand: String?
    var certificates: String?
    var isQuiet = false

    var options: [CommandOption] {
        [
            CommandOption(
                "--queue",
                ["DIRECTORY"],
                help:
                    "where uploads wait, closed to others (chmod 700);\na directory under ~/.local/state by default"
            ) { [self] values in directory = values[0] }
        ]
    }

    /// Further ones of the commands that send.
    var sendingOptions: [CommandOption] {
        [
            CommandOption(
                "--authorize-command",
                ["COMMAND"],
                help: "a shell command that prints header lines with credentials;\n"
                    + "run before every attempt, never stored"
            ) { [self] values in authorizeCommand = values[0] },
            CommandOption(
                "--cacert",
                ["PEM"],
                help: "certificates to trust instead of the system's"
            ) { [self] values in certificates = values[0] },
            CommandOption("--quiet", help: "no progress") { [self] _ in
                isQuiet = true
            },
        ]
    }

    /// The queue's directory.
    func path() throws(ToolError) -> String {
        if let directory {
            guard !directory.isEmpty else { throw .usage("--queue needs a name") }
            return directory
        }
        if let state = systemEnvironment("XDG_STATE_HOME"), state.hasPrefix("/") {
            return state + "/multipart/queue"
        }
        guard let home = systemEnvironment("HOME"), home.hasPrefix("/") else {
            throw .usage("there is no home directory; use --queue")
        }
        return home + "/.local/state/multipart/queue"
    }

    /// The queue's uploader.
    func uploader() throws(ToolError) -> Uploader {
        let directory = try path()
        try checkCertificates()
        do throws(UploadError) {
            return try open(directory)
        } catch {
            throw ToolError(error)
        }
    }

    /// The queue's uploader, once no other command has it, or until a signal comes.
    func uploaderInTurn() async throws(ToolError) -> Uploader {
        let directory = try path()
        try checkCertificates()
        var hasTold = false
        while systemInterruption() == nil {
            do throws(UploadError) {
                return try open(directory)
            } catch .queueIsInUse(let path) {
                if !hasTold {
                    let text = "another command works on this queue; waiting for its end"
                    try? systemWrite(standardError, "multipart: \(printable(path)): \(text)\n")
                    hasTold = true
                }
                try? await Task.sleep(for: .milliseconds(100))
            } catch {
                throw ToolError(error)
            }
        }
        try? systemWrite(standardError, "multipart: nothing was queued\n")
        throw .failure("stopped")
    }

    /// Makes sure that there is something to trust: for want of it, every upload would fail for good.
    private func checkCertificates() throws(ToolError) {
        guard let certificates else { return }
        let bytes = FileManager.default.contents(atPath: certificates)
        guard bytes?.range(of: Data("CERTIFICATE-----".utf8)) != nil else {
            throw .failure("\(certificates): there are no certificates in PEM form")
        }
    }

    private func open(_ directory: String) throws(UploadError) -> Uploader {
        let authorize = authorizeCommand.map { command -> Uploader.Authorize in
            { question in try await AuthorizeCommand.run(command, question) }
        }
        return try Uploader(directory: directory, transport: transport(), authorize: authorize)
    }

    private func transport() -> any UploadTransport {
        // What a server has to say to a person is more than an app wants to keep.
        CurlTransport(
            configuration: .init(
                certificateAuthorities: certificates,
                responseLimit: 16 * 1024 * 1024
            )
        )
    }
}
