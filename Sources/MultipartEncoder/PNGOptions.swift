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
    /// Whether the image can be shown coarsely before all of it has arrived (Adam7).
    ///
    /// That makes it larger and slower to write.
    public var isInterlaced: Bool

    /// The usual choices, or some of your own.
    public init(
        compression: PNGCompression = .fast,
        metadata: PNGMetadata = PNGMetadata(),
        reduces: Bool = false,
        interlaced: Bool = false
    ) {
        self.compression = compression
        self.metadata = metadata
        self.reduces = reduces
        isInterlaced = interlaced
    }

    /// As fast as memory allows.
    public static let fastest = PNGOptions(compression: .fastest)
    /// The default: small and very fast.
    public static let fast = PNGOptions(compression: .fast)
    /// Smaller than libpng's default, and many times faster.
    public static let balanced = PNGOptions(compression: .balanced)
    /// The smallest that is worth its time.
    public static let small = PNGOptions(compression: .small)

    /// Exactly what libpng writes; see ``PNGCompression/libpng(level:strategy:filters:)``.
    public static func libpng(
        level: Int,
        strategy: PNGCompression.Strategy? = nil,
        filters: PNGCompression.Filters? = nil
    ) -> PNGOptions {
        PNGOptions(compression: .libpng(level: level, strategy: strategy, filters: filters))
    }
}
