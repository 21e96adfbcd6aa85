/// Why an image can't become a PNG.
public enum PNGError: Error, Hashable, Sendable {
    /// A side is below 1 or above 2³¹ − 1.
    case size(width: Int, height: Int)
    /// The size of the image in bytes is beyond what an integer can hold.
    case overflow(width: Int, height: Int, bytesPerRow: Int)
    /// A row does not fit between the starts of two rows.
    case bytesPerRow(Int, minimum: Int)
    /// The memory ends before the image does.
    case bufferTooSmall(missing: Int)
    /// Colors are said to be premultiplied, but there is no alpha.
    case premultipliedWithoutAlpha(PixelFormat)
    /// An indexed format needs a palette.
    case noPalette(PixelFormat)
    /// A palette was given for a format that has no indexes.
    case unexpectedPalette(PixelFormat)
    /// A palette has no color, or more than `limit`.
    case paletteSize(Int, limit: Int)
    /// A pixel's index is not in the palette.
    case indexOutsidePalette(UInt8, x: Int, y: Int, paletteCount: Int)
    /// Rows were given one by one, and there were more or fewer than the image has.
    case rowCount(Int, expected: Int)
    /// Interlacing needs the whole image at once, not rows one by one.
    case interlacedRows
    /// Some metadata can't be written; the text says which and why.
    case metadata(String)
    /// libpng gave up, with these words.
    case libpng(String)
    /// There is not enough memory.
    case outOfMemory
}

extension PNGError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .size(let width, let height):
            "\(width)x\(height) is no size for a PNG; each side must be 1 to 2147483647"
        case .overflow(let width, let height, let bytesPerRow):
            "\(width)x\(height) with \(bytesPerRow) bytes a row is too large to address"
        case .bytesPerRow(let given, let minimum):
            "\(given) bytes a row are too few; a row has \(minimum)"
        case .bufferTooSmall(let missing):
            "the pixels end too early: \(missing) bytes are missing"
        case .premultipliedWithoutAlpha(let format):
            "\(format.rawValue) has no alpha, so it can't be premultiplied"
        case .noPalette(let format): "\(format.rawValue) needs a palette"
        case .unexpectedPalette(let format): "\(format.rawValue) has no use for a palette"
        case .paletteSize(let count, let limit):
            "the palette has \(count) colors; 1 to \(limit) are possible"
        case .indexOutsidePalette(let index, let x, let y, let count):
            "pixel (\(x), \(y)) has index \(index), but the palette has \(count) colors"
        case .rowCount(let given, let expected):
            "\(given) rows were given for an image of \(expected)"
        case .interlacedRows: "an interlaced image needs all its rows at once"
        case .metadata(let words): "metadata: \(words)"
        case .libpng(let words): "libpng: \(words)"
        case .outOfMemory: "out of memory"
        }
    }
}
