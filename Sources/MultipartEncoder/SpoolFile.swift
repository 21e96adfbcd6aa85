/// A new file that has its name only once it is complete.
///
/// Until ``commit(to:replacing:synchronizing:)`` nothing is to be seen under the final name, and a
/// spool that goes away before it leaves nothing behind. Where the file system can, the file has no
/// name at all until then (`O_TMPFILE`), so that not even a killed process leaves one.
package struct SpoolFile: ~Copyable {
    private let file: OwnedDescriptor
    private let directory: String
    private let temporaryName: TemporaryName?

    package init(in directory: String, nameless: Bool = true) throws(SystemError) {
        if nameless, let file = try systemCreateNameless(in: directory) {
            self.init(file: file, directory: directory, temporaryName: nil)
        } else {
            let name = TemporaryName(in: directory)
            let file = try systemCreate(name.path)
            // Says to a sweep that this spool's process is alive.
            _ = try systemLock(file.rawValue)
            self.init(file: file, directory: directory, temporaryName: name)
        }
    }

    private init(
        file: consuming OwnedDescriptor,
        directory: String,
        temporaryName: consuming TemporaryName?
    ) {
        self.file = file
        self.directory = directory
        self.temporaryName = temporaryName
    }

    package var descriptor: CInt { file.rawValue }

    /// Gives the file its name, once everything that was written is known to have arrived.
    ///
    /// - Parameters:
    ///   - path: A name in the spool's directory.
    ///   - replacing: Whether a file of that name is replaced; otherwise it is an error.
    ///   - synchronizing: Whether to wait until file and name are on the disk (`fsync`).
    /// - Throws: ``SystemError``; nothing is left behind then.
    package consuming func commit(
        to path: String,
        replacing: Bool,
        synchronizing: Bool
    ) throws(SystemError) {
        if synchronizing { try systemSync(file.rawValue) }
        // Some file systems report a failed write only at close, and a nameless file must stay
        // open until it has its name: so the copy is closed first.
        try systemDuplicate(file.rawValue).close()
        if let temporaryName {
            if replacing {
                try systemRename(temporaryName.path, to: path)
            } else {
                try systemLink(temporaryName.path, to: path)
            }
        } else if replacing {
            let step = TemporaryName(in: directory)
            try systemLink(nameless: file.rawValue, to: step.path)
            try systemRename(step.path, to: path)
        } else {
            try systemLink(nameless: file.rawValue, to: path)
        }
        if synchronizing {
            let directory = try systemOpen(directory: directory)
            try systemSync(directory.rawValue)
        }
    }

    /// Removes the unfinished spools of processes that have died from a directory.
    ///
    /// - Returns: How many there were.
    package static func sweep(_ directory: String) throws(SystemError) -> Int {
        var removed = 0
        for name in try systemNames(inDirectory: directory) where TemporaryName.matches(name) {
            let path = "\(directory)/\(name)"
            // Somebody else may have removed it between the listing and now.
            guard let file = try? systemOpen(reading: path) else { continue }
            guard try systemLock(file.rawValue) else { continue }
            guard (try? systemUnlink(path)) != nil else { continue }
            removed += 1
        }
        return removed
    }
}
