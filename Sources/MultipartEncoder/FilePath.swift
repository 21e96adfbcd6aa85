/// What a path's text says, without a look at the file system.
package enum FilePath {
    /// What comes after the last slash, slashes at the end aside.
    package static func lastComponent(of path: String) -> String {
        String(path.split(separator: "/").last ?? "")
    }

    /// The directory that a name lies in; `.` for a bare name.
    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The letters after the last dot of the last component, in lower case; a name that only
    /// starts with a dot has none.
    package static func pathExtension(of path: String) -> String? {
        let name = lastComponent(of: path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let letters = name[name.index(after: dot)...]
        return letters.isEmpty ? nil : letters.lowercased()
    }

    /// A name in a directory.
    package static func joining(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }
}
