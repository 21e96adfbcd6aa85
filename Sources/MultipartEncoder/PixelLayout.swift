/// What an image is, without its pixels: size, format, palette.
public struct PixelLayout: Hashable, Sendable {
    /// Pixels in a row, 1 to 2³¹ − 1.
    public let width: Int
    /// Rows, 1 to 2³¹ − 1.
    public let height: Int
    /// How a pixel lies in memory.
    public let format: PixelFormat
    /// Whether colors are multiplied by their alpha.
    ///
    /// PNG wants them straight, so they are divided, rounded half up; where alpha is 0 the color is
    /// lost.
    public let isPremultiplied: Bool
    /// The colors of an indexed format.
    public let palette: Palette?

    /// The greatest width and height that a PNG can have.
    public static let maximumSide = 0x7FFF_FFFF

    /// Checks what is said about an image.
    ///
    /// - Parameters:
    ///   - width: Pixels in a row, 1 to 2³¹ − 1.
    ///   - height: Rows, 1 to 2³¹ − 1.
    ///   - format: How a pixel lies in memory.
    ///   - premultiplied: Whether colors are multiplied by their alpha; the format must have one.
    ///   - palette: For an indexed format, and only there; no more colors than it has indexes.
    /// - Throws: ``PNGError`` that says what can't be.
    public init(
        width: Int,
        height: Int,
        format: PixelFormat,
        premultiplied: Bool = false,
        palette: Palette? = nil
    ) throws(PNGError) {
        guard (1...Self.maximumSide).contains(width), (1...Self.maximumSide).contains(height)
        else { throw .size(width: width, height: height) }
        guard !premultiplied || format.hasAlpha else { throw .premultipliedWithoutAlpha(format) }
        guard format.isIndexed == (palette != nil) else {
            throw format.isIndexed ? .noPalette(format) : .unexpectedPalette(format)
        }
        if let palette {
            let limit = 1 << format.bitsPerPixel
            guard palette.count <= limit else { throw .paletteSize(palette.count, limit: limit) }
        }
        self.width = width
        self.height = height
        self.format = format
        isPremultiplied = premultiplied
        self.palette = palette
    }

    /// Bytes of a row without padding.
    public var packedBytesPerRow: Int { (width * format.bitsPerPixel + 7) / 8 }

    /// Bytes from the first one of `rows` rows to the last one, `nil` if no integer can say it.
    func byteCount(rows: Int, bytesPerRow: Int) -> Int? {
        let (above, overflow) = (rows - 1).multipliedReportingOverflow(
            by: Int(clamping: bytesPerRow.magnitude)
        )
        let (total, overflowToo) = above.addingReportingOverflow(packedBytesPerRow)
        return overflow || overflowToo ? nil : total
    }

    /// The stride to use, checked.
    func stride(_ bytesPerRow: Int?) throws(PNGError) -> Int {
        let bytesPerRow = bytesPerRow ?? packedBytesPerRow
        guard bytesPerRow.magnitude >= UInt(packedBytesPerRow), bytesPerRow != .min else {
            throw .bytesPerRow(bytesPerRow, minimum: packedBytesPerRow)
        }
        return bytesPerRow
    }
}
