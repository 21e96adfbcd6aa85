/// Pixels that can be had again and again, for a ``Part`` of a form.
public struct PixelSource: Sendable {
    /// Size, format, palette.
    public let layout: PixelLayout
    let storage: Storage

    enum Storage: Sendable {
        case bytes(ContiguousArray<UInt8>, bytesPerRow: Int)
        case rows(@Sendable (inout PixelRows) throws -> Void)
    }

    private init(layout: PixelLayout, storage: Storage) {
        self.layout = layout
        self.storage = storage
    }

    /// Pixels in memory.
    ///
    /// - Parameters:
    ///   - bytes: All rows; kept, not copied.
    ///   - layout: Size, format, palette.
    ///   - bytesPerRow: From a row to the one below it, by default without padding. A negative one
    ///     says that the bottom row comes first in memory.
    /// - Returns: The source.
    /// - Throws: ``PNGError`` if the bytes can't hold such an image.
    public static func bytes(
        _ bytes: [UInt8],
        layout: PixelLayout,
        bytesPerRow: Int? = nil
    ) throws(PNGError) -> PixelSource {
        let bytes = ContiguousArray(bytes)
        let stride = try PixelBuffer(bytes.span, layout: layout, bytesPerRow: bytesPerRow)
            .bytesPerRow
        return PixelSource(layout: layout, storage: .bytes(bytes, bytesPerRow: stride))
    }

    /// Rows that a closure hands over, for images that nobody holds as a whole.
    ///
    /// - Parameters:
    ///   - layout: Size, format, palette.
    ///   - rows: Hands over all rows, the same ones each time it is called.
    /// - Returns: The source.
    public static func rows(
        layout: PixelLayout,
        _ rows: @escaping @Sendable (inout PixelRows) throws -> Void
    ) -> PixelSource {
        PixelSource(layout: layout, storage: .rows(rows))
    }
}
