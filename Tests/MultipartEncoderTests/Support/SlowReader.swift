import Foundation
import Testing

/// Reads a few bytes at a time from the smallest pipe or socket there is.
final class SlowReader: @unchecked Sendable {
    let descriptor: CInt
    private let source: FileHandle
    private let writing: FileHandle
    private var received = Data()
    private let done = DispatchSemaphore(value: 0)

    init() {
        let pipe = Pipe()
        source = pipe.fileHandleForReading
        writing = pipe.fileHandleForWriting
        descriptor = writing.fileDescriptor
        _ = fcntl(descriptor, setPipeSize, 4096)
        start()
    }

    init(socket: Void) throws {
        let (near, far) = try #require(makeSocketPair())
        source = FileHandle(fileDescriptor: near, closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: far, closeOnDealloc: true)
        descriptor = far
        start()
    }

    private func start() {
        Thread { [self] in
            var reads = 0
            while let piece = try? source.read(upToCount: reads % 7 * 1500 + 1), !piece.isEmpty {
                received.append(piece)
                reads += 1
                if reads % 64 == 0 { Thread.sleep(forTimeInterval: 0.001) }
            }
            done.signal()
        }.start()
    }

    /// Closes the writing end and gives what has come through.
    func finish() throws -> [UInt8] {
        try writing.close()
        done.wait()
        return [UInt8](received)
    }
}

/// Counts what comes through a pipe and keeps its end.
final class TailCounter: @unchecked Sendable {
    private let pipe = Pipe()
    private var count: Int64 = 0
    private var tail = Data()
    private let done = DispatchSemaphore(value: 0)

    init() {
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, setPipeSize, 1 << 20)
        Thread { [self] in
            while true {
                let piece = pipe.fileHandleForReading.availableData
                if piece.isEmpty { break }
                count += Int64(piece.count)
                tail = (tail + piece.suffix(1000)).suffix(1000)
            }
            done.signal()
        }.start()
    }

    var descriptor: CInt { pipe.fileHandleForWriting.fileDescriptor }

    func finish() throws -> (Int64, Data) {
        try pipe.fileHandleForWriting.close()
        done.wait()
        return (count, tail)
    }
}

/// Linux's `F_SETPIPE_SZ`, which Swift's libc import hides.
private let setPipeSize: CInt = 1031
