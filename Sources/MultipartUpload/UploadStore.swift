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

    func bodyPath(_ id: UploadID) -> String { directory(id) + "/body" }

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
        let target = stagingPath(id) + "/body"
        if !keepsOriginal, try linkBody(source, to: target) { return }
        try checkSpace(for: source.size)
        let copy = try systemCreate(target, permissions: 0o400)
        try systemCopy(from: descriptor, to: copy, count: source.size, path: target)
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
        let body = staging + "/body"
        _ = try Self.openBody(body, size: record.contentLength)
        try systemChangeMode(body, 0o400)
        protection.apply(body)  // it may have been made elsewhere, with another
        try systemSynchronize(body)
        try writeFile(encode(record), named: "record.json", in: staging, durably: true)
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
            named: "record.json",
            in: directory(record.id),
            durably: durably
        )
    }

    /// Ends an upload: the outcome first, then the body and the record go.
    func finish(_ id: UploadID, _ outcome: UploadOutcome) throws(UploadError) {
        let stored = StoredOutcome(outcome: outcome.withoutSecrets, endedAt: Date())
        try writeFile(encode(stored), named: "outcome.json", in: directory(id), durably: true)
        try removeAll(in: directory(id), but: ["outcome.json"])
    }

    /// Opens the body for an attempt, if it is still what was committed.
    func checkBody(_ record: UploadRecord) throws(UploadError) {
        _ = try Self.openBody(bodyPath(record.id), size: record.contentLength)
    }

    func removeOutcome(_ id: UploadID) throws(UploadError) {
        guard try systemStatus(directory(id) + "/outcome.json") != nil else {
            throw .unknownUpload(id)
        }
        try Self.removeTree(directory(id))
    }

    func outcome(_ id: UploadID) -> UploadOutcome? { Self.outcome(id, in: path) }

    /// The uploads that aren't over, oldest first.
    func pending() throws(UploadError) -> [UploadRecord] {
        try Self.contents(path).compactMap { entry in
            switch entry {
            case .pending(let record): record
            case .ended: nil
            }
        }
    }

    /// What a queue holds, for readers without the lock.
    enum Entry: Hashable, Sendable {
        case pending(UploadRecord)
        case ended(UploadID, UploadOutcome, at: Date)

        var date: Date {
            switch self {
            case .pending(let record): record.createdAt
            case .ended(_, _, let date): date
            }
        }
    }

    /// What is in a queue that isn't open here; an error if there is none.
    static func contents(ofQueue path: String) throws(UploadError) -> [Entry] {
        let path = withoutTail(path)
        guard try systemStatus(path) != nil else {
            throw .system(call: "lstat", code: ENOENT, path: path)
        }
        _ = try checkDirectory(path)
        return try contents(path)
    }

    private static func contents(_ path: String) throws(UploadError) -> [Entry] {
        var entries: [Entry] = []
        for id in try systemNames(in: path).compactMap({ UploadID($0) }) {
            let directory = path + "/" + id.text
            if let stored = storedOutcome(directory) {
                entries.append(.ended(id, stored.outcome, at: stored.endedAt))
            } else if let record = record(directory, id) {
                entries.append(.pending(record))
            }
        }
        return entries.sorted { $0.date < $1.date }
    }

    static func outcome(_ id: UploadID, in path: String) -> UploadOutcome? {
        storedOutcome(path + "/" + id.text)?.outcome
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
        return descriptor
    }

    private static let tailName = "tail"

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
        try systemCopy(from: source, at: body.offset, to: tail, count: body.length, path: path)
        return path
    }

    /// Removes what ``wholeFile(for:)`` made.
    static func removeTail(of body: UploadAttempt.Body) throws(UploadError) {
        try systemUnlink(tailPath(of: body))
    }

    private struct StoredOutcome: Codable {
        var version = UploadRecord.currentVersion
        let outcome: UploadOutcome
        let endedAt: Date
    }

    /// Keeps the lock as long as the store lives: a descriptor can't be copied, a class holds it.
    private final class LockFile: Sendable {
        private let descriptor: OwnedDescriptor
        init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
        func unlock() { systemUnlock(descriptor) }
    }

    private static let recordLimit = 16 * 1024 * 1024
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
    private static func checkDirectory(_ path: String) throws(UploadError) -> FileStatus {
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
    private static func withoutTail(_ path: String) -> String {
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
            total += try systemStatus(path + "/" + name + "/body")?.size ?? 0
        }
        return total
    }

    /// Brings the queue into a state that a living process could have left.
    private func sweep() throws(UploadError) {
        for name in try systemNames(in: path) {
            let entry = path + "/" + name
            if name.hasPrefix(Self.stagingPrefix) {
                try Self.removeTree(entry)
            } else if let id = UploadID(name) {
                try Self.checkOwned(entry)
                try sweep(id)
            }
        }
    }

    private static func checkOwned(_ directory: String) throws(UploadError) {
        guard let status = try systemStatus(directory) else { return }
        guard status.kind == .directory, status.owner == systemUserID else {
            throw .queueIsUnsafe(
                path: directory,
                reason: "an upload's directory must be a directory of the same user, no link"
            )
        }
        for name in try systemNames(in: directory) {
            guard let status = try systemStatus(directory + "/" + name) else { continue }
            guard status.kind == .file, status.owner == systemUserID else {
                throw .queueIsUnsafe(
                    path: directory + "/" + name,
                    reason: "an upload's files must be plain files of the same user"
                )
            }
        }
    }

    private func sweep(_ id: UploadID) throws(UploadError) {
        let directory = directory(id)
        if Self.storedOutcome(directory) != nil {
            try removeAll(in: directory, but: ["outcome.json"])
            return
        }
        guard let record = Self.record(directory, id) else {
            // An empty directory is one whose outcome was being removed.
            guard try !systemNames(in: directory).isEmpty else {
                try systemRemoveDirectory(directory)
                return
            }
            let failure = UploadFailure(.recordUnreadable, "record.json can't be read")
            try finish(id, .failed(failure))
            return
        }
        // The system may still be sending the tail.
        let kept: Set = ["body", "record.json"]
        let isSending = record.phase == .sending
        try removeAll(in: directory, but: isSending ? kept.union([Self.tailName]) : kept)
        _ = removeOriginal(of: record)
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

    private func removeAll(in directory: String, but kept: Set<String>) throws(UploadError) {
        for name in try systemNames(in: directory) where !kept.contains(name) {
            try systemUnlink(directory + "/" + name)
        }
    }

    private static func removeTree(_ path: String) throws(UploadError) {
        guard let status = try systemStatus(path) else { return }
        guard status.kind == .directory else { return try systemUnlink(path) }
        for name in try systemNames(in: path) { try removeTree(path + "/" + name) }
        try systemRemoveDirectory(path)
    }

    private static func storedOutcome(_ directory: String) -> StoredOutcome? {
        guard let bytes = try? systemRead(directory + "/outcome.json", limit: recordLimit) else {
            return nil
        }
        return try? JSONDecoder().decode(StoredOutcome.self, from: bytes)
    }

    private static func record(_ directory: String, _ id: UploadID) -> UploadRecord? {
        guard let bytes = try? systemRead(directory + "/record.json", limit: recordLimit),
            let record = try? JSONDecoder().decode(UploadRecord.self, from: bytes),
            record.version == UploadRecord.currentVersion, record.id == id
        else { return nil }
        return record
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
        let temporary = directory + "/" + name + ".tmp"
        try systemUnlink(temporary)
        let descriptor = try systemCreate(temporary, permissions: 0o600)
        try systemWrite(bytes, to: descriptor, path: temporary)
        if durably { try systemSynchronize(descriptor, path: temporary) }
        try systemRename(temporary, to: directory + "/" + name)
        if durably { try systemSynchronize(directory) }
    }
}

extension UploadOutcome {
    fileprivate var withoutSecrets: UploadOutcome {
        switch self {
        case .delivered(let response): .delivered(response.withoutSecrets)
        case .rejected(let response): .rejected(response.withoutSecrets)
        case .failed, .cancelled: self
        }
    }
}
