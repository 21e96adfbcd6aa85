import Foundation

/// A directory of a test's own, removed with all it holds when the test ends.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("multipart-tests-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        path = directory.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Everything in it, hidden files too.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    func file(_ name: String, _ content: some Sequence<UInt8> = []) throws -> String {
        let file = "\(path)/\(name)"
        try Data(content).write(to: URL(fileURLWithPath: file))
        return file
    }
}

/// A file's bytes; by hand, because Foundation leaks when it reads an empty file.
func bytes(ofFile path: String) throws -> [UInt8] {
    let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? handle.close() }
    return try [UInt8](handle.readToEnd() ?? Data())
}

func text(ofFile path: String) throws -> String {
    String(decoding: try bytes(ofFile: path), as: UTF8.self)
}
