import Foundation
import Synchronization

/// A directory that goes away with its last owner.
final class TemporaryDirectory: Sendable {
    /// One of several files of a size.
    struct Member: Hashable {
        let size: Int
        let number: Int
    }

    /// In memory where there is room.
    ///
    /// A queue waits for the disk at every step, and a busy disk would take most of the time of all
    /// tests. The long tests go to the disk.
    private static let parent: String = {
        let memory = "/dev/shm"
        let manager = FileManager.default
        let free = try? manager.attributesOfFileSystem(forPath: memory)[.systemFreeSize]
        guard !LongTests.areOn, manager.isWritableFile(atPath: memory),
            (free as? NSNumber)?.int64Value ?? 0 > 2 << 30
        else { return manager.temporaryDirectory.path }
        return memory
    }()

    let path: String
    private let members = Mutex<[Int: Int]>([:])

    init() throws {
        path = Self.parent + "/upload-tests-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func nextMember(of size: Int) -> Member {
        members.withLock { members in
            members[size, default: 0] += 1
            return Member(size: size, number: members[size, default: 0])
        }
    }

    /// Every file below, by its path from here, sorted.
    func files(below name: String = "") -> [String] {
        let start = name.isEmpty ? path : path + "/" + name
        return (FileManager.default.enumerator(atPath: start)?.allObjects ?? [])
            .compactMap { $0 as? String }
            .filter { file in
                let kind = try? FileManager.default.attributesOfItem(atPath: start + "/" + file)
                return kind?[.type] as? FileAttributeType != .typeDirectory
            }.sorted()
    }
}
