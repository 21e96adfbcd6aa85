import Foundation

/// Part of a file as a stream.
///
/// It ends where the part does, however much the file grows, and fails where the file is shorter.
final class FileRangeStream: InputStream {
    private let file: OwnedFile
    private let end: Int64
    private var position: Int64
    private var status = Stream.Status.notOpen
    private let onFailure: (String) -> Void

    /// `onFailure` is told why the stream fails, on the thread that reads.
    init(_ body: UploadAttempt.Body, onFailure: @escaping (String) -> Void) {
        file = OwnedFile(body)
        position = body.offset
        end = body.offset + body.length
        self.onFailure = onFailure
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    override var hasBytesAvailable: Bool { position < end }

    override func open() { status = .open }

    override func close() { status = .closed }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        let wanted = min(Int64(maxLength), end - position)
        guard wanted > 0 else { return 0 }
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(wanted))
        let count = unsafe read(into: bytes)
        guard count > 0 else {
            status = .error
            return -1
        }
        position += Int64(count)
        if position == end { status = .atEnd }
        return count
    }

    private func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let descriptor = file.rawValue else {
            onFailure("the body can't be opened, or isn't what it was")
            return 0
        }
        do throws(UploadError) {
            let count = unsafe try systemRead(descriptor, at: position, into: bytes)
            if count == 0 { onFailure("the body became shorter while it was sent") }
            return count
        } catch {
            onFailure(error.description)
            return 0
        }
    }
}

/// A body that is open, if it is what it was.
private struct OwnedFile: ~Copyable {
    private let descriptor: OwnedDescriptor?

    init(_ body: UploadAttempt.Body) {
        descriptor = try? UploadStore.openBody(body.path, size: body.fileSize)
    }

    var rawValue: Int32? {
        switch descriptor {
        case .some(let descriptor): descriptor.rawValue
        case .none: nil
        }
    }
}
