/// What a PNG says about its image besides the pixels.
///
/// Nothing is checked before the image is written; what can't be is a ``PNGError/metadata(_:)``
/// then.
public struct PNGMetadata: Hashable, Sendable {
    /// The image is in sRGB, to be rendered so (`sRGB`).
    ///
    /// Left out where there is an ICC profile.
    public var sRGB: RenderingIntent?
    /// The image's gamma, such as 1 / 2.2 (`gAMA`).
    public var gamma: Double?
    /// The colors of white, red, green and blue (`cHRM`).
    public var chromaticities: Chromaticities?
    /// An ICC profile (`iCCP`); for gray pixels it must be a gray profile.
    public var iccProfile: ICCProfile?
    /// The color space in the code points of ITU-T H.273, as HDR images need it (`cICP`).
    public var codingPoints: CodingPoints?
    /// Pixels per meter, or the shape of a pixel (`pHYs`).
    public var density: PixelDensity?
    /// Exif data, starting with `II` or `MM`, without JPEG's `Exif` before it (`eXIf`).
    public var exif: [UInt8]?
    /// Texts, in order (`tEXt` where Latin-1 can hold them, otherwise `iTXt`).
    public var texts: [Text] = []
    /// When the image was last changed (`tIME`).
    public var modified: Time?

    /// No metadata at all.
    public init() {}

    /// How colors that a display can't show are to be handled.
    public enum RenderingIntent: CInt, Hashable, Sendable, CaseIterable {
        /// For photographs.
        case perceptual = 0
        /// For logos: exact relative to white.
        case relativeColorimetric = 1
        /// For charts: saturated rather than exact.
        case saturation = 2
        /// For proofs: exact.
        case absoluteColorimetric = 3
    }

    /// CIE coordinates of white and the primaries.
    public struct Chromaticities: Hashable, Sendable {
        /// A point of the CIE 1931 diagram.
        public struct Point: Hashable, Sendable {
            /// 0 to 1.
            public var x, y: Double

            /// A point.
            public init(x: Double, y: Double) {
                self.x = x
                self.y = y
            }
        }

        /// The white point and the primaries.
        public var white, red, green, blue: Point

        /// The four points.
        public init(white: Point, red: Point, green: Point, blue: Point) {
            self.white = white
            self.red = red
            self.green = green
            self.blue = blue
        }
    }

    /// An ICC profile under a name.
    public struct ICCProfile: Hashable, Sendable {
        /// 1 to 79 printable characters of Latin-1.
        public var name: String
        /// The profile itself; it is compressed.
        public var bytes: [UInt8]

        /// A profile.
        public init(name: String = "ICC profile", bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// Code points of ITU-T H.273.
    public struct CodingPoints: Hashable, Sendable {
        /// Such as 9 for BT.2020.
        public var primaries: UInt8
        /// Such as 16 for PQ.
        public var transferFunction: UInt8
        /// 0, as PNG holds RGB.
        public var matrixCoefficients: UInt8
        /// Whether samples use the full range.
        public var isFullRange: Bool

        /// Code points.
        public init(
            primaries: UInt8,
            transferFunction: UInt8,
            matrixCoefficients: UInt8 = 0,
            fullRange: Bool = true
        ) {
            self.primaries = primaries
            self.transferFunction = transferFunction
            self.matrixCoefficients = matrixCoefficients
            isFullRange = fullRange
        }
    }

    /// How many pixels there are to a length.
    public struct PixelDensity: Hashable, Sendable {
        /// Pixels along the unit, below 2³¹.
        public var x, y: UInt32
        /// Whether the unit is the meter; otherwise only the ratio of both counts.
        public var isPerMeter: Bool

        /// A density.
        public init(x: UInt32, y: UInt32, perMeter: Bool = true) {
            self.x = x
            self.y = y
            isPerMeter = perMeter
        }
    }

    /// A text under a keyword.
    public struct Text: Hashable, Sendable {
        /// Such as `Title`, `Author`, `Copyright`: 1 to 79 printable characters of Latin-1.
        public var keyword: String
        /// Any text without NUL.
        public var text: String
        /// The text's language, such as `en`; makes it an `iTXt`.
        public var language: String
        /// The keyword in that language; makes it an `iTXt`.
        public var translatedKeyword: String

        /// A text.
        public init(
            _ text: String,
            keyword: String,
            language: String = "",
            translatedKeyword: String = ""
        ) {
            self.keyword = keyword
            self.text = text
            self.language = language
            self.translatedKeyword = translatedKeyword
        }
    }

    /// A time in UTC.
    public struct Time: Hashable, Sendable {
        /// All four digits.
        public var year: UInt16
        /// From 1 on; a second may be 60.
        public var month, day, hour, minute, second: UInt8

        /// A time.
        public init(
            year: UInt16,
            month: UInt8,
            day: UInt8,
            hour: UInt8 = 0,
            minute: UInt8 = 0,
            second: UInt8 = 0
        ) {
            self.year = year
            self.month = month
            self.day = day
            self.hour = hour
            self.minute = minute
            self.second = second
        }
    }
}
