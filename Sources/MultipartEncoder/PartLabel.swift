/// Which part an error is about.
public struct PartLabel: Hashable, Sendable {
    /// The part's place in the body, the first being 0.
    public let index: Int
    /// The part's name, as given.
    public let name: String

    package init(index: Int, name: String) {
        self.index = index
        self.name = name
    }
}

extension PartLabel: CustomStringConvertible {
    /// Such as `part 3 ("photo")`, counted from 1 as people do.
    public var description: String { "part \(index + 1) (\"\(printable(name))\")" }
}

/// A text for a line of a message: control characters would garble a terminal or a log.
package func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: "\u{FFFD}" as Unicode.Scalar
        default: scalar
        }
    }
    return String(String.UnicodeScalarView(scalars))
}
