/// How a pixel lies in memory: its channels in the order of their bytes, and their bits.
///
/// Samples of 16 bits are in the machine's own byte order. Pixels of less than a byte are packed
/// from the high bit, and each row starts on a byte. An `x` is a byte that is ignored.
public enum PixelFormat: String, Hashable, Sendable, CaseIterable {
    /// Gray, 1 bit: 0 is black.
    case gray1
    /// Gray, 2 bits.
    case gray2
    /// Gray, 4 bits.
    case gray4
    /// Gray, 8 bits.
    case gray8
    /// Gray, 16 bits.
    case gray16
    /// Gray and alpha, 8 bits each.
    case graya8
    /// Gray and alpha, 16 bits each.
    case graya16
    /// Red, green, blue, 8 bits each.
    case rgb8
    /// Red, green, blue, 16 bits each.
    case rgb16
    /// Red, green, blue, alpha, 8 bits each.
    case rgba8
    /// Red, green, blue, alpha, 16 bits each.
    case rgba16
    /// Blue, green, red, alpha, 8 bits each, as in most of Apple's and Windows' buffers.
    case bgra8
    /// Blue, green, red and a byte without meaning, 8 bits each.
    case bgrx8
    /// Red, green, blue and a byte without meaning, 8 bits each.
    case rgbx8
    /// Alpha, red, green, blue, 8 bits each.
    case argb8
    /// Alpha, blue, green, red, 8 bits each.
    case abgr8
    /// Indexes into a palette of at most 2 colors.
    case index1
    /// Indexes into a palette of at most 4 colors.
    case index2
    /// Indexes into a palette of at most 16 colors.
    case index4
    /// Indexes into a palette of at most 256 colors.
    case index8

    /// Bits from one pixel to the next.
    public var bitsPerPixel: Int {
        switch self {
        case .gray1, .index1: 1
        case .gray2, .index2: 2
        case .gray4, .index4: 4
        case .gray8, .index8: 8
        case .gray16, .graya8: 16
        case .rgb8: 24
        case .graya16, .rgba8, .bgra8, .bgrx8, .rgbx8, .argb8, .abgr8: 32
        case .rgb16: 48
        case .rgba16: 64
        }
    }

    /// Whether pixels have an alpha channel, so that colors may be premultiplied by it.
    public var hasAlpha: Bool {
        switch self {
        case .graya8, .graya16, .rgba8, .rgba16, .bgra8, .argb8, .abgr8: true
        case .gray1, .gray2, .gray4, .gray8, .gray16, .rgb8, .rgb16, .bgrx8, .rgbx8, .index1,
            .index2, .index4, .index8:
            false
        }
    }

    /// Whether pixels are indexes into a ``Palette``.
    public var isIndexed: Bool {
        switch self {
        case .index1, .index2, .index4, .index8: true
        case .gray1, .gray2, .gray4, .gray8, .gray16, .graya8, .graya16, .rgb8, .rgb16, .rgba8,
            .rgba16, .bgra8, .bgrx8, .rgbx8, .argb8, .abgr8:
            false
        }
    }
}
