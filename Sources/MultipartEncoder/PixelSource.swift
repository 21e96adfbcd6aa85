/// Pixels that can be had again and again, for a ``Part`` of a form.
public struct PixelSource: Sendable {
    /// Size, format, palette.
    public let layout: PixelLayout
    let storage: Storage

    enum Storage: Sendable {
        case bytes(ContiguousArray<UInt8>, bytesPerRow: Int)
        case file(path: String, offset: Int, bytesPerRow: Int)
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

    /// Pixels in a file, which is mapped into memory while it is encoded.
    ///
    /// Nobody may write to the file meanwhile: if it gets shorter, the process ends with `SIGBUS`.
    ///
    /// - Parameters:
    ///   - path: A regular file, or a link to one.
    ///   - offset: Where the first byte of the first row in memory is, from the file's start.
    ///   - layout: Size, format, palette.
    ///   - bytesPerRow: From a row to the one below it, by default without padding. A negative one
    ///     says that the bottom row comes first in the file.
    /// - Returns: The source.
    /// - Throws: ``PNGError`` if rows would overlap; the file is not looked at yet.
    public static func file(
        at path: String,
        offset: Int = 0,
        layout: PixelLayout,
        bytesPerRow: Int? = nil
    ) throws(PNGError) -> PixelSource {
        precondition(offset >= 0, "pixels can't start before their file")
        let stride = try layout.stride(bytesPerRow)
        return PixelSource(
            layout: layout,
            storage: .file(path: path, offset: offset, bytesPerRow: stride)
        )
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

    /// Whether the pixels are all there at once, so that ``withPixels(for:_:)`` can be called.
    var isWhole: Bool {
        switch storage {
        case .bytes, .file: true
        case .rows: false
        }
    }

    /// Calls `body` with the pixels, which are there only meanwhile.
    func withPixels(
        for part: PartLabel,
        _ body: (PixelBuffer) throws(PNGInterruption) -> Void
    ) throws(PNGInterruption) {
        switch storage {
        case .bytes(let bytes, let bytesPerRow):
            try body(pixels(in: bytes.span, bytesPerRow))
        case .file(let path, let offset, let bytesPerRow):
            let file = try Self.map(path, for: part)
            let bytes = file.bytes.extracting(droppingFirst: min(offset, file.bytes.count))
            try body(pixels(in: bytes, bytesPerRow))
            guard (try? file.isUnchanged()) == true else {
                throw .output(.source(part, path: path, .changedWhileRead))
            }
        case .rows: preconditionFailure("rows of a closure are not there all at once")
        }
    }

    private static func map(
        _ path: String,
        for part: PartLabel
    ) throws(PNGInterruption) -> MappedFile {
        do throws(SourceDefect) {
            return try MappedFile.open(path)
        } catch {
            throw .output(.source(part, path: path, error))
        }
    }

    @_lifetime(copy bytes)
    private func pixels(
        in bytes: Span<UInt8>,
        _ bytesPerRow: Int
    ) throws(PNGInterruption) -> PixelBuffer {
        do throws(PNGError) {
            return try PixelBuffer(bytes, layout: layout, bytesPerRow: bytesPerRow)
        } catch {
            throw .image(error)
        }
    }
}
