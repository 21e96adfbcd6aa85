import CPNG
import MultipartEncoder
import Testing

/// The converters that have both a vector and a plain form.
@Suite struct ConvertTests {
    /// One row through the converter that the encoder uses, or through the plain one.
    private func converted(
        _ bytes: [UInt8],
        _ format: cpng_format,
        premultiplied: Bool,
        width: Int,
        portable: Bool
    ) -> [UInt8]? {
        var pixels = unsafe cpng_pixels()
        unsafe pixels.width = UInt32(width)
        unsafe pixels.height = 1
        unsafe pixels.format = format
        unsafe pixels.premultiplied = premultiplied
        guard let picture = unsafe cpng_picture_create(&pixels, .none) else { return nil }
        defer { unsafe cpng_picture_destroy(picture) }
        if portable { unsafe cpng_picture_use_portable(picture) }
        // Bytes behind the row must stay as they are.
        let count = unsafe cpng_picture_row_bytes(picture)
        var out = Array(repeating: UInt8(0xA5), count: count + 40)
        guard unsafe cpng_picture_convert(picture, bytes, &out) else { return nil }
        #expect(out[count...].allSatisfy { $0 == 0xA5 })
        return Array(out.prefix(count))
    }

    @Test(arguments: [
        (cpng_format.gray16, false, 2), (.graya16, false, 4), (.rgb16, false, 6),
        (.rgba16, false, 8), (.rgba16, true, 8), (.rgba8, true, 4), (.bgra8, false, 4),
        (.bgra8, true, 4), (.argb8, false, 4), (.argb8, true, 4), (.abgr8, false, 4),
        (.abgr8, true, 4), (.bgrx8, false, 4), (.rgbx8, false, 4), (.graya8, true, 2),
        (.graya16, true, 4),
    ])
    func `vector and plain code give the same row`(
        format: cpng_format,
        premultiplied: Bool,
        pixelBytes: Int
    ) throws {
        var generator = SeededGenerator(state: 3)
        let edges: [UInt8] = [0, 1, 127, 128, 254, 255]
        for width in Array(1...70) + [4099] {
            let bytes = (0..<width * pixelBytes).map { _ in
                let next = generator.next()
                return next % 3 == 0
                    ? edges[Int(next >> 8) % 6] : UInt8(truncatingIfNeeded: next >> 16)
            }
            let vector = converted(
                bytes,
                format,
                premultiplied: premultiplied,
                width: width,
                portable: false
            )
            let plain = converted(
                bytes,
                format,
                premultiplied: premultiplied,
                width: width,
                portable: true
            )
            #expect(vector != nil && vector == plain, "width \(width)")
        }
    }

    @Test func `16-bit colors are divided as exact arithmetic does`() throws {
        var generator = SeededGenerator(state: 9)
        var samples: [UInt16] = []
        for alpha in [1, 2, 3, 127, 255, 256, 32767, 32768, 65534, 65535] {
            for color in [0, 1, alpha / 2, alpha / 2 + 1, alpha - 1, alpha, 65535] {
                samples += [UInt16(color), UInt16(alpha)]
            }
        }
        for _ in 0..<20_000 {
            let alpha = UInt16.random(in: 0...65535, using: &generator)
            samples += [UInt16.random(in: 0...max(alpha, 1), using: &generator), alpha]
        }
        var bytes: [UInt8] = []
        var expected: [UInt8] = []
        for i in stride(from: 0, to: samples.count, by: 2) {
            let (color, alpha) = (Int(samples[i]), Int(samples[i + 1]))
            for sample in [samples[i], 0, samples[i], samples[i + 1]] {
                let native = sample.littleEndian
                bytes += [UInt8(truncatingIfNeeded: native), UInt8(native >> 8)]
            }
            let rounded = alpha == 0 ? 0 : (2 * color * 65535 + alpha) / (2 * alpha)
            for sample in [min(65535, rounded), 0, min(65535, rounded), alpha] {
                expected += [UInt8(sample >> 8), UInt8(truncatingIfNeeded: sample)]
            }
        }
        let width = samples.count / 2
        for portable in [false, true] {
            let row = converted(
                bytes,
                .rgba16,
                premultiplied: true,
                width: width,
                portable: portable
            )
            #expect(row == expected)
        }
    }
}
