/// How an image is compressed: speed against size.
///
/// The named levels use this library's own compressor, on several threads where there is enough to
/// do; their bytes do not depend on how many. Rows of more than 256 MiB and interlaced images go
/// through libpng, at the level that comes nearest.
public enum PNGCompression: Hashable, Sendable {
    /// As fast as memory allows, for files that live shortly.
    case fastest
    /// About as small as libpng's default for photographs, and dozens of times faster.
    case fast
    /// Smaller than libpng's default, and many times faster.
    case balanced
    /// The smallest that is worth its time.
    case small
    /// Exactly as libpng does it.
    ///
    /// - Parameters:
    ///   - level: zlib's level, 0 (none) to 9 (smallest); libpng's own default is 6.
    ///   - strategy: zlib's strategy; `nil` leaves the choice to libpng.
    ///   - filters: The row filters to choose from; `nil` leaves the choice to libpng.
    case libpng(level: Int, strategy: Strategy? = nil, filters: Filters? = nil)

    /// What zlib looks for (see its `deflateInit2`).
    public enum Strategy: CInt, Hashable, Sendable, CaseIterable {
        /// Ordinary data.
        case standard = 0
        /// Small values that are mostly random: fewer matches.
        case filtered = 1
        /// No matches at all.
        case huffmanOnly = 2
        /// Runs of one byte only.
        case runLength = 3
        /// Fixed codes.
        case fixed = 4
    }

    /// Row filters; where there are several, libpng takes for each row the one with the smallest
    /// sum of differences.
    public struct Filters: OptionSet, Hashable, Sendable {
        /// One bit a filter, as in libpng's `png_set_filter`.
        public let rawValue: CInt

        /// A set from libpng's bits.
        public init(rawValue: CInt) { self.rawValue = rawValue }

        /// The samples as they are.
        public static let none = Filters(rawValue: 0x08)
        /// The difference from the pixel to the left.
        public static let sub = Filters(rawValue: 0x10)
        /// The difference from the pixel above.
        public static let up = Filters(rawValue: 0x20)
        /// The difference from the mean of both.
        public static let average = Filters(rawValue: 0x40)
        /// The difference from the one of three neighbors that is nearest to their plane.
        public static let paeth = Filters(rawValue: 0x80)
        /// All five.
        public static let all: Filters = [.none, .sub, .up, .average, .paeth]
    }
}

extension PNGCompression {
    /// What libpng is told where the named level can't be used.
    var libpngSettings: (level: Int, strategy: Strategy?, filters: Filters?) {
        switch self {
        case .fastest: (1, nil, nil)
        case .fast: (3, nil, nil)
        case .balanced: (6, nil, nil)
        case .small: (9, nil, nil)
        case .libpng(let level, let strategy, let filters): (level, strategy, filters)
        }
    }
}
