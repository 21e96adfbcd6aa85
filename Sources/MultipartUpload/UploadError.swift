/// Why an upload could not be queued, or the queue not be used.
public enum UploadError: Error, Hashable, Sendable {
    /// The address isn't `http` or `https`, has no host or no possible port, or holds a user name or
    /// a password.
    case unsupportedURL(String)
    /// A method that is no token, or one whose requests have no body.
    case unsupportedMethod(String)
    /// A header whose name is no token, or whose value has a control character.
    case malformedHeader(String)
    /// A header that the upload itself decides, such as `Content-Length`.
    case reservedHeader(String)
    /// A header that holds a secret: give it from the `authorize` closure, never to the queue.
    case secretHeader(String)
    /// The request brings a body of its own; the body is the spooled file.
    case requestHasBody
    /// The body's file isn't there.
    case bodyIsMissing(String)
    /// The body is a directory, a link, a pipe or another thing that isn't a plain file.
    case bodyIsNoFile(String)
    /// The system calls the body empty, and it isn't: a file of procfs, say.
    case bodyHasNoSize(String)
    /// The body's size in bytes isn't the one it had when it was finished.
    case bodyChanged(path: String, expected: Int64, found: Int64)
    /// Writing the form into the queue failed, in the encoder's words.
    case spoolingFailed(String)
    /// Another process, or another uploader of this one, works on the queue.
    case queueIsInUse(String)
    /// Something in the queue can't be trusted: a link, another owner, open permissions.
    case queueIsUnsafe(path: String, reason: String)
    /// The queue's bodies would grow beyond the limit, both in bytes.
    case quotaExceeded(needed: Int64, quota: Int64)
    /// The file system has too little room, both in bytes.
    case insufficientSpace(needed: Int64, available: Int64)
    /// No such upload is in the queue.
    case unknownUpload(UploadID)
    /// The upload can't be read or is of a version that isn't known here; it is left as it is.
    case uploadIsUnreadable(UploadID, reason: String)
    /// The upload was queued with credentials, and this uploader has no `authorize` to give any; it
    /// is left as it is.
    case needsCredentials(UploadID)
    /// A relative path, and a current directory that was removed.
    case noWorkingDirectory(String)
    /// A system call failed, with its `errno`.
    case system(call: String, code: Int32, path: String)
    /// The upload was cancelled.
    case cancelled
}

extension UploadError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .unsupportedURL(let url):
            "\(url): give an http or https address with a host, without user name and password;"
                + " a port is 1 to 65535"
        case .unsupportedMethod(let method): "a request with method \(method) can't have a body"
        case .malformedHeader(let name): "header \(name): a name or value with forbidden characters"
        case .reservedHeader(let name): "header \(name) is decided by the upload; leave it out"
        case .secretHeader(let name):
            "header \(name) would be written to the disk; give it at every attempt instead"
        case .requestHasBody: "the request has a body of its own; leave it out"
        case .bodyIsMissing(let path): "\(path): the body isn't there"
        case .bodyIsNoFile(let path): "\(path): the body isn't a plain file"
        case .bodyHasNoSize(let path):
            "\(path): the system doesn't tell how much is in it; send a copy, or its content as a part"
        case .bodyChanged(let path, let expected, let found):
            "\(path): the body has \(found) bytes, not the \(expected) it was finished with"
        case .spoolingFailed(let reason): "the form could not be written: \(reason)"
        case .queueIsInUse(let path):
            "\(path): another process works on this queue; try again when it has ended"
        case .queueIsUnsafe(let path, let reason): "\(path): \(reason)"
        case .quotaExceeded(let needed, let quota):
            "the queue would hold \(needed) bytes; its limit is \(quota)"
        case .insufficientSpace(let needed, let available):
            "\(needed) bytes are needed, \(available) are free"
        case .unknownUpload(let id): "\(id): no such upload in the queue"
        case .uploadIsUnreadable(let id, let reason): "\(id): \(reason); it is left as it is"
        case .needsCredentials(let id):
            "\(id): it was queued with credentials, which are never kept; open the queue with some"
        case .noWorkingDirectory(let path):
            "\(path): the current directory is gone; give a path that starts with /"
        case .system(let call, let code, let path):
            "\(path): \(call): \(systemErrorText(code))"
        case .cancelled: "the upload was cancelled"
        }
    }
}
