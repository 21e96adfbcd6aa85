import Foundation

// What tests ask of the system with pointers, in one place.

/// Makes a FIFO that nobody has open.
func makeFIFO(_ path: String) -> Bool { unsafe mkfifo(path, 0o600) == 0 }

/// Gives the process's files a size limit, without dying of it.
func limitFileSize(to bytes: Int) -> Bool {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    return unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
}

/// Interrupts the process's system calls again and again, as a profiler or debugger does.
func interruptEveryMillisecond() {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    unsafe sigaction(SIGALRM, &action, nil)
    ualarm(1000, 1000)
}

/// Two ends of a socket.
func makeSocketPair() -> (CInt, CInt)? {
    var ends: [CInt] = [0, 0]
    guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
    return (ends[0], ends[1])
}

/// Makes writing to a pipe without a reader an error instead of the end.
func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

/// What `stat` says about the last component itself.
func mode(of path: String) -> mode_t? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return status.st_mode
}

/// Opens as `open` does.
func openDescriptor(_ path: String, _ flags: CInt) -> CInt { unsafe open(path, flags, 0o600) }

/// Writes to an open descriptor.
func writeBytes(_ bytes: [UInt8], to descriptor: CInt) -> Int {
    unsafe write(descriptor, bytes, bytes.count)
}

/// Runs a program of the system; whether it succeeded.
func runs(_ program: String, _ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}
