import CSystemCalls
import Foundation

// The only file of this module that calls libc. Every function throws `UploadError.system`.

/// An open file that is closed when its owner goes away.
struct OwnedDescriptor: ~Copyable {
    let rawValue: Int32

    init(adopting rawValue: Int32) { self.rawValue = rawValue }

    deinit { _ = close(rawValue) }
}

/// What the upload layer wants to know of a file.
struct FileStatus: Hashable {
    enum Kind { case file, directory, link, other }

    let kind: Kind
    let size: Int64
    let permissions: UInt32
    let owner: UInt32
    let device: UInt64
    let inode: UInt64

    fileprivate init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            default: .other
            }
        size = Int64(status.st_size)
        permissions = UInt32(status.st_mode) & 0o7777
        owner = UInt32(status.st_uid)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}

func systemErrorText(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

private func checked<Result: SignedInteger>(
    _ call: String,
    _ path: String,
    _ body: () -> Result
) throws(UploadError) -> Result {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno  // before anything else can change it
        guard code == EINTR else { throw .system(call: call, code: code, path: path) }
    }
}

/// A path that stays the same when the process changes its directory.
func systemAbsolute(_ path: String) throws(UploadError) -> String {
    guard !path.hasPrefix("/") else { return path }
    // Empty if it was removed: the path would start from the root then.
    let directory = FileManager.default.currentDirectoryPath
    guard !directory.isEmpty else { throw .noWorkingDirectory(path) }
    return "\(directory)/\(path)"
}

var systemUserID: UInt32 { UInt32(geteuid()) }

/// `nil` if there is nothing at the path.
///
/// A link in the last component isn't followed.
func systemStatus(_ path: String) throws(UploadError) -> FileStatus? {
    var status = stat()
    do throws(UploadError) {
        _ = try checked("lstat", path) { unsafe lstat(path, &status) }
    } catch .system(_, ENOENT, _) {
        return nil
    }
    return FileStatus(status)
}

func systemStatus(
    _ descriptor: borrowing OwnedDescriptor,
    path: String
) throws(UploadError)
    -> FileStatus
{
    var status = stat()
    let rawValue = descriptor.rawValue
    _ = try checked("fstat", path) { unsafe fstat(rawValue, &status) }
    return FileStatus(status)
}

/// Opens for reading.
///
/// A link in the last component is an error, and a pipe isn't waited for.
func systemOpen(reading path: String) throws(UploadError) -> OwnedDescriptor {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    return OwnedDescriptor(adopting: try checked("open", path) { unsafe open(path, flags) })
}

/// Creates a file that must not be there yet.
func systemCreate(_ path: String, permissions: UInt32) throws(UploadError) -> OwnedDescriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    return OwnedDescriptor(
        adopting: try checked("open", path) { unsafe open(path, flags, mode_t(permissions)) }
    )
}

/// Opens or creates the file that stands for the queue and locks it; `nil` if somebody else has it.
func systemLock(_ path: String) throws(UploadError) -> OwnedDescriptor? {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let descriptor = OwnedDescriptor(
        adopting: try checked("open", path) { unsafe open(path, flags, mode_t(0o600)) }
    )
    let rawValue = descriptor.rawValue
    do throws(UploadError) {
        _ = try checked("flock", path) { flock(rawValue, LOCK_EX | LOCK_NB) }
    } catch .system(_, EWOULDBLOCK, _) {
        return nil
    }
    return descriptor
}

func systemUnlock(_ descriptor: borrowing OwnedDescriptor) {
    _ = flock(descriptor.rawValue, LOCK_UN)
}

func systemMakeDirectory(_ path: String) throws(UploadError) {
    _ = try checked("mkdir", path) { unsafe mkdir(path, 0o700) }
}

func systemChangeMode(_ path: String, _ permissions: UInt32) throws(UploadError) {
    _ = try checked("chmod", path) { unsafe chmod(path, mode_t(permissions)) }
}

func systemRename(_ path: String, to target: String) throws(UploadError) {
    _ = try checked("rename", path) { unsafe rename(path, target) }
}

func systemLink(_ path: String, to target: String) throws(UploadError) {
    _ = try checked("link", path) { unsafe link(path, target) }
}

/// Removes a name; that there is none is fine.
func systemUnlink(_ path: String) throws(UploadError) {
    do throws(UploadError) {
        _ = try checked("unlink", path) { unsafe unlink(path) }
    } catch .system(_, ENOENT, _) {}
}

func systemRemoveDirectory(_ path: String) throws(UploadError) {
    do throws(UploadError) {
        _ = try checked("rmdir", path) { unsafe rmdir(path) }
    } catch .system(_, ENOENT, _) {}
}

/// Waits until a file's bytes or a directory's names are on the disk.
func systemSynchronize(_ path: String) throws(UploadError) {
    let descriptor = try systemOpen(reading: path)
    try systemSynchronize(descriptor, path: path)
}

func systemSynchronize(_ descriptor: borrowing OwnedDescriptor, path: String) throws(UploadError) {
    let rawValue = descriptor.rawValue
    _ = try checked("fsync", path) { fsync(rawValue) }
}

/// The names in a directory, without `.` and `..`, in no order.
func systemNames(in path: String) throws(UploadError) -> [String] {
    guard let stream = unsafe opendir(path) else {
        throw .system(call: "opendir", code: errno, path: path)
    }
    defer { unsafe _ = closedir(stream) }
    var names: [String] = []
    while true {
        errno = 0
        guard let entry = unsafe readdir(stream) else {
            guard errno == 0 else { throw .system(call: "readdir", code: errno, path: path) }
            return names
        }
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { text in
                unsafe String(cString: text)
            }
        }
        if name != ".", name != ".." { names.append(name) }
    }
}

func systemWrite(
    _ bytes: Data,
    to descriptor: borrowing OwnedDescriptor,
    path: String
) throws(UploadError) {
    let rawValue = descriptor.rawValue
    var written = 0
    while written < bytes.count {
        let start = written
        written += try checked("write", path) {
            unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                return unsafe write(rawValue, rest.baseAddress, rest.count)
            }
        }
    }
}

/// A whole small file.
///
/// A link is an error, and so is more than the limit.
func systemRead(_ path: String, limit: Int) throws(UploadError) -> Data {
    let descriptor = try systemOpen(reading: path)
    let rawValue = descriptor.rawValue
    var result = Data()
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
        let count = try checked("read", path) {
            unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe read(rawValue, bytes.baseAddress, bytes.count)
            }
        }
        if count == 0 { return result }
        result.append(contentsOf: buffer[..<count])
        guard result.count <= limit else { throw .system(call: "read", code: EFBIG, path: path) }
    }
}

/// Reads some bytes of a file; 0 at its end.
func systemRead(
    _ descriptor: Int32,
    at position: Int64,
    into bytes: UnsafeMutableRawBufferPointer
) throws(UploadError) -> Int {
    try checked("pread", "the body") {
        unsafe pread(descriptor, bytes.baseAddress, bytes.count, off_t(position))
    }
}

/// Whether nothing can be read from a file's start: a size of 0 can't be believed where the system
/// makes up the content, as in procfs.
func systemIsEmpty(
    _ descriptor: borrowing OwnedDescriptor,
    path: String
) throws(UploadError)
    -> Bool
{
    var byte: UInt8 = 0
    let rawValue = descriptor.rawValue
    return try checked("pread", path) { unsafe pread(rawValue, &byte, 1, 0) } == 0
}

/// Copies a file's bytes to the end of another, in the kernel where that works.
///
/// - Throws: ``UploadError/bodyChanged(path:expected:found:)`` if the source has fewer.
func systemCopy(
    from source: borrowing OwnedDescriptor,
    path sourcePath: String,
    at start: Int64 = 0,
    to target: borrowing OwnedDescriptor,
    path: String,
    count: Int64
) throws(UploadError) {
    let from = source.rawValue
    let to = target.rawValue
    var offset = start
    let end = start + count
    var inKernel = true
    var buffer = [UInt8](repeating: 0, count: 256 * 1024)
    while offset < end {
        let wanted = Int(min(end - offset, 1 << 30))
        if inKernel {
            let copied = unsafe csys_copy_file_range(from, &offset, to, wanted)
            if copied > 0 { continue }
            inKernel = false  // EXDEV, ENOSYS and the like: by hand from where it stopped
            continue
        }
        let position = offset
        let count = try checked("pread", sourcePath) {
            unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(from, bytes.baseAddress, min(bytes.count, wanted), off_t(position))
            }
        }
        guard count > 0 else {
            throw .bodyChanged(path: sourcePath, expected: end, found: offset)
        }
        try systemWrite(Data(buffer[..<count]), to: target, path: path)
        offset += Int64(count)
    }
}

/// Bytes that an ordinary user may still write to a path's file system.
func systemFreeSpace(_ path: String) throws(UploadError) -> Int64 {
    var status = statvfs()
    _ = try checked("statvfs", path) { unsafe statvfs(path, &status) }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
        by: UInt64(status.f_frsize)
    )
    return overflow ? .max : Int64(clamping: bytes)
}
