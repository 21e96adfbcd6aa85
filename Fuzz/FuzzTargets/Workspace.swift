import Glibc
import MultipartEncoder

/// Files without names that every run uses anew.
struct Workspace: ~Copyable {
    private let output: OwnedDescriptor
    private let source: OwnedDescriptor

    init() {
        output = Self.file()
        source = Self.file()
    }

    private static func file() -> OwnedDescriptor {
        for directory in ["/dev/shm", "/tmp"] {
            if let file = try? systemCreateNameless(in: directory) { return file }
        }
        fatalError("no place for a file without a name")
    }

    var descriptor: CInt { output.rawValue }

    /// A path under which the source file can be opened.
    var sourcePath: String { "/proc/self/fd/\(source.rawValue)" }

    func setSource(_ bytes: [UInt8]) {
        Self.empty(source.rawValue)
        Self.write(bytes, to: source.rawValue)
    }

    func clearOutput() { Self.empty(output.rawValue) }

    func outputBytes() -> [UInt8] {
        let count = Int(lseek(descriptor, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: count)
        let received = unsafe pread(descriptor, &bytes, count, 0)
        precondition(received == count, "the output can't be read")
        return bytes
    }

    private static func empty(_ descriptor: CInt) {
        precondition(ftruncate(descriptor, 0) == 0 && lseek(descriptor, 0, SEEK_SET) == 0)
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) {
        let written = unsafe Glibc.write(descriptor, bytes, bytes.count)
        precondition(written == bytes.count, "the source can't be written")
    }

    /// The reading end of a pipe that holds these bytes and has no writer any more.
    static func pipe(holding bytes: [UInt8]) -> OwnedDescriptor {
        var ends: [CInt] = [0, 0]
        precondition(unsafe Glibc.pipe(&ends) == 0, "no pipe to be had")
        let writing = OwnedDescriptor(adopting: ends[1])
        write(bytes, to: writing.rawValue)
        return OwnedDescriptor(adopting: ends[0])
    }
}
