/// What the commands that talk to servers are for, in the help of both programs.
package enum UploadSummary {
    package static let upload = "send parts or a body, surviving breaks and kills"
    package static let resume = "finish the uploads of a queue"
    package static let queue = "list the uploads of a queue"
}
