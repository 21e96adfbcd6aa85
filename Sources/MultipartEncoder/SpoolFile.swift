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
            while true {
                let name = TemporaryName(in: directory)
                let file = try systemCreate(name.path)
                guard try Self.claim(file) else { continue }
                self.init(file: file, directory: directory, temporaryName: name)
                return
            }
        }
    }

    /// Says to a sweep that a spool's process is alive; `false` if a sweep was faster.
    private static func claim(_ file: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
        // Where there are no locks, a sweep gets none either and leaves everything alone.
        guard (try? systemLock(file.rawValue)) != false else { return false }
        return try systemNameCount(file.rawValue) > 0
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
                try Self.link(temporaryName, to: path)
            }
        } else if replacing {
            // Locked, so that no sweep takes it away between the two steps.
            _ = try? systemLock(file.rawValue)
            let step = TemporaryName(in: directory)
            try systemLink(nameless: file.rawValue, to: step.path)
            try systemRename(step.path, to: path)
        } else {
            try systemLink(nameless: file.rawValue, to: path)
        }
        guard synchronizing else { return }
        do {
            try Self.synchronize(directory)
        } catch {
            // What `replacing` replaced can't be had back, so the new file stays in its place.
            if !replacing { try? systemUnlink(path) }
            throw error
        }
    }

    /// Gives a file a name that must not exist yet, on any file system.
    private static func link(
        _ name: borrowing TemporaryName,
        to path: String
    ) throws(SystemError) {
        do {
            try systemLink(name.path, to: path)
        } catch  where error.isAboutLinks {
            try rename(name.path, toNew: path)
        }
    }

    /// Gives a file a name that must not exist yet, where files have no second names.
    package static func rename(
        _ source: String,
        toNew path: String
    ) throws(SystemError) {
        // Takes the name first, so that nobody's file is replaced.
        try systemCreate(path).close()
        do {
            try systemRename(source, to: path)
        } catch {
            try? systemUnlink(path)
            throw error
        }
    }

    private static func synchronize(_ path: String) throws(SystemError) {
        let directory = try systemOpen(directory: path)
        do {
            try systemSync(directory.rawValue)
        } catch  where error.isAboutDirectories {
            return
        }
    }

    /// Removes the unfinished spools of processes that have died from a directory.
    ///
    /// - Returns: How many there were.
    package static func sweep(_ directory: String) throws(SystemError) -> Int {
        var removed = 0
        let names = try systemNames(inDirectory: directory.isEmpty ? "." : directory)
        for name in names where TemporaryName.matches(name) {
            let path = FilePath.joining(directory, name)
            // Somebody else may have removed it between the listing and now.
            guard let file = try? systemOpen(reading: path) else { continue }
            guard (try? systemLock(file.rawValue)) == true else { continue }
            guard (try? systemUnlink(path)) != nil else { continue }
            removed += 1
        }
        return removed
    }
}
