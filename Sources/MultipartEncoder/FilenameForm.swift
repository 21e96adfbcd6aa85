/// Changes to filenames that some servers need and the standard does not have.
///
/// None is made unless you ask for it, because browsers make none; see `Documentation/Servers.md`.
public struct FilenameForm: OptionSet, Hashable, Sendable {
    /// One bit for each change.
    public let rawValue: UInt8

    /// The changes with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Only what comes after the last slash or backslash: some servers take `../x` for a path.
    public static let lastComponent = FilenameForm(rawValue: 1)
    /// No backslashes at the end: half of the servers take `\"` for a quote inside the name, and
    /// the part is lost.
    public static let noTrailingBackslash = FilenameForm(rawValue: 2)
    /// Accents as part of their letters (Unicode's NFC), as Safari sends them: names from macOS
    /// often have them apart, and a server may not find the file again.
    public static let composed = FilenameForm(rawValue: 4)

    /// A filename with the changes made.
    package func applied(to filename: String) -> String {
        var result = filename
        if contains(.lastComponent) {
            let isSeparator = { (byte: UInt8) in
                byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
            }
            result =
                result.utf8.split(whereSeparator: isSeparator).last.map {
                    String(Substring($0))
                } ?? ""
        }
        if contains(.noTrailingBackslash) {
            var bytes = result[...].utf8
            while bytes.last == UInt8(ascii: "\\") { bytes = bytes.dropLast() }
            result = String(Substring(bytes))
        }
        return contains(.composed) ? ComposedForm.of(result) : result
    }
}
