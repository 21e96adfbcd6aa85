import MultipartEncoder

/// A command's arguments, made into strings only when they are looked at: there may be hundreds of
/// thousands.
package struct Arguments: Sendable {
    private let first: Int

    /// The process's arguments without its name.
    package static let ofProcess = Arguments(first: 1)

    private init(first: Int) { self.first = first }

    package var count: Int { max(0, systemArgumentCount() - first) }

    /// The arguments after the first one.
    package var rest: Arguments { Arguments(first: first + 1) }

    /// The argument at an index below `count`.
    package func text(at index: Int) throws(ToolError) -> String {
        guard let text = systemArgument(first + index) else {
            throw .usage("argument \(first + index) is not UTF-8")
        }
        return text
    }
}
