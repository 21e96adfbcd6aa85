/// How pixels become a PNG.
public struct PNGOptions: Hashable, Sendable {
    /// Speed against size.
    public var compression: PNGCompression
    /// What is said about the image besides its pixels.
    public var metadata: PNGMetadata
    /// Whether to look for a smaller form that loses nothing: no alpha where all is opaque, gray
    /// where there is no color, 8 bits where 16 say no more, a palette where there are few colors.
    ///
    /// The scan stops as soon as nothing can be won. It needs the whole image, so it is not done
    /// for rows that are given one by one.
    public var reduces: Bool
    /// Whether the image can be shown coarsely before all of it has arrived (Adam7). Makes it
    /// larger and slower to write.
    public var isInterlaced: Bool

    /// The usual choices, or some of your own.
    public init(
        compression: PNGCompression = .libpng(level: 6),
        metadata: PNGMetadata = PNGMetadata(),
        reduces: Bool = false,
        interlaced: Bool = false
    ) {
        self.compression = compression
        self.metadata = metadata
        self.reduces = reduces
        isInterlaced = interlaced
    }

    /// Exactly what libpng writes; see ``PNGCompression/libpng(level:strategy:filters:)``.
    public static func libpng(
        level: Int,
        strategy: PNGCompression.Strategy? = nil,
        filters: PNGCompression.Filters? = nil
    ) -> PNGOptions {
        PNGOptions(compression: .libpng(level: level, strategy: strategy, filters: filters))
    }
}
