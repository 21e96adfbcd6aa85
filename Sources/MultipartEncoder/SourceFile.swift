/// A file, or a range of one, that is to become a part's content, and what it was like when it was
/// opened.
struct SourceFile: ~Copyable {
    let path: String
    /// The bytes wanted, from the file's start.
    let range: Range<Int64>
    private let file: OwnedDescriptor
    private let status: FileStatus
    /// Whether the size can be believed; files in procfs say 0 and hold something.
    let hasLength: Bool

    /// A file of this size is copied by the kernel; a smaller one is read into the buffer, which
    /// takes fewer calls.
    private static let kernelCopyMinimum: Int64 = 128 * 1024

    /// Opens a file and checks that it can be what was asked for.
    static func open(
        _ path: String,
        range: Range<Int64>?
    ) throws(SourceDefect) -> SourceFile {
        let file = try systemDefect { () throws(SystemError) in try systemOpen(reading: path) }
        let descriptor = file.rawValue
        let status = try systemDefect { () throws(SystemError) in try systemStatus(descriptor) }
        guard status.isRegular else { throw .notRegularFile }
        if let range, range.lowerBound < 0 || range.upperBound > status.size {
            throw .rangeOutside(range, size: status.size)
        }
        let isEmpty = try systemDefect { () throws(SystemError) in
            status.size == 0 ? try systemIsEmpty(descriptor) : false
        }
        return SourceFile(
            path: path,
            range: range ?? 0..<status.size,
            file: file,
            status: status,
            hasLength: range != nil || status.size > 0 || isEmpty
        )
    }

    private init(
        path: String,
        range: Range<Int64>,
        file: consuming OwnedDescriptor,
        status: FileStatus,
        hasLength: Bool
    ) {
        self.path = path
        self.range = range
        self.file = file
        self.status = status
        self.hasLength = hasLength
    }

    var descriptor: CInt { file.rawValue }

    /// How many bytes will be read, or `nil` where only reading tells.
    var length: Int64? { hasLength ? Int64(range.count) : nil }

    var isWorthKernelCopy: Bool { Int64(range.count) >= Self.kernelCopyMinimum }

    func isUnchanged() throws(SystemError) -> Bool {
        try systemStatus(file.rawValue) == status
    }

    private static func systemDefect<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(SourceDefect) -> Result {
        do {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}
