import Foundation
import MultipartEncoder

/// A pipe whose other end is read to the end on a thread of its own.
final class PipeReader: @unchecked Sendable {
    private let pipe = Pipe()
    private var received = Data()
    private let done = DispatchSemaphore(value: 0)

    init() {
        Thread { [self] in
            while true {
                let piece = pipe.fileHandleForReading.availableData
                if piece.isEmpty { break }
                received.append(piece)
            }
            done.signal()
        }.start()
    }

    var descriptor: CInt { pipe.fileHandleForWriting.fileDescriptor }

    /// Closes the writing end and gives what has come through.
    func finish() throws -> [UInt8] {
        try pipe.fileHandleForWriting.close()
        done.wait()
        return [UInt8](received)
    }
}

/// A pipe that pieces are written into on a thread of its own, with a pause in between if asked.
final class PipeWriter: @unchecked Sendable {
    private let pipe = Pipe()

    init(_ pieces: [[UInt8]], pause: TimeInterval = 0) {
        Thread { [pipe] in
            for piece in pieces where !piece.isEmpty {
                // The reader may be gone already; then nobody wants the rest.
                guard (try? pipe.fileHandleForWriting.write(contentsOf: Data(piece))) != nil
                else { break }
                if pause > 0 { Thread.sleep(forTimeInterval: pause) }
            }
            try? pipe.fileHandleForWriting.close()
        }.start()
    }

    var descriptor: CInt { pipe.fileHandleForReading.fileDescriptor }
}

/// What a whole body written to a pipe consists of.
func streamed(
    options: WritingOptions = WritingOptions(),
    bufferSize: Int = 4096,
    _ append: (inout MultipartWriter) throws(MultipartError) -> Void
) throws -> (body: StreamedBody, bytes: [UInt8]) {
    let reader = PipeReader()
    do {
        let body = try MultipartWriter.stream(
            to: reader.descriptor,
            options: options,
            bufferSize: bufferSize,
            append
        )
        return (body, try reader.finish())
    } catch {
        _ = try reader.finish()
        throw error
    }
}
