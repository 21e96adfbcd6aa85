/// One line of a command's table of options: how it is written, what it does, what the help says.
struct CommandOption<Settings> {
    let flag: String
    /// A word for each value that follows the flag.
    let values: [String]
    let help: String
    let apply: (inout Settings, [String]) throws(ToolError) -> Void

    init(
        _ flag: String,
        _ values: [String] = [],
        help: String,
        apply: @escaping (inout Settings, [String]) throws(ToolError) -> Void
    ) {
        self.flag = flag
        self.values = values
        self.help = help
        self.apply = apply
    }

    /// The same option of settings that have these as a part.
    func lifted<Whole>(to path: WritableKeyPath<Whole, Settings>) -> CommandOption<Whole> {
        CommandOption<Whole>(flag, values, help: help) { (whole, values) throws(ToolError) in
            try apply(&whole[keyPath: path], values)
        }
    }

    /// The option's lines in a command's help.
    var helpText: String {
        let usage = ([flag] + values).joined(separator: " ")
        let column = 28
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        let margin = String(repeating: " ", count: column)
        let body = lines.joined(separator: "\n" + margin)
        let fits = usage.count + 4 <= column
        return fits ? padded("  \(usage)", to: column) + body : "  \(usage)\n\(margin)\(body)"
    }
}

/// Reads a command line by its table of options, from left to right.
struct CommandParser<Settings> {
    let options: [CommandOption<Settings>]

    /// What a command line comes to.
    enum Outcome {
        case settings(Settings)
        case help
    }

    /// What a command line comes to; `settings` hold where no option says otherwise.
    func parse(_ arguments: [String], from settings: Settings) throws(ToolError) -> Outcome {
        var settings = settings
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" { return .help }
            var flag = argument
            var values: [String] = []
            if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
                flag = String(argument[..<equals])
                values.append(String(argument[argument.index(after: equals)...]))
            }
            guard let option = options.first(where: { $0.flag == flag }) else {
                let kind = argument.hasPrefix("-") && argument != "-" ? "option" : "argument"
                throw .usage("unknown \(kind) '\(argument)'")
            }
            if !values.isEmpty, option.values.count != 1 {
                throw .usage("\(flag) takes \(Self.count(option.values)), not '='")
            }
            while values.count < option.values.count {
                guard let value = rest.popFirst() else {
                    throw .usage("\(flag) needs \(option.values.joined(separator: " and "))")
                }
                values.append(value)
            }
            try option.apply(&settings, values)
        }
        return .settings(settings)
    }

    private static func count(_ values: [String]) -> String {
        values.isEmpty ? "no value" : "\(values.count) values"
    }
}

/// A text with spaces after it, up to a width.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}
