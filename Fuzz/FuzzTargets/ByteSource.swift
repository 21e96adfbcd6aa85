/// Hands out an input piece by piece; what is missing at its end is 0 or nothing.
struct ByteSource {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let piece = rest.prefix(count)
        rest = rest.dropFirst(count)
        return Array(piece)
    }

    /// Up to 255 bytes behind their number.
    mutating func counted() -> [UInt8] {
        let count = Int(byte())
        return bytes(count)
    }

    mutating func text() -> String { String(decoding: counted(), as: UTF8.self) }
}
