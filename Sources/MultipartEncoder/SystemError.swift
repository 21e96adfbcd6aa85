/// A system call that failed: which one, and the `errno` it left behind.
public struct SystemError: Error, Hashable, Sendable {
    /// The call that failed.
    public let call: Call
    /// The value of `errno` right after it.
    public let code: CInt

    package init(call: Call, code: CInt) {
        self.call = call
        self.code = code
    }

    /// The system calls that this library makes.
    public enum Call: String, Hashable, Sendable {
        /// `open(2)`.
        case open
        /// `close(2)`.
        case close
        /// `read(2)`.
        case read
        /// `pread(2)`.
        case pread
        /// `write(2)`.
        case write
        /// `writev(2)`.
        case writev
        /// `copy_file_range(2)`.
        case copyFileRange = "copy_file_range"
        /// `sendfile(2)`.
        case sendfile
        /// `fstat(2)`.
        case fstat
        /// `fsync(2)`.
        case fsync
        /// `linkat(2)`.
        case linkat
        /// `rename(2)`.
        case rename
        /// `unlink(2)`.
        case unlink
        /// `dup(2)`.
        case dup
        /// `execv(3)`.
        case exec = "execv"
        /// `posix_spawn(3)`.
        case spawn = "posix_spawn"
        /// `poll(2)`.
        case poll
        /// `mmap(2)`.
        case mmap
        /// `flock(2)`.
        case flock
        /// `opendir(3)` and `readdir(3)`.
        case readDirectory = "opendir"
    }
}

extension SystemError: CustomStringConvertible {
    /// The call, the system's words for the error, and its number.
    public var description: String { "\(call.rawValue): \(systemErrorText(code)) (errno \(code))" }
}
