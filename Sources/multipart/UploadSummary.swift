/// What the commands that talk to servers are for, in the help of both programs.
enum UploadSummary {
    static let upload = "send parts or a body, surviving breaks and kills"
    static let resume = "finish the uploads of a queue"
    static let queue = "list the uploads of a queue"
}
