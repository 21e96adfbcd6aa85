// The only file of the bench that hands memory to C.
import CBench
import CPNGReader
import MultipartEncoder

/// A PNG as libpng reads it: packed rows, 16 bits big-endian.
struct DecodedPNG {
    let width: Int
    let height: Int
    let bitDepth: Int
    let colorType: Int
    let rows: ContiguousArray<UInt8>
    /// Red, green, blue, alpha; empty unless the pixels are indexes.
    let palette: [UInt8]

    init(_ png: Span<UInt8>) throws(BenchError) {
        var image = unsafe png_reader_image()
        unsafe png.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe png_reader_read(&image, start, bytes.count)
        }
        defer { unsafe png_reader_free(&image) }
        let complaint = unsafe String(cString: png_reader_error(&image))
        guard complaint.isEmpty, let start = unsafe image.rows else {
            throw .failed("no readable PNG: \(complaint)")
        }
        width = Int(unsafe image.width)
        height = Int(unsafe image.height)
        bitDepth = Int(unsafe image.bit_depth)
        colorType = Int(unsafe image.color_type)
        rows = unsafe ContiguousArray(
            UnsafeBufferPointer(start: start, count: image.row_bytes * Int(image.height))
        )
        let count = unsafe image.palette_count * 4
        palette = (0..<count).map { index in unsafe png_reader_palette(&image, index) }
    }
}

/// A picture as libpng makes a PNG of it at its defaults, all of it in memory.
@safe struct UsualPNG: ~Copyable {
    let count: Int
    private let memory: UnsafeMutablePointer<UInt8>

    init(_ picture: Picture) throws(BenchError) {
        var count = 0
        let palette = picture.paletteBytes
        let memory = unsafe picture.pixels.withUnsafeBufferPointer { pixels in
            unsafe palette.withUnsafeBufferPointer { palette -> UnsafeMutablePointer<UInt8>? in
                guard let start = pixels.baseAddress else { return nil }
                var image = unsafe cbench_image(
                    width: UInt32(picture.layout.width),
                    height: UInt32(picture.layout.height),
                    bit_depth: CInt(picture.bitDepth),
                    color_type: CInt(picture.colorType),
                    rows: start,
                    row_bytes: picture.layout.packedBytesPerRow,
                    palette: palette.isEmpty ? nil : palette.baseAddress,
                    palette_count: palette.count / 4
                )
                return unsafe cbench_libpng_encode(&image, &count)
            }
        }
        guard let memory = unsafe memory else { throw .failed("libpng can't encode it") }
        unsafe self.memory = memory
        self.count = count
    }

    deinit { unsafe cbench_free(memory) }

    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = unsafe Span(
                _unsafeElements: UnsafeBufferPointer(start: memory, count: count)
            )
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }
}

/// Runs a program, with its output in a file; returns its exit status.
func runProgram(_ arguments: [String], output path: String, withErrors: Bool = false) -> CInt {
    unsafe cbench_run(arguments.joined(separator: "\n"), path, withErrors)
}

/// The usual loop of reading and writing.
func copyFile(_ source: String, to target: String) throws(BenchError) {
    guard unsafe cbench_copy_file(source, target) else {
        throw .failed("\(source) can't be copied to \(target)")
    }
}

/// All of a file.
func readFile(_ path: String) throws(BenchError) -> ContiguousArray<UInt8> {
    var count = 0
    guard let memory = unsafe cbench_read_file(path, &count) else {
        throw .failed("\(path) can't be read")
    }
    defer { unsafe cbench_free(memory) }
    return unsafe ContiguousArray(UnsafeBufferPointer(start: memory, count: count))
}

/// Writes a new file from memory.
func writeFile(_ path: String, _ bytes: Span<UInt8>) throws(BenchError) {
    let done = unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe cbench_write_file(path, bytes.baseAddress, bytes.count)
    }
    guard done else { throw .failed("\(path) can't be written") }
}

/// Makes a file without holes.
func makeFile(_ path: String, byteCount: Int) throws(BenchError) {
    guard unsafe cbench_make_file(path, Int64(byteCount)) else {
        throw .failed("\(path) can't be written")
    }
}

extension ContiguousArray<UInt8> {
    /// Appends a copy of bytes that somebody else owns.
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

/// Chooses the fast path's inner loops.
func selectKernel(_ name: String) throws(BenchError) {
    guard unsafe cbench_select_kernel(name) else {
        throw .failed("this processor has no kernel '\(name)'")
    }
}

/// A server that drops what is uploaded to it.
final class Sink {
    private var sink = cbench_sink(process: -1, port: 0)

    /// Returns its address.
    func start() throws(BenchError) -> String {
        sink = cbench_sink_start()
        guard sink.process > 0 else { throw .failed("the server that takes uploads can't start") }
        return "http://127.0.0.1:\(sink.port)/"
    }

    func stop() { cbench_sink_stop(sink) }
}

/// What a benchmark's reader must know about where it ran.
enum Machine {
    /// Where this program lies.
    static var program: String {
        let path = unsafe String(cString: cbench_program())
        return path.isEmpty ? CommandLine.arguments[0] : path
    }
    static var processor: String { unsafe String(cString: cbench_processor()) }
    static var system: String { unsafe String(cString: cbench_system()) }
    static var libpng: String { unsafe String(cString: cbench_libpng_version()) }
    static var zlib: String { unsafe String(cString: cbench_zlib_version()) }
    static var compiler: String { unsafe String(cString: cbench_compiler()) }
    static var kernel: String { unsafe String(cString: cbench_kernel_name()) }
    static var load: Double { cbench_load() }
}
