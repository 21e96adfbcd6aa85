/// A random name for a file that is to be removed unless it has been renamed.
struct TemporaryName: ~Copyable {
    let path: String

    private static let prefix = ".multipart-"
    private static let suffix = ".spool"

    init(in directory: String) {
        let unique = UInt64.random(in: .min ... .max)
        let name = "\(Self.prefix)\(String(unique, radix: 36))\(Self.suffix)"
        path = FilePath.joining(directory, name)
    }

    deinit { try? systemUnlink(path) }  // gone already when it was renamed

    static func matches(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.hasSuffix(suffix)
    }
}
