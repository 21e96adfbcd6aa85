import Foundation

/// The queue on the disk: one directory per upload, with `body` and `record.json` until the end
/// and `outcome.json` from then on.
///
/// Every step is committed by a rename, so that a process that dies at any moment leaves an upload
/// that either isn't there, is pending, or is over. One store at a time has a queue.
final class UploadStore: Sendable {
    /// How much the queue may hold.
    struct Limits: Hashable, Sendable {
        /// All bodies together, in bytes.
        var quota: Int64?
        /// Bytes of the file system that are left to others.
        var reserve: Int64 = 64 * 1024 * 1024
    }

    let path: String
    private let limits: Limits
    private let protection: FileProtection
    private let lock: LockFile

    /// Opens a queue, creates it if it isn't there, and removes what a dead process left half done.
    init(
        path: String,
        limits: Limits = Limits(),
        protection: FileProtection = .system
    ) throws(UploadError) {
        let path = Self.withoutTail(path)
        self.path = path
        self.limits = limits
        self.protection = protection
        try Self.prepareDirectory(path)
        protection.apply(path)
        guard let descriptor = try systemLock(path + "/.lock") else { throw .queueIsInUse(path) }
        lock = LockFile(descriptor)
        try sweep()
    }

    /// Gives the queue back before the store goes away.
    func unlock() { lock.unlock() }

    func bodyPath(_ id: UploadID) -> String { directory(id) + "/" + Self.bodyName }

    /// A directory that becomes an upload's by ``commit(_:)``, or is swept.
    func makeStaging(_ id: UploadID) throws(UploadError) -> String {
        let staging = stagingPath(id)
        try systemMakeDirectory(staging)
        return staging
    }

    func removeStaging(_ id: UploadID) { try? Self.removeTree(stagingPath(id)) }

    /// Checks the queue's own limit before so many bytes are added.
    func checkQuota(for count: Int64) throws(UploadError) {
        guard let quota = limits.quota else { return }
        let needed = try usedBytes() + count
        guard needed <= quota else { throw .quotaExceeded(needed: needed, quota: quota) }
    }

    /// Checks that so many bytes can be written.
    func checkSpace(for count: Int64) throws(UploadError) {
        let available = max(0, try systemFreeSpace(path) - limits.reserve)
        guard count <= available else {
            throw .insufficientSpace(needed: count, available: available)
        }
    }

    /// Checks a file that is to become a body, and remembers which one it is.
    static func identify(
        _ path: String,
        size: Int64
    ) throws(UploadError)
        -> UploadRecord.OriginalFile
    {
        let descriptor = try openBody(path, size: size)
        let status = try systemStatus(descriptor, path: path)
        return UploadRecord.OriginalFile(
            path: path,
            size: size,
            device: status.device,
            inode: status.inode
        )
    }

    /// Makes a finished file an upload's body: by a second name for it where that is possible, else
    /// by a copy.
    ///
    /// The first name stays until the record is committed, so nothing can be lost. A file that
    /// stays the caller's is always copied.
    func stageBody(
        _ source: UploadRecord.OriginalFile,
        for id: UploadID,
        keepsOriginal: Bool
    ) throws(UploadError) {
        let descriptor = try Self.openBody(source.path, size: source.size)
        let target = stagingPath(id) + "/" + Self.bodyName
        if !keepsOriginal, try linkBody(source, to: target) { return }
        try checkSpace(for: source.size)
        let copy = try systemCreate(target, permissions: 0o400)
        try systemCopy(
            from: descriptor,
            path: source.path,
            to: copy,
            path: target,
            count: source.size
        )
        try systemSynchronize(copy, path: target)
    }

    /// False if another file system, or one without links, makes a copy necessary.
    private func linkBody(
        _ source: UploadRecord.OriginalFile,
        to target: String
    )
        throws(UploadError) -> Bool
    {
        do throws(UploadError) {
            try systemLink(source.path, to: target)
        } catch {
            return false
        }
        guard let linked = try systemStatus(target), linked.owner == systemUserID else {
            // Somebody else's file could be changed by them at any time.
            try systemUnlink(target)
            return false
        }
        return true
    }

    /// Makes a staged upload a real one, for good.
    ///
    /// - Returns: The record as it is then.
    func commit(_ record: UploadRecord) throws(UploadError) -> UploadRecord {
        let staging = stagingPath(record.id)
        let body = staging + "/" + Self.bodyName
        _ = try Self.openBody(body, size: record.contentLength)
        try systemChangeMode(body, 0o400)
        protection.apply(body)  // it may have been made elsewhere, with another
        try systemSynchronize(body)
        try writeFile(encode(record), named: Self.recordName, in: staging, durably: true)
        try systemRename(staging, to: directory(record.id))
        try systemSynchronize(path)
        return removeOriginal(of: record)
    }

    /// Replaces an upload's record.
    ///
    /// Without `durably`, a crash of the process loses nothing, but one of the machine may bring
    /// back the record before.
    func save(_ record: UploadRecord, durably: Bool = false) throws(UploadError) {
        try writeFile(
            encode(record),
            named: Self.recordName,
            in: directory(record.id),
            durably: durably
        )
    }

    /// Ends an upload: the outcome first, then the body and the record go.
    ///
    /// If there is no room for the outcome, the record's name becomes it, which takes none, so that
    /// nothing is sent again. What the server answered is lost then, unless the body's room is
    /// enough for it.
    func finish(_ id: UploadID, _ outcome: UploadOutcome) throws(UploadError) {
        do throws(UploadError) {
            try writeOutcome(id, outcome)
        } catch {
            let mark = directory(id) + "/" + UploadMark(outcome).name
            try systemRename(directory(id) + "/" + Self.recordName, to: mark)
            try? systemSynchronize(directory(id))
            try systemUnlink(bodyPath(id))
            try writeOutcome(id, outcome)
        }
        try removeOwn(in: directory(id), but: [Self.outcomeName])
    }

    private func writeOutcome(_ id: UploadID, _ outcome: UploadOutcome) throws(UploadError) {
        let now = Date()
        var bytes = try encode(StoredOutcome(outcome: outcome.kept, endedAt: now))
        if bytes.count > Self.fileLimit {  // headers without end
            bytes = try encode(StoredOutcome(outcome: UploadMark(outcome).outcome, endedAt: now))
        }
        try writeFile(bytes, named: Self.outcomeName, in: directory(id), durably: true)
    }

    /// Opens the body for an attempt, if it is still what was committed.
    func checkBody(_ record: UploadRecord) throws(UploadError) {
        _ = try Self.openBody(bodyPath(record.id), size: record.contentLength)
    }

    func removeOutcome(_ id: UploadID) throws(UploadError) {
        switch entry(id) {
        case .ended: break
        case .unreadable(_, let reason): throw .uploadIsUnreadable(id, reason: reason)
        case .pending, nil: throw .unknownUpload(id)
        }
        // The outcome goes last: what is left of an upload without one would be sent again.
        for name in [Self.recordName, Self.bodyName, Self.outcomeName] {
            try systemUnlink(directory(id) + "/" + name)
        }
        // What keeps it are strays; no upload is in it any more.
        try? removeOwn(in: directory(id))
        try? systemRemoveDirectory(directory(id))
    }

    /// Opens a body and checks that it is a plain file of ours with the right size.
    static func openBody(_ path: String, size: Int64) throws(UploadError) -> OwnedDescriptor {
        let descriptor: OwnedDescriptor
        do throws(UploadError) {
            descriptor = try systemOpen(reading: path)
        } catch .system(_, let code, _) where code == ENOENT || code == ENOTDIR {
            throw .bodyIsMissing(path)
        } catch .system(_, let code, _) where code == ELOOP || code == ENXIO {
            throw .bodyIsNoFile(path)
        }
        let status = try systemStatus(descriptor, path: path)
        guard status.kind == .file else { throw .bodyIsNoFile(path) }
        guard status.size == size else {
            throw .bodyChanged(path: path, expected: size, found: status.size)
        }
        if size == 0, try !systemIsEmpty(descriptor, path: path) { throw .bodyHasNoSize(path) }
        return descriptor
    }

    static let tailName = "tail"

    private static func tailPath(of body: UploadAttempt.Body) -> String {
        let slash = body.path.lastIndex(of: "/")
        return (slash.map { body.path[...$0] } ?? "") + tailName
    }

    /// A file with nothing but a request's body: the upload's own, or a copy of a part of it beside
    /// it.
    static func wholeFile(for body: UploadAttempt.Body) throws(UploadError) -> String {
        guard body.offset > 0 || body.length < body.fileSize else { return body.path }
        let source = try openBody(body.path, size: body.fileSize)
        let path = tailPath(of: body)
        try systemUnlink(path)
        let tail = try systemCreate(path, permissions: 0o400)
        try systemCopy(
            from: source,
            path: body.path,
            at: body.offset,
            to: tail,
            path: path,
            count: body.length
        )
        return path
    }

    /// Removes what ``wholeFile(for:)`` made.
    static func removeTail(of body: UploadAttempt.Body) throws(UploadError) {
        try systemUnlink(tailPath(of: body))
    }

    /// Keeps the lock as long as the store lives: a descriptor can't be copied, a class holds it.
    private final class LockFile: Sendable {
        private let descriptor: OwnedDescriptor
        init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
        func unlock() { systemUnlock(descriptor) }
    }

    private static let stagingPrefix = ".new-"

    private func directory(_ id: UploadID) -> String { path + "/" + id.text }
    private func stagingPath(_ id: UploadID) -> String {
        path + "/" + Self.stagingPrefix + id.text
    }

    private static func prepareDirectory(_ path: String) throws(UploadError) {
        if try systemStatus(path) == nil {
            try makeParents(of: path)
            do throws(UploadError) {
                try systemMakeDirectory(path)
            } catch .system(_, EEXIST, _) {}  // another process was faster
        }
        let permissions = try checkDirectory(path).permissions
        if permissions & 0o077 != 0 { try systemChangeMode(path, 0o700) }
    }

    /// Makes sure that nobody else can have changed a queue, or can read what is in it.
    static func checkDirectory(_ path: String) throws(UploadError) -> FileStatus {
        guard let status = try systemStatus(path), status.kind == .directory else {
            throw .queueIsUnsafe(path: path, reason: "the queue must be a directory, not a link")
        }
        guard status.owner == systemUserID else {
            throw .queueIsUnsafe(
                path: path,
                reason: "the queue belongs to another user; take a directory of your own"
            )
        }
        guard status.permissions & 0o022 == 0 else {
            throw .queueIsUnsafe(
                path: path,
                reason: "other users can write to the queue;"
                    + " make sure that all in it is yours, then chmod 700"
            )
        }
        if status.permissions & 0o077 != 0, try !systemNames(in: path).isEmpty {
            throw .queueIsUnsafe(
                path: path,
                reason: "other users can see into the queue, which holds your requests; chmod 700"
            )
        }
        return status
    }

    /// A path without slashes and dots at its end, through which `lstat` would follow a link.
    static func withoutTail(_ path: String) -> String {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        return String(path)
    }

    private static func makeParents(of path: String) throws(UploadError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let parent = String(path[..<slash])
        guard try systemStatus(parent) == nil else { return }
        try makeParents(of: parent)
        do throws(UploadError) {
            try systemMakeDirectory(parent)
        } catch .system(_, EEXIST, _) {}
    }

    private func usedBytes() throws(UploadError) -> Int64 {
        var total: Int64 = 0
        for name in try systemNames(in: path) where name != ".lock" {
            // What isn't an upload's directory has no body.
            let body = path + "/" + name + "/" + Self.bodyName
            if let status = try? systemStatus(body) { total += status.size }
        }
        return total
    }

    /// Brings the queue into a state that a living process could have left.
    ///
    /// Only what can't be anything else than a dead process's leavings goes, and one upload's
    /// troubles don't keep another from its work.
    private func sweep() throws(UploadError) {
        for name in try systemNames(in: path) {
            if name.hasPrefix(Self.stagingPrefix) {
                try? Self.removeTree(path + "/" + name)
            } else if let id = UploadID(name) {
                tidy(id)
            }
        }
    }

    /// Reads an upload and removes what a dead process left half done of it.
    @discardableResult
    func tidy(_ id: UploadID) -> Entry? {
        let entry = entry(id)
        switch entry {
        case .ended:
            let outcome = try? systemStatus(directory(id) + "/" + Self.outcomeName)
            let marks = (try? Self.marks(in: directory(id)))?.map(\.name) ?? []
            try? removeOwn(
                in: directory(id),
                but: outcome == nil ? Set(marks) : [Self.outcomeName]
            )
        case .pending(let record):
            // The system may still be sending the tail.
            let kept: Set = [Self.bodyName, Self.recordName]
            let isSending = record.phase == .sending
            try? removeOwn(
                in: directory(id),
                but: isSending ? kept.union([Self.tailName]) : kept
            )
            return .pending(removeOriginal(of: record))
        case .unreadable: break
        // An empty directory is one whose outcome was being removed.
        case nil: try? systemRemoveDirectory(directory(id))
        }
        return entry
    }

    /// Removes the file that the body came from, if it is still that file; the body is safe.
    private func removeOriginal(of record: UploadRecord) -> UploadRecord {
        guard let original = record.original else { return record }
        if let found = try? systemStatus(original.path), found.kind == .file,
            found.device == original.device, found.inode == original.inode,
            found.size == original.size
        {
            try? systemUnlink(original.path)
        }
        var copy = record
        copy.original = nil
        try? save(copy)
        return copy
    }

    /// Removes an upload's files; what else is in its directory isn't ours to judge.
    private func removeOwn(in directory: String, but kept: Set<String> = []) throws(UploadError) {
        var problem: UploadError?
        for name in try systemNames(in: directory) where Self.isOwn(name) && !kept.contains(name) {
            do throws(UploadError) {
                try systemUnlink(directory + "/" + name)
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
    }

    private static func removeTree(_ path: String) throws(UploadError) {
        guard let status = try systemStatus(path) else { return }
        guard status.kind == .directory else { return try systemUnlink(path) }
        for name in try systemNames(in: path) { try removeTree(path + "/" + name) }
        try systemRemoveDirectory(path)
    }

    private func encode(_ value: some Encodable) throws(UploadError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(value)
        } catch {
            // Only a number that JSON can't hold gets here, and none of ours is one.
            throw .system(call: "encode", code: EINVAL, path: path)
        }
    }

    private func writeFile(
        _ bytes: Data,
        named name: String,
        in directory: String,
        durably: Bool
    ) throws(UploadError) {
        // More would not be read again.
        guard bytes.count <= Self.fileLimit else {
            throw .system(call: "write", code: EFBIG, path: directory + "/" + name)
        }
        let temporary = directory + "/" + Self.temporaryName(name)
        try systemUnlink(temporary)
        let descriptor = try systemCreate(temporary, permissions: 0o600)
        try systemWrite(bytes, to: descriptor, path: temporary)
        if durably { try systemSynchronize(descriptor, path: temporary) }
        try systemRename(temporary, to: directory + "/" + name)
        if durably { try systemSynchronize(directory) }
    }
}

extension UploadOutcome {
    fileprivate var kept: UploadOutcome {
        switch self {
        case .delivered(let response): .delivered(response.kept)
        case .rejected(let response): .rejected(response.kept)
        case .failed, .cancelled: self
        }
    }
}
