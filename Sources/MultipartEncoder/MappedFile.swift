/// A file's content as memory, read from the disk where it is touched.
///
/// The size is what it was at the start. If somebody shortens the file meanwhile, touching what is
/// gone ends the process with `SIGBUS`: no language can turn that into an error. A tool can at least
/// say why (`systemWatchMappedInput`); a library's user must not map what others write to.
@safe package struct MappedFile: ~Copyable {
    private let file: OwnedDescriptor
    private let status: FileStatus
    private let memory: UnsafeRawBufferPointer?

    /// Maps all of a regular file.
    package static func open(_ path: String) throws(SourceDefect) -> MappedFile {
        let mapped: MappedFile
        do throws(SystemError) {
            let file = try systemOpen(reading: path)
            let status = try systemStatus(file.rawValue)
            var memory: UnsafeRawBufferPointer?
            // An empty file can't be mapped.
            if status.isRegular, status.size > 0 {
                unsafe memory = try systemMap(file.rawValue, count: Int(clamping: status.size))
            }
            mapped = unsafe MappedFile(file: file, status: status, memory: memory)
        } catch {
            throw .system(error)
        }
        guard mapped.status.isRegular else { throw .notRegularFile }
        return mapped
    }

    private init(
        file: consuming OwnedDescriptor,
        status: FileStatus,
        memory: UnsafeRawBufferPointer?
    ) {
        self.file = file
        self.status = status
        unsafe self.memory = memory
    }

    deinit {
        if let memory = unsafe memory { unsafe systemUnmap(memory) }
    }

    /// All of the file.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let memory = unsafe self.memory ?? UnsafeRawBufferPointer(start: nil, count: 0)
            let span = unsafe Span<UInt8>(_unsafeBytes: memory)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Whether the file still is what it was when it was mapped.
    package func isUnchanged() throws(SystemError) -> Bool {
        try systemStatus(file.rawValue) == status
    }
}
