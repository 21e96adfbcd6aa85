import Foundation

/// A directory that goes away with its last owner.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("upload-tests-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

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
