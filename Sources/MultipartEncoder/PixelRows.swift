/// Takes the rows of an image that nobody holds as a whole.
public struct PixelRows: ~Copyable {
    /// Size, format, palette of the image.
    public let layout: PixelLayout
    var feed: PNGRowFeed
    /// The part that the image becomes.
    private let part: PartLabel

    init(layout: PixelLayout, feed: consuming PNGRowFeed, part: PartLabel) {
        self.layout = layout
        self.feed = feed
        self.part = part
    }

    /// Appends the next rows, from top to bottom; they may be reused as soon as this returns.
    ///
    /// - Parameters:
    ///   - rows: One row or more; behind the last one no padding is needed.
    ///   - bytesPerRow: From a row to the one below it, by default without padding. A negative one
    ///     says that the lowest of the rows comes first in memory.
    /// - Throws: ``MultipartError``; the body is lost then.
    public mutating func append(
        _ rows: Span<UInt8>,
        bytesPerRow: Int? = nil
    ) throws(MultipartError) {
        do throws(PNGInterruption) {
            try feed.add(rows, bytesPerRow: bytesPerRow)
        } catch {
            throw error.error(for: part)
        }
    }

    /// Appends rows from memory that Swift does not watch over; see the one above.
    ///
    /// - Parameters:
    ///   - rows: One row or more.
    ///   - bytesPerRow: From a row to the one below it.
    /// - Throws: ``MultipartError``; the body is lost then.
    @unsafe public mutating func append(
        _ rows: UnsafeRawBufferPointer,
        bytesPerRow: Int? = nil
    ) throws(MultipartError) {
        let span = unsafe Span<UInt8>(_unsafeBytes: rows)
        try append(span, bytesPerRow: bytesPerRow)
    }
}
