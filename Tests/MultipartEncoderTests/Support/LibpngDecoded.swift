import CPNGReader

/// A PNG as libpng reads it: packed rows as they are in the file.
struct LibpngDecoded {
    let width: Int
    let height: Int
    let bitDepth: Int
    let colorType: Int
    let rows: [UInt8]
    /// libpng's error or warning; empty when it has nothing to say.
    let complaint: String

    init(_ png: [UInt8]) {
        KeptPNGs.keep(png)
        var image = unsafe png_reader_image()
        unsafe png_reader_read(&image, png, png.count)
        width = Int(unsafe image.width)
        height = Int(unsafe image.height)
        bitDepth = Int(unsafe image.bit_depth)
        colorType = Int(unsafe image.color_type)
        complaint = unsafe String(cString: png_reader_error(&image))
        rows = unsafe Array(
            UnsafeBufferPointer(
                start: image.rows,
                count: image.rows == nil ? 0 : height * image.row_bytes
            )
        )
        unsafe png_reader_free(&image)
    }

    /// Samples packed as PNG packs them, for comparison with ``rows``.
    static func pack(_ samples: [UInt16], width: Int, channels: Int, bitDepth: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: samples.count, by: width * channels) {
            var pending = 0
            var bits = 0
            for sample in samples[start..<start + width * channels] {
                pending = pending << bitDepth | Int(sample)
                bits += bitDepth
                while bits >= 8 {
                    bits -= 8
                    bytes.append(UInt8(pending >> bits & 255))
                }
            }
            if bits > 0 { bytes.append(UInt8(pending << (8 - bits) & 255)) }
        }
        return bytes
    }
}
