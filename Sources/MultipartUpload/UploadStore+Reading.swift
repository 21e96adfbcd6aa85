import Foundation

// Reading a queue: what can't be read or understood is told, and nothing here changes the disk.

extension UploadStore {
    /// What a queue holds, for readers without the lock.
    enum Entry: Hashable, Sendable {
        case pending(UploadRecord)
        case ended(UploadID, UploadOutcome, at: Date)
        /// It may be whole, and may be understood by a later version, or once the system has files
        /// to give again.
        case unreadable(UploadID, reason: String)

        fileprivate var date: Date {
            switch self {
            case .pending(let record): record.createdAt
            case .ended(_, _, let date): date
            case .unreadable: .distantPast
            }
        }
    }

    /// How an outcome is kept.
    struct StoredOutcome: Codable {
        var version = UploadRecord.currentVersion
        let outcome: UploadOutcome
        let endedAt: Date
    }

    static let bodyName = "body"
    static let recordName = "record.json"
    static let outcomeName = "outcome.json"

    /// The most bytes of a record or an outcome: enough for ``UploadResponse/keptBodyLimit`` in
    /// base64, which takes four bytes for three.
    static let fileLimit = 32 * 1024 * 1024

    /// Whether a name in an upload's directory is one that this version gives.
    static func isOwn(_ name: String) -> Bool {
        let names = [bodyName, recordName, outcomeName, tailName]
        return names.contains(name) || name == temporaryName(recordName)
            || name == temporaryName(outcomeName) || UploadMark(name: name) != nil
    }

    static func temporaryName(_ name: String) -> String { name + ".tmp" }

    /// Everything in the queue, oldest first.
    func contents() throws(UploadError) -> [Entry] { try Self.contents(path) }

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
        try systemNames(in: path).compactMap { UploadID($0) }.compactMap { entry($0, in: path) }
            .sorted { $0.date < $1.date }
    }

    /// One upload; `nil` if there is none.
    func entry(_ id: UploadID) -> Entry? { Self.entry(id, in: path) }

    func outcome(_ id: UploadID) -> UploadOutcome? {
        guard case .ended(_, let outcome, _) = entry(id) else { return nil }
        return outcome
    }

    private static func entry(_ id: UploadID, in queue: String) -> Entry? {
        let directory = queue + "/" + id.text
        do throws(UploadError) {
            guard try isTrusted(directory) else { return nil }
            // Without the lock, an upload may end between the two looks.
            for _ in 0..<2 {
                if let stored = try storedOutcome(directory, id) {
                    return .ended(id, stored.outcome, at: stored.endedAt)
                }
                if let mark = try marks(in: directory).first {
                    return .ended(id, mark.outcome, at: .distantPast)
                }
                if let record = try record(directory, id) { return .pending(record) }
            }
            guard try systemStatus(directory + "/" + bodyName) != nil else { return nil }
            return .unreadable(id, reason: "\(recordName) isn't there")
        } catch .uploadIsUnreadable(_, let reason) {
            return .unreadable(id, reason: reason)
        } catch {
            return .unreadable(id, reason: error.description)
        }
    }

    /// What is left of outcomes for which there was no room.
    static func marks(in directory: String) throws(UploadError) -> [UploadMark] {
        do throws(UploadError) {
            return try systemNames(in: directory).compactMap { UploadMark(name: $0) }
        } catch .system(_, ENOENT, _) {
            return []
        }
    }

    /// Whether there is a directory; an error if somebody else can have made it, or what is in it.
    private static func isTrusted(_ directory: String) throws(UploadError) -> Bool {
        guard let status = try systemStatus(directory) else { return false }
        guard status.kind == .directory, status.owner == systemUserID else {
            throw .queueIsUnsafe(
                path: directory,
                reason: "an upload's directory must be a directory of the same user, no link"
            )
        }
        for name in [bodyName, recordName, outcomeName] {
            guard let status = try systemStatus(directory + "/" + name) else { continue }
            guard status.kind == .file, status.owner == systemUserID else {
                throw .queueIsUnsafe(
                    path: directory + "/" + name,
                    reason: "an upload's files must be plain files of the same user"
                )
            }
        }
        return true
    }

    private static func storedOutcome(
        _ directory: String,
        _ id: UploadID
    ) throws(UploadError) -> StoredOutcome? {
        try read(outcomeName, of: id, in: directory)
    }

    private static func record(
        _ directory: String,
        _ id: UploadID
    ) throws(UploadError) -> UploadRecord? {
        guard let record: UploadRecord = try read(recordName, of: id, in: directory) else {
            return nil
        }
        guard record.id == id else {
            throw .uploadIsUnreadable(id, reason: "\(recordName) is another upload's")
        }
        guard record.isPossible else {
            throw .uploadIsUnreadable(id, reason: "\(recordName) has numbers that can't be")
        }
        return record
    }

    /// What is in a file of the queue: its version is looked at before anything that another one
    /// may mean otherwise.
    private struct Versioned<Value: Decodable>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            let version = try members.decode(Int.self, forKey: .version)
            guard version == UploadRecord.currentVersion else {
                throw UnknownVersion(version: version)
            }
            value = try Value(from: decoder)
        }
    }

    private enum Key: CodingKey { case version }

    private struct UnknownVersion: Error, CustomStringConvertible {
        let version: Int
        var description: String { "version \(version) isn't known here" }
    }

    /// `nil` only if there is no such file.
    private static func read<Value: Decodable>(
        _ name: String,
        of id: UploadID,
        in directory: String
    ) throws(UploadError) -> Value? {
        let bytes: Data
        do throws(UploadError) {
            bytes = try systemRead(directory + "/" + name, limit: fileLimit)
        } catch .system(_, ENOENT, _) {
            return nil
        }
        do {
            return try JSONDecoder().decode(Versioned<Value>.self, from: bytes).value
        } catch {
            throw .uploadIsUnreadable(id, reason: "\(name) isn't understood: \(error)")
        }
    }
}
