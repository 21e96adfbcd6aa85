// The only file, with its `+Tool` part, that talks to the C library. Every wrapper restarts after a
// signal, unless a tool has asked to be interrupted, and turns `errno` into a `SystemError`.
import CSystemCalls

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What `fstat(2)` tells about a file that matters here.
package struct FileStatus: Hashable {
    package let isRegular: Bool
    package let size: Int64
    let device: UInt64
    let inode: UInt64
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
}

/// What would be cut off at its NUL in C is no path, and would name another file.
private func withoutNUL(_ path: String) throws(SystemError) -> String {
    guard !path.utf8.contains(0) else { throw SystemError(call: .open, code: EINVAL) }
    return path
}

private func retrying<Result: SignedInteger>(
    _ call: SystemError.Call,
    _ body: () -> Result
) throws(SystemError) -> Result {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno  // before anything else can change it
        guard code == EINTR, csys_interruption() == 0 else {
            throw SystemError(call: call, code: code)
        }
    }
}

/// As `retrying`, but waits where a descriptor is in non-blocking mode.
private func waiting(
    _ call: SystemError.Call,
    on descriptor: CInt,
    for events: Int32,
    _ body: () -> Int
) throws(SystemError) -> Int {
    while true {
        do {
            return try retrying(call, body)
        } catch  where error.code == EAGAIN || error.code == EWOULDBLOCK {
            var wanted = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            _ = try retrying(.poll) { unsafe poll(&wanted, 1, -1) }
        }
    }
}

package func systemErrorText(_ code: CInt) -> String {
    unsafe String(cString: strerror(code))
}

package func systemOpen(reading path: String) throws(SystemError) -> OwnedDescriptor {
    // Non-blocking, so that a FIFO without a writer is refused and not waited for.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let path = try withoutNUL(path)
    return OwnedDescriptor(adopting: try retrying(.open) { unsafe open(path, flags) })
}

package func systemOpen(directory path: String) throws(SystemError) -> OwnedDescriptor {
    let flags = O_RDONLY | O_CLOEXEC | O_DIRECTORY
    let path = try withoutNUL(path)
    return OwnedDescriptor(adopting: try retrying(.open) { unsafe open(path, flags) })
}

/// Creates a file that must not exist yet, for its owner only.
package func systemCreate(_ path: String) throws(SystemError) -> OwnedDescriptor {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let path = try withoutNUL(path)
    return OwnedDescriptor(adopting: try retrying(.open) { unsafe open(path, flags, 0o600) })
}

/// Creates a file without a name, or `nil` where the system or file system can't, or where the
/// file could not be given a name later.
package func systemCreateNameless(in directory: String) throws(SystemError) -> OwnedDescriptor? {
    let directory = try withoutNUL(directory)
    let descriptor = unsafe csys_open_nameless(directory, 0o600)
    if descriptor >= 0 {
        let owned = OwnedDescriptor(adopting: descriptor)
        guard unsafe access("/proc/self/fd/\(descriptor)", F_OK) == 0 else { return nil }
        return consume owned
    }
    let code = errno
    switch code {
    // open(2): EISDIR and ENOENT come from kernels, EOPNOTSUPP from file systems without it.
    case EOPNOTSUPP, ENOSYS, EISDIR, EINVAL, ENOENT: return nil
    default: throw SystemError(call: .open, code: code)
    }
}

/// Gives a nameless file a name that must not exist yet.
package func systemLink(nameless descriptor: CInt, to path: String) throws(SystemError) {
    let source = "/proc/self/fd/\(descriptor)"
    let path = try withoutNUL(path)
    _ = try retrying(.linkat) {
        unsafe linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW)
    }
}

/// Gives a file a second name that must not exist yet.
package func systemLink(_ source: String, to path: String) throws(SystemError) {
    let path = try withoutNUL(path)
    _ = try retrying(.linkat) { unsafe linkat(AT_FDCWD, source, AT_FDCWD, path, 0) }
}

package func systemRename(_ source: String, to path: String) throws(SystemError) {
    let path = try withoutNUL(path)
    _ = try retrying(.rename) { unsafe rename(source, path) }
}

package func systemUnlink(_ path: String) throws(SystemError) {
    _ = try retrying(.unlink) { unsafe unlink(path) }
}

/// Never restarted: after `EINTR` the descriptor is gone on Linux.
package func systemClose(_ descriptor: CInt) throws(SystemError) {
    guard close(descriptor) != 0 else { return }
    let code = errno
    guard code == EINTR else { throw SystemError(call: .close, code: code) }
}

package func systemDuplicate(_ descriptor: CInt) throws(SystemError) -> OwnedDescriptor {
    let copy = try retrying(.dup) { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    return OwnedDescriptor(adopting: copy)
}

package func systemSync(_ descriptor: CInt) throws(SystemError) {
    _ = try retrying(.fsync) { fsync(descriptor) }
}

/// Takes the lock that says "its maker is alive"; `false` where somebody else has it.
package func systemLock(_ descriptor: CInt) throws(SystemError) -> Bool {
    do {
        _ = try retrying(.flock) { flock(descriptor, LOCK_EX | LOCK_NB) }
        return true
    } catch  where error.code == EWOULDBLOCK {
        return false
    }
}

/// Whether nothing can be read from a file's start.
package func systemIsEmpty(_ descriptor: CInt) throws(SystemError) -> Bool {
    var byte: UInt8 = 0
    return try retrying(.pread) { unsafe pread(descriptor, &byte, 1, 0) } == 0
}

/// How many names a file has.
package func systemNameCount(_ descriptor: CInt) throws(SystemError) -> Int {
    var status = stat()
    _ = try retrying(.fstat) { unsafe fstat(descriptor, &status) }
    return Int(status.st_nlink)
}

package func systemStatus(_ descriptor: CInt) throws(SystemError) -> FileStatus {
    var status = stat()
    _ = try retrying(.fstat) { unsafe fstat(descriptor, &status) }
    #if canImport(Darwin)
    let modified = status.st_mtimespec
    #else
    let modified = status.st_mtim
    #endif
    return FileStatus(
        isRegular: status.st_mode & S_IFMT == S_IFREG,
        size: Int64(status.st_size),
        device: UInt64(truncatingIfNeeded: status.st_dev),
        inode: UInt64(status.st_ino),
        modifiedSeconds: Int64(modified.tv_sec),
        modifiedNanoseconds: Int64(modified.tv_nsec)
    )
}

/// Writes some of the bytes; returns how many.
package func systemWrite(
    _ descriptor: CInt,
    _ bytes: Span<UInt8>
) throws(SystemError) -> Int {
    try waiting(.write, on: descriptor, for: POLLOUT) {
        unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
}

/// Writes some of two pieces of memory, one after the other; returns how many bytes.
package func systemWrite(
    _ descriptor: CInt,
    _ first: Span<UInt8>,
    _ second: Span<UInt8>
) throws(SystemError) -> Int {
    try waiting(.writev, on: descriptor, for: POLLOUT) {
        unsafe first.withUnsafeBytes { first in
            unsafe second.withUnsafeBytes { second in
                let vectors = unsafe [
                    iovec(iov_base: .init(mutating: first.baseAddress), iov_len: first.count),
                    iovec(iov_base: .init(mutating: second.baseAddress), iov_len: second.count),
                ]
                return unsafe writev(descriptor, vectors, 2)
            }
        }
    }
}

/// Waits for something to read, where a tool has said that its signals may come to another thread
/// than this one, whose read would not end then.
private func waitForInput(_ descriptor: CInt) throws(SystemError) {
    guard csys_polls_interruption() else { return }
    while csys_interruption() == 0 {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if try retrying(.poll, { unsafe poll(&wanted, 1, 200) }) > 0 { return }
    }
    throw SystemError(call: .read, code: EINTR)
}

/// Reads into the room of a buffer, at most `limit` bytes; 0 is the end.
package func systemRead(
    _ descriptor: CInt,
    into buffer: inout ByteBuffer,
    atMost limit: Int
) throws(SystemError) -> Int {
    try waitForInput(descriptor)
    return try unsafe buffer.fill { (room) throws(SystemError) in
        try waiting(.read, on: descriptor, for: POLLIN) {
            unsafe read(descriptor, room.baseAddress, min(limit, room.count))
        }
    }
}

/// As `systemRead`, from a given offset of a file.
package func systemRead(
    _ descriptor: CInt,
    at offset: Int64,
    into buffer: inout ByteBuffer,
    atMost limit: Int
) throws(SystemError) -> Int {
    try unsafe buffer.fill { (room) throws(SystemError) in
        try retrying(.pread) {
            unsafe pread(descriptor, room.baseAddress, min(limit, room.count), off_t(offset))
        }
    }
}

/// Lets the kernel copy between two files; returns how many bytes, or `nil` where it can't.
package func systemCopyRange(
    from source: CInt,
    at offset: Int64,
    to target: CInt,
    count: Int
) throws(SystemError) -> Int? {
    var position = offset
    do {
        return try retrying(.copyFileRange) {
            unsafe csys_copy_file_range(source, &position, target, count)
        }
    } catch {
        // EXDEV and EINVAL: file systems that can't; EBADF: O_APPEND; EPERM, ETXTBSY: swap files.
        switch error.code {
        case EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EBADF, EPERM, ETXTBSY, EISDIR: return nil
        default: throw error
        }
    }
}

/// Lets the kernel copy from a file to anything; returns how many bytes, or `nil` where it can't.
package func systemSendFile(
    from source: CInt,
    at offset: Int64,
    to target: CInt,
    count: Int
) throws(SystemError) -> Int? {
    var position = offset
    do {
        return try waiting(.sendfile, on: target, for: POLLOUT) {
            unsafe csys_sendfile(target, source, &position, count)
        }
    } catch {
        switch error.code {
        case EINVAL, ENOSYS, EOPNOTSUPP: return nil
        default: throw error
        }
    }
}

/// Copies between files with reading and writing at the same time; returns how many bytes, or
/// `nil` where there is no thread or memory for it.
package func systemCopyOverlapped(
    from source: CInt,
    at offset: Int64,
    to target: CInt,
    count: Int
) throws(SystemError) -> Int? {
    let result = csys_copy_overlapped(source, offset, target, count)
    if result.unable { return nil }
    guard result.read_error == 0 else { throw SystemError(call: .pread, code: result.read_error) }
    guard result.write_error == 0 else {
        throw SystemError(call: .write, code: result.write_error)
    }
    return Int(result.copied)
}

/// Whether writing to a file takes less time where its blocks are there already, and more than so
/// many bytes are free for everybody.
package func systemGainsFromRoom(_ descriptor: CInt, leaving spare: Int64) -> Bool {
    csys_gains_from_room(descriptor, spare)
}

/// Gives a file its blocks from one byte to another, without making it longer; `false` if it has
/// got none.
package func systemMakeRoom(_ descriptor: CInt, from start: Int64, to end: Int64) -> Bool {
    csys_make_room(descriptor, start, end - start) == 0
}

/// Takes a file's blocks behind its last byte away; should that fail, they do no harm.
package func systemGiveBackRoom(_ descriptor: CInt, behind count: Int64) {
    _ = ftruncate(descriptor, off_t(count))
}

/// Where a descriptor stands in its file; `nil` for a pipe or socket.
package func systemPosition(_ descriptor: CInt) -> Int64? {
    let position = lseek(descriptor, 0, SEEK_CUR)
    return position < 0 ? nil : Int64(position)
}

/// Where `needle` first occurs in `bytes`, or `nil`.
package func systemFind(_ needle: Span<UInt8>, in bytes: Span<UInt8>) -> Int? {
    unsafe needle.withUnsafeBytes { needle in
        unsafe bytes.withUnsafeBytes { bytes -> Int? in
            guard let start = bytes.baseAddress, let wanted = needle.baseAddress else { return nil }
            let found = unsafe csys_find(start, bytes.count, wanted, needle.count)
            return unsafe found.map { unsafe UnsafeRawPointer($0) - start }
        }
    }
}

/// The names in a directory, without `.` and `..`, in no particular order.
package func systemNames(inDirectory path: String) throws(SystemError) -> [String] {
    guard let directory = unsafe opendir(path) else {
        throw SystemError(call: .readDirectory, code: errno)
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
            unsafe tuple.withMemoryRebound(
                to: CChar.self,
                capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)
            ) { unsafe String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names
}

extension SystemError {
    /// Whether a copy between two files failed for the one that was written.
    var isAboutOutput: Bool {
        switch code {
        case ENOSPC, EDQUOT, EFBIG, EPIPE, EROFS, ECONNRESET, ENOTCONN, ETIMEDOUT: true
        default: false
        }
    }

    /// Whether the file system has no second names for files, as FAT.
    var isAboutLinks: Bool {
        switch code {
        case EPERM, EOPNOTSUPP, ENOSYS, EMLINK: true
        default: false
        }
    }

    /// Whether the file system can't do that with a directory.
    var isAboutDirectories: Bool { code == EINVAL }
}

/// Unpredictable numbers by a single system call; at most 32, what one call always gives in full.
package func systemRandomNumbers(_ count: Int) -> ContiguousArray<UInt64> {
    precondition(count <= 32, "too many random numbers at once")
    return unsafe ContiguousArray(unsafeUninitializedCapacity: count) { numbers, filled in
        let size = count * MemoryLayout<UInt64>.size
        #if canImport(Darwin)
        unsafe arc4random_buf(numbers.baseAddress, size)
        #else
        let status = unsafe numbers.baseAddress.map { unsafe getentropy($0, size) } ?? 0
        // As Swift's own generator does: to go on with what can be guessed is worse.
        precondition(status == 0, "the system has no random numbers: \(systemErrorText(errno))")
        #endif
        filled = count
    }
}

/// How many processors there are to run threads on, at least 1.
package func systemProcessorCount() -> Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }
