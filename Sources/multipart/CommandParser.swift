/// Reads a command line by its table of options, from left to right.
struct CommandParser<Settings> {
    private let options: [String: CommandOption<Settings>]
    private let arguments: Arguments
    private var position = 0

    init(_ options: [CommandOption<Settings>], _ arguments: Arguments) {
        self.options = Dictionary(uniqueKeysWithValues: options.map { ($0.flag, $0) })
        self.arguments = arguments
    }

    /// What a command line comes to.
    enum Outcome {
        case settings(Settings)
        case help
    }

    /// What the command line comes to; `settings` hold where no option says otherwise.
    func parse(from settings: Settings) throws(ToolError) -> Outcome {
        var parser = self
        var settings = settings
        while parser.position < parser.arguments.count {
            guard try parser.step(&settings) else { return .help }
        }
        return .settings(settings)
    }

    /// Reads one option with its values; `false` where help is asked for.
    mutating func step(_ settings: inout Settings) throws(ToolError) -> Bool {
        let argument = try arguments.text(at: position)
        position += 1
        if argument == "--help" || argument == "-h" { return false }
        var flag = argument
        var values: [String] = []
        // Looked for as a byte: an accent behind it would make it another character.
        if argument.hasPrefix("--"), let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) {
            flag = String(argument[..<equals])
            values.append(String(argument[argument.utf8.index(after: equals)...]))
        }
        guard let option = options[flag] else {
            let kind = argument.hasPrefix("-") && argument != "-" ? "option" : "argument"
            throw .usage("unknown \(kind) '\(argument)'")
        }
        if !values.isEmpty, option.values.count != 1 {
            let count = option.values.isEmpty ? "no value" : "\(option.values.count) values"
            throw .usage("\(flag) takes \(count), not '='")
        }
        while values.count < option.values.count {
            guard position < arguments.count else {
                throw .usage("\(flag) needs \(option.values.joined(separator: " and "))")
            }
            values.append(try arguments.text(at: position))
            position += 1
        }
        try option.apply(&settings, values)
        return true
    }

    var isAtEnd: Bool { position >= arguments.count }
}

/// The parts of a command line, one after the other, in memory that does not grow with their number.
///
/// The command line has been parsed as a whole before, so that nothing is done if any of it is wrong.
struct PartReader<Settings> {
    private var parser: CommandParser<Settings>
    private var settings: Settings
    private let path: WritableKeyPath<Settings, PartList>

    /// The parts of `parser`'s command line; `settings` are fresh ones, which have them at `path`.
    init(
        _ parser: CommandParser<Settings>,
        from settings: Settings,
        at path: WritableKeyPath<Settings, PartList>
    ) {
        self.parser = parser
        self.settings = settings
        self.path = path
    }

    mutating func next() throws(ToolError) -> PartRequest? {
        while !parser.isAtEnd {
            _ = try parser.step(&settings)
            if let part = settings[keyPath: path].takeFinished() { return part }
        }
        return settings[keyPath: path].takeLast()
    }
}
