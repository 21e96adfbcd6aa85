// What only command-line tools ask of the system.
import CSystemCalls

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

package let standardInput: CInt = 0
package let standardOutput: CInt = 1
package let standardError: CInt = 2

/// How many arguments the process has, its name included.
package func systemArgumentCount() -> Int {
    #if canImport(Musl)
    Int(CommandLine.argc)
    #else
    Int(csys_argument_count())
    #endif
}

/// An argument of the process, the first being its name; `nil` for one that is no UTF-8, which
/// would otherwise be repaired in silence.
package func systemArgument(_ index: Int) -> String? {
    precondition(index >= 0 && index < systemArgumentCount(), "no such argument")
    #if canImport(Musl)
    return unsafe CommandLine.unsafeArgv[index].flatMap { unsafe String(validatingCString: $0) }
    #else
    return unsafe String(validatingCString: csys_argument(CInt(index)))
    #endif
}

/// The value of an environment variable.
package func systemEnvironment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
}

/// Puts what can't be used in place of standard streams that are closed, lest the next file that is
/// opened gets what is meant for them.
package func systemOccupyStandardDescriptors() {
    for descriptor in CInt(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
        // Takes the lowest number that is free, so this one.
        _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
}

package func systemIsTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

/// Writes all of a text.
package func systemWrite(_ descriptor: CInt, _ text: String) throws(SystemError) {
    let bytes = ContiguousArray(text.utf8)
    var written = 0
    while written < bytes.count {
        written += try systemWrite(descriptor, bytes.span.extracting(droppingFirst: written))
    }
}

/// Whether there is something at a path that a new file must not take the place of: a directory, a
/// device, a FIFO or a socket.
package func systemIsSpecial(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    let kind = status.st_mode & S_IFMT
    return kind != S_IFREG && kind != S_IFLNK
}

/// Goes on as another program in the same directory, with the same arguments; returns only where
/// that can't be.
package func systemBecomeSibling(_ name: String) -> SystemError {
    _ = unsafe csys_become_sibling(name, CommandLine.unsafeArgv)
    return SystemError(call: .exec, code: errno)
}

package func systemExit(_ status: CInt) -> Never { exit(status) }

/// From now on a signal that would end the process is only remembered; a second one ends it.
///
/// - Parameter polling: Whether input is read on another thread than the main one, which gets the
///   signals. It costs a system call a read.
package func systemWatchInterruption(polling: Bool = false) { csys_watch_interruption(polling) }

/// The signal that was remembered.
package func systemInterruption() -> CInt? {
    let signal = csys_interruption()
    return signal == 0 ? nil : signal
}

/// Ends the process as the signal would have done.
package func systemDie(of signal: CInt) -> Never {
    csys_die_of(signal)
    exit(128 + signal)  // a container's first process does not die of signals
}

/// Sends a signal to every process of a group, 0 for none; `false` where no process is left.
@discardableResult
package func systemSignal(group: CInt, _ signal: CInt) -> Bool { kill(-group, signal) == 0 }

/// A shell command that runs, the first process of a group that has its number.
package struct RunningShell: ~Copyable {
    package let process: CInt
    /// What it prints.
    package let output: OwnedDescriptor
}

/// Starts a shell command with nothing to read; it gets no descriptor but standard error.
package func systemSpawnShell(
    _ command: String,
    environment: [String: String]
) throws(SystemError) -> RunningShell {
    let variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer { for index in unsafe variables.indices { unsafe free(variables[index]) } }
    var output: CInt = -1
    let process = unsafe csys_spawn_shell(command, variables, &output)
    guard process > 0 else { throw SystemError(call: .spawn, code: errno) }
    return RunningShell(process: process, output: OwnedDescriptor(adopting: output))
}

/// The exit status of a child, 128 and more for a signal; `nil` while it runs.
///
/// To be asked until it has ended, and no more: its number may be another's then.
package func systemExitStatus(of child: CInt) -> CInt? {
    let status = csys_exit_status(child)
    return status < 0 ? nil : status
}

/// Whether a child that runs was stopped, for good, because it asked the terminal for something.
package func systemWantsTerminal(_ child: CInt) -> Bool { csys_wants_terminal(child) }

/// What can be read from a non-blocking descriptor within a time, none at its end; `nil` if nothing
/// came, as from no descriptor, -1.
package func systemRead(
    _ descriptor: CInt,
    within milliseconds: CInt
) throws(SystemError) -> [UInt8]? {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wanted, 1, milliseconds) > 0 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    guard count >= 0 else {
        let code = errno
        guard code == EINTR || code == EAGAIN else { throw SystemError(call: .read, code: code) }
        return nil
    }
    return Array(buffer[..<count])
}

/// Says what is to be written to standard error, with the process's end, when a mapped file is
/// shortened under its reader's hands; `nil` from when none is mapped any more.
package func systemWatchMappedInput(_ message: String?) {
    unsafe csys_watch_mapped_input(message)
}

/// A file's size in bytes, or `nil` where there is none.
package func systemFileSize(_ path: String) -> Int64? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Int64(status.st_size)
}

/// The most memory that this process has had resident so far, in KiB, files that are mapped
/// included; `nil` where the system doesn't tell.
package func systemPeakMemory() -> Int? {
    #if canImport(Darwin)
    var usage = rusage()
    guard unsafe getrusage(RUSAGE_SELF, &usage) == 0 else { return nil }
    return Int(usage.ru_maxrss) / 1024
    #else
    // Not getrusage(2), whose figure starts with that of the process this one was forked from.
    guard let status = try? systemOpen(reading: "/proc/self/status") else { return nil }
    var buffer = ByteBuffer(capacity: 16 * 1024)
    guard (try? systemRead(status.rawValue, into: &buffer, atMost: .max)) != nil else { return nil }
    let bytes = buffer.bytes
    let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
        Int($0)
    }
    #endif
}
