import MultipartEncoder
import MultipartTool

extension Command {
    /// What the tool can be asked for.
    static let all: [Command] = [
        .encode, .inspect,
        .delegated("upload", UploadSummary.upload),
        .delegated("resume", UploadSummary.resume),
        .delegated("queue", UploadSummary.queue),
    ]

    /// A command that talks to servers.
    ///
    /// Those are a program of their own beside this one, so that encoding does not carry Foundation
    /// and libcurl along, which take more memory than all the rest.
    private static func delegated(_ name: String, _ summary: String) -> Command {
        Command(name: name, summary: summary) { (_) throws(ToolError) in
            let error = systemBecomeSibling("multipart-upload")
            throw .failure("multipart-upload, which belongs beside this program: \(error)")
        }
    }
}
