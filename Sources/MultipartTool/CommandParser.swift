/// Reads a command line by its table of options, from left to right.
package struct CommandParser {
    private let options: [String: CommandOption]
    private let arguments: Arguments
    private var position = 0

    package init(_ options: [CommandOption], _ arguments: Arguments) {
        self.options = Dictionary(uniqueKeysWithValues: options.map { ($0.flag, $0) })
        self.arguments = arguments
    }

    /// Reads all options, or up to the one that asks for help: `false` then.
    package mutating func readAll() throws(ToolError) -> Bool {
        while !isAtEnd {
            guard try readOption() else { return false }
        }
        return true
    }

    /// Reads one option with its values; `false` where help is asked for.
    mutating func readOption() throws(ToolError) -> Bool {
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
        try option.apply(values)
        return true
    }

    var isAtEnd: Bool { position >= arguments.count }
}

/// The parts of a command line, one after the other, in memory that does not grow with their number.
///
/// The command line has been parsed as a whole before, so that nothing is done if any of it is wrong.
package struct PartReader {
    private var parser: CommandParser
    private let parts: PartList

    /// The parts of `parser`'s command line; its options put them into `parts`, which is empty.
    package init(_ parser: CommandParser, into parts: PartList) {
        self.parser = parser
        self.parts = parts
    }

    package mutating func next() throws(ToolError) -> PartRequest? {
        while !parser.isAtEnd {
            _ = try parser.readOption()
            if let part = parts.takeFinished() { return part }
        }
        return parts.takeLast()
    }
}
