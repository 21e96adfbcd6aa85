/// One line of a command's table of options: how it is written, what it does, what the help says.
package struct CommandOption {
    package let flag: String
    /// A word for each value that follows the flag.
    let values: [String]
    let help: String
    package let apply: ([String]) throws(ToolError) -> Void

    package init(
        _ flag: String,
        _ values: [String] = [],
        help: String,
        apply: @escaping ([String]) throws(ToolError) -> Void
    ) {
        self.flag = flag
        self.values = values
        self.help = help
        self.apply = apply
    }

    /// The option's lines in a command's help.
    package var helpText: String {
        let usage = ([flag] + values).joined(separator: " ")
        let column = 28
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        let margin = String(repeating: " ", count: column)
        let body = lines.joined(separator: "\n" + margin)
        let fits = usage.count + 4 <= column
        return fits ? padded("  \(usage)", to: column) + body : "  \(usage)\n\(margin)\(body)"
    }
}

/// A text with spaces after it, up to a width.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}
