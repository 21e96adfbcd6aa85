/// What a path's text says, without a look at the file system.
///
/// It goes by bytes, as the system does: a combining mark after a slash would make one character of
/// the two.
package enum FilePath {
    /// What comes after the last slash, slashes at the end aside.
    package static func lastComponent(of path: String) -> String {
        path.utf8.split(separator: slash).last.map { String(Substring($0)) } ?? ""
    }

    /// The directory that a name lies in; `.` for a bare name.
    package static func directory(of path: String) -> String {
        let bytes = path.utf8
        guard let slash = bytes.lastIndex(of: slash) else { return "." }
        return slash == bytes.startIndex ? "/" : String(path[..<slash])
    }

    /// The letters after the last dot of the last component, in lower case; a name that only
    /// starts with a dot has none.
    package static func pathExtension(of path: String) -> String? {
        let name = lastComponent(of: path)
        let bytes = name.utf8
        guard let dot = bytes.lastIndex(of: dot), dot != bytes.startIndex else { return nil }
        let letters = name[bytes.index(after: dot)...]
        return letters.isEmpty ? nil : letters.lowercased()
    }

    /// A name in a directory; an empty one is the current directory.
    package static func joining(_ directory: String, _ name: String) -> String {
        switch directory.utf8.last {
        case nil: name
        case slash: directory + name
        default: "\(directory)/\(name)"
        }
    }

    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")
}
