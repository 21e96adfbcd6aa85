/// An image in memory that somebody else owns.
///
/// Its pixels are borrowed, never copied.
public struct PixelBuffer: ~Escapable {
    /// Size, format, palette.
    public let layout: PixelLayout
    /// Bytes from a row to the one below it.
    ///
    /// Negative for a bottom-up image: the memory starts with the bottom row then, and the top row
    /// comes last.
    public let bytesPerRow: Int
    let bytes: Span<UInt8>

    /// Pixels in a row.
    public var width: Int { layout.width }
    /// Rows.
    public var height: Int { layout.height }
    /// How a pixel lies in memory.
    public var format: PixelFormat { layout.format }

    /// An image in a piece of memory.
    ///
    /// - Parameters:
    ///   - bytes: All rows. Behind the last one no padding is needed; more bytes do no harm.
    ///   - layout: Size, format, palette.
    ///   - bytesPerRow: From a row to the one below it, by default without padding. A negative one
    ///     says that the bottom row comes first in memory.
    /// - Throws: ``PNGError`` if the bytes can't hold such an image.
    @_lifetime(copy bytes)
    public init(
        _ bytes: Span<UInt8>,
        layout: PixelLayout,
        bytesPerRow: Int? = nil
    ) throws(PNGError) {
        let stride = try layout.stride(bytesPerRow)
        guard let needed = layout.byteCount(rows: layout.height, bytesPerRow: stride) else {
            throw .overflow(width: layout.width, height: layout.height, bytesPerRow: stride)
        }
        guard bytes.count >= needed else { throw .bufferTooSmall(missing: needed - bytes.count) }
        self.layout = layout
        self.bytesPerRow = stride
        self.bytes = bytes
    }

    /// An image in a piece of memory.
    ///
    /// - Parameters:
    ///   - bytes: All rows. Behind the last one no padding is needed; more bytes do no harm.
    ///   - width: Pixels in a row, 1 to 2³¹ − 1.
    ///   - height: Rows, 1 to 2³¹ − 1.
    ///   - format: How a pixel lies in memory.
    ///   - bytesPerRow: From a row to the one below it, by default without padding. A negative one
    ///     says that the bottom row comes first in memory.
    ///   - premultiplied: Whether colors are multiplied by their alpha.
    ///   - palette: The colors of an indexed format.
    /// - Throws: ``PNGError`` if there is no such image or the bytes can't hold it.
    @_lifetime(copy bytes)
    public init(
        _ bytes: Span<UInt8>,
        width: Int,
        height: Int,
        format: PixelFormat,
        bytesPerRow: Int? = nil,
        premultiplied: Bool = false,
        palette: Palette? = nil
    ) throws(PNGError) {
        let layout = try PixelLayout(
            width: width,
            height: height,
            format: format,
            premultiplied: premultiplied,
            palette: palette
        )
        try self.init(bytes, layout: layout, bytesPerRow: bytesPerRow)
    }

    /// An image in memory that Swift does not watch over, which must stay as it is while this value
    /// is used; see the one above.
    @_lifetime(borrow bytes)
    @unsafe public init(
        _ bytes: UnsafeRawBufferPointer,
        width: Int,
        height: Int,
        format: PixelFormat,
        bytesPerRow: Int? = nil,
        premultiplied: Bool = false,
        palette: Palette? = nil
    ) throws(PNGError) {
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        try self.init(
            span,
            width: width,
            height: height,
            format: format,
            bytesPerRow: bytesPerRow,
            premultiplied: premultiplied,
            palette: palette
        )
    }
}
