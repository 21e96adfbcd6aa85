import CPNG

/// C's description of an image and of how its rows become PNG rows.
@safe struct PNGPicture: ~Copyable {
    let handle: OpaquePointer

    deinit { unsafe cpng_picture_destroy(handle) }

    /// Describes an image whose pixels stay where they are as long as the description lives.
    ///
    /// - Parameters:
    ///   - rows: The top row, or `nil` when rows will be handed over one by one.
    ///   - stride: Bytes from a row to the one below it.
    @unsafe init(
        _ layout: PixelLayout,
        rows: UnsafePointer<UInt8>?,
        stride: Int,
        mode: cpng_reduce_mode
    ) throws(PNGInterruption) {
        let created = unsafe (layout.palette?.bytes ?? []).withUnsafeBufferPointer { palette in
            var pixels = unsafe cpng_pixels(
                rows: rows,
                stride: stride,
                width: UInt32(layout.width),
                height: UInt32(layout.height),
                format: cpng_format(layout.format),
                premultiplied: layout.isPremultiplied,
                palette: layout.palette == nil ? nil : palette.baseAddress,
                palette_count: UInt32(layout.palette?.count ?? 0)
            )
            return unsafe cpng_picture_create(&pixels, mode)
        }
        guard let created = unsafe created else { throw .image(.outOfMemory) }
        unsafe handle = created
    }

    /// Calls `body` with the description of a buffer and with its top row.
    static func with<Result>(
        _ pixels: PixelBuffer,
        _ options: PNGOptions,
        _ body: (consuming PNGPicture, UnsafePointer<UInt8>) throws(PNGInterruption) -> Result
    ) throws(PNGInterruption) -> Result {
        unsafe try pixels.bytes.withUnsafeBufferPointer { bytes throws(PNGInterruption) in
            guard let start = bytes.baseAddress else {
                preconditionFailure("a pixel buffer has at least one byte")
            }
            let stride = pixels.bytesPerRow
            let top = unsafe stride < 0 ? start - stride * (pixels.height - 1) : start
            let picture = unsafe try PNGPicture(
                pixels.layout,
                rows: top,
                stride: stride,
                mode: cpng_reduce_mode(options)
            )
            return unsafe try body(picture, top)
        }
    }
}

extension cpng_reduce_mode {
    init(_ options: PNGOptions) {
        switch (options.reduces, options.metadata.iccProfile) {
        case (false, _): self = .none
        case (true, nil): self = .all
        case (true, _?): self = .keepingColorSpace
        }
    }
}

extension cpng_format {
    init(_ format: PixelFormat) {
        switch format {
        case .gray1: self = .gray1
        case .gray2: self = .gray2
        case .gray4: self = .gray4
        case .gray8: self = .gray8
        case .gray16: self = .gray16
        case .graya8: self = .graya8
        case .graya16: self = .graya16
        case .rgb8: self = .rgb8
        case .rgb16: self = .rgb16
        case .rgba8: self = .rgba8
        case .rgba16: self = .rgba16
        case .bgra8: self = .bgra8
        case .bgrx8: self = .bgrx8
        case .rgbx8: self = .rgbx8
        case .argb8: self = .argb8
        case .abgr8: self = .abgr8
        case .index1: self = .index1
        case .index2: self = .index2
        case .index4: self = .index4
        case .index8: self = .index8
        }
    }
}
