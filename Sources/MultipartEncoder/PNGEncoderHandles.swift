import CPNG

/// C's view of an image and libpng's, owned by whoever holds them.
@unsafe struct PNGHandles {
    let picture: OpaquePointer
    let writer: OpaquePointer
    private let paletteCount: Int

    init(
        _ layout: PixelLayout,
        rows: UnsafePointer<UInt8>?,
        stride: Int,
        options: PNGOptions
    ) throws(PNGError) {
        let mode = unsafe rows == nil ? .none : cpng_reduce_mode(options)
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
        guard let picture = unsafe created else { throw .outOfMemory }
        guard let writer = unsafe cpng_writer_create(picture, receivePNGBytes) else {
            unsafe cpng_picture_destroy(picture)
            throw .outOfMemory
        }
        unsafe self.picture = picture
        unsafe self.writer = writer
        unsafe paletteCount = layout.palette?.count ?? 0
        do throws(PNGError) {
            unsafe try set(options)
            unsafe try PNGMetadataWriter(writer: writer).write(options.metadata)
        } catch {
            unsafe destroy()
            throw error
        }
    }

    func destroy() {
        unsafe cpng_writer_destroy(writer)
        unsafe cpng_picture_destroy(picture)
    }

    private func set(_ options: PNGOptions) throws(PNGError) {
        let settings = options.compression.libpngSettings
        precondition((0...9).contains(settings.level), "zlib has levels 0 to 9")
        let status = unsafe cpng_writer_set_compression(
            writer,
            CInt(settings.level),
            settings.strategy?.rawValue ?? -1,
            settings.filters?.rawValue ?? 0,
            options.isInterlaced
        )
        guard status == .ok else { throw .libpng(unsafe words) }
    }

    private var words: String { unsafe String(cString: cpng_writer_error(writer)) }

    /// Writes everything before the image data that libpng will compress.
    func begin(into output: inout PNGOutput) throws(PNGInterruption) {
        let status = unsafe output.withCallbacks { _, context in
            unsafe cpng_writer_begin(writer, context)
        }
        unsafe try check(status, output)
    }

    /// Compresses the next rows with libpng.
    ///
    /// - Parameters:
    ///   - rows: The upper one of them.
    ///   - stride: Bytes from a row to the one below it.
    ///   - count: How many; all of an interlaced image.
    ///   - output: Where the PNG goes.
    /// - Throws: ``PNGInterruption``; the image is of no more use after that.
    func add(
        _ rows: UnsafePointer<UInt8>,
        stride: Int,
        count: Int,
        into output: inout PNGOutput
    ) throws(PNGInterruption) {
        let status = unsafe output.withCallbacks { _, context in
            unsafe cpng_writer_add_rows(writer, context, rows, stride, UInt32(count))
        }
        unsafe try check(status, output, cpng_writer_bad_index(writer))
    }

    /// Writes what comes behind the image data that libpng has compressed.
    func finish(into output: inout PNGOutput) throws(PNGInterruption) {
        let status = unsafe output.withCallbacks { _, context in
            unsafe cpng_writer_finish(writer, context)
        }
        unsafe try check(status, output)
    }

    /// Turns what C says into an error.
    func check(
        _ status: cpng_status,
        _ output: PNGOutput,
        _ bad: cpng_bad_index = cpng_bad_index()
    ) throws(PNGInterruption) {
        switch status {
        case .ok: return
        case .libpng: throw .image(.libpng(unsafe words))
        case .memory: throw .image(.outOfMemory)
        case .index:
            throw .image(
                .indexOutsidePalette(
                    bad.index,
                    x: Int(bad.x),
                    y: Int(bad.y),
                    paletteCount: unsafe paletteCount
                )
            )
        case .sink:
            guard let failure = output.failure else {
                preconditionFailure("an output that fails says why")
            }
            throw .output(failure)
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
