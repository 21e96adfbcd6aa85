import MultipartTool

extension Command {
    /// What this program can be asked for, by the tool that is called `multipart`.
    static let all: [Command] = [.upload, .resume, .queue]
}
