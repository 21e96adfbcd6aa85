/// The colors of an indexed image.
public struct Palette: Hashable, Sendable {
    /// A color and its alpha, not premultiplied.
    public struct Color: Hashable, Sendable {
        /// 0 to 255.
        public var red, green, blue: UInt8
        /// 0 is clear, 255 opaque.
        public var alpha: UInt8

        /// A color, opaque unless you say otherwise.
        public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
            self.red = red
            self.green = green
            self.blue = blue
            self.alpha = alpha
        }
    }

    /// Red, green, blue, alpha of each color.
    let bytes: ContiguousArray<UInt8>

    /// How many colors there are, 1 to 256.
    public var count: Int { bytes.count / 4 }

    /// A palette of 1 to 256 colors.
    ///
    /// - Throws: ``PNGError/paletteSize(_:limit:)``.
    public init(_ colors: [Color]) throws(PNGError) {
        try self.init(
            bytes: ContiguousArray(colors.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] })
        )
    }

    /// A palette of 1 to 256 colors, four bytes each: red, green, blue, alpha.
    ///
    /// - Throws: ``PNGError/paletteSize(_:limit:)``; bytes that make no whole color count as one.
    public init(rgba bytes: [UInt8]) throws(PNGError) {
        try self.init(bytes: ContiguousArray(bytes))
    }

    private init(bytes: ContiguousArray<UInt8>) throws(PNGError) {
        let count = (bytes.count + 3) / 4
        guard (1...256).contains(count), bytes.count == count * 4 else {
            throw .paletteSize(count, limit: 256)
        }
        self.bytes = bytes
    }

    /// The color of an index, which must be below ``count``.
    public subscript(index: Int) -> Color {
        precondition(index >= 0 && index < count, "no such color in the palette")
        return Color(
            red: bytes[index * 4],
            green: bytes[index * 4 + 1],
            blue: bytes[index * 4 + 2],
            alpha: bytes[index * 4 + 3]
        )
    }
}
