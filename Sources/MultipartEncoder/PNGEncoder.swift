import CPNG

/// An image on its way to a PNG: libpng's view of it, and the container around its rows.
@safe struct PNGEncoder: ~Copyable {
    private let layout: PixelLayout
    private let picture: PNGPicture
    private let writer: OpaquePointer

    @unsafe private init(
        layout: PixelLayout,
        picture: consuming PNGPicture,
        writer: OpaquePointer
    ) {
        self.layout = layout
        self.picture = picture
        unsafe self.writer = writer
    }

    /// Prepares a PNG; nothing is written yet.
    static func prepare(
        _ picture: consuming PNGPicture,
        layout: PixelLayout,
        options: PNGOptions
    ) throws(PNGInterruption) -> PNGEncoder {
        guard let writer = unsafe cpng_writer_create(picture.handle, receivePNGBytes) else {
            throw .image(.outOfMemory)
        }
        let encoder = unsafe PNGEncoder(layout: layout, picture: picture, writer: writer)
        try encoder.set(options.compression, interlaced: options.isInterlaced)
        try encoder.set(options.metadata)
        return encoder
    }

    deinit { unsafe cpng_writer_destroy(writer) }

    /// The version of libpng that this process runs with, such as `1.6.39`.
    static var libpngVersion: String { unsafe String(cString: cpng_libpng_version()) }

    /// What libpng complained about without giving up, one complaint a line.
    var warnings: String { unsafe String(cString: cpng_writer_warnings(writer)) }

    /// Writes a whole image.
    static func encode(
        _ pixels: PixelBuffer,
        options: PNGOptions,
        into output: inout PNGOutput
    ) throws(PNGInterruption) {
        unsafe try PNGPicture.with(pixels, options) { (picture, top) throws(PNGInterruption) in
            let encoder = try PNGEncoder.prepare(
                picture,
                layout: pixels.layout,
                options: options
            )
            try encoder.begin(into: &output)
            unsafe try encoder.add(
                top,
                stride: pixels.bytesPerRow,
                count: pixels.height,
                into: &output
            )
            try encoder.finish(into: &output)
        }
    }

    /// Writes everything before the image data.
    func begin(into output: inout PNGOutput) throws(PNGInterruption) {
        let status = unsafe withUnsafeMutablePointer(to: &output) { context in
            unsafe cpng_writer_begin(writer, context)
        }
        try check(status, output)
    }

    /// Compresses the next rows with libpng.
    ///
    /// - Parameters:
    ///   - rows: The upper one of them.
    ///   - stride: Bytes from a row to the one below it.
    ///   - count: How many; all of an interlaced image.
    @unsafe func add(
        _ rows: UnsafePointer<UInt8>,
        stride: Int,
        count: Int,
        into output: inout PNGOutput
    ) throws(PNGInterruption) {
        let status = unsafe withUnsafeMutablePointer(to: &output) { context in
            unsafe cpng_writer_add_rows(writer, context, rows, stride, UInt32(count))
        }
        try check(status, output)
    }

    /// Writes what comes behind the image data.
    func finish(into output: inout PNGOutput) throws(PNGInterruption) {
        let status = unsafe withUnsafeMutablePointer(to: &output) { context in
            unsafe cpng_writer_finish(writer, context)
        }
        try check(status, output)
    }

    private func check(_ status: cpng_status, _ output: PNGOutput) throws(PNGInterruption) {
        switch status {
        case .ok: return
        case .libpng: throw .image(.libpng(words))
        case .index:
            throw .image(.indexOutsidePalette(unsafe cpng_writer_bad_index(writer), layout))
        case .sink:
            guard let failure = output.failure else {
                preconditionFailure("an output that fails says why")
            }
            throw .output(failure)
        }
    }

    private var words: String { unsafe String(cString: cpng_writer_error(writer)) }

    private func set(
        _ compression: PNGCompression,
        interlaced: Bool
    ) throws(PNGInterruption) {
        switch compression {
        case .libpng(let level, let strategy, let filters):
            precondition((0...9).contains(level), "zlib has levels 0 to 9")
            let status = unsafe cpng_writer_set_compression(
                writer,
                CInt(level),
                strategy?.rawValue ?? -1,
                filters?.rawValue ?? 0,
                interlaced
            )
            guard status == .ok else { throw .image(.libpng(words)) }
        }
    }

    private func set(_ metadata: PNGMetadata) throws(PNGInterruption) {
        do {
            unsafe try PNGMetadataWriter(writer: writer).write(metadata)
        } catch {
            throw .image(error)
        }
    }
}

extension PNGError {
    static func indexOutsidePalette(_ bad: cpng_bad_index, _ layout: PixelLayout) -> PNGError {
        .indexOutsidePalette(
            bad.index,
            x: Int(bad.x),
            y: Int(bad.y),
            paletteCount: layout.palette?.count ?? 0
        )
    }
}
