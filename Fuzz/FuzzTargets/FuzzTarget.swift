/// What can be fuzzed; each traps where the encoder is wrong, and takes any bytes.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// A sequence of operations of the writer, with every kind of source.
    case writer
    /// Names, filenames, types and headers.
    case header
    /// A boundary of the caller's own.
    case boundary
    /// A body that anyone may have made, read by the inspector.
    case inspector
    /// Pixels of any format through any level of the PNG encoder.
    case png

    /// Runs the target with one input.
    package func run(_ input: [UInt8]) {
        switch self {
        case .writer: fuzzWriter(input)
        case .header: fuzzHeader(input)
        case .boundary: fuzzBoundary(input)
        case .inspector: fuzzInspector(input)
        case .png: fuzzPNG(input)
        }
    }
}
