import CPNG

/// Where PNGs go, in a form that C can call back into.
///
/// C frames lie between the encoder and this, so an error is kept here while they return.
@safe struct PNGOutput {
    typealias Write = (UnsafeRawBufferPointer) throws(MultipartError) -> Void
    typealias Fill = (Int, (UnsafeMutableRawBufferPointer) -> Int) throws(MultipartError) -> Void
    typealias Step = (Int) throws(MultipartError) -> Void

    private let write: Write
    private let fill: Fill
    private let expect: (Int) -> Void
    private let begin: Step
    private let end: Step
    private(set) var failure: MultipartError?

    /// An output.
    ///
    /// - Parameters:
    ///   - write: Takes bytes that are valid only during the call.
    ///   - fill: Lets a closure write up to so many bytes into the output's own memory.
    ///   - expect: Hears about how many more bytes of an image will come.
    ///   - begin: Called before each image, counted from 0.
    ///   - end: Called after each image.
    @unsafe init(
        write: @escaping Write,
        fill: @escaping Fill,
        expect: @escaping (Int) -> Void = { _ in },
        begin: @escaping Step = { _ in },
        end: @escaping Step = { _ in }
    ) {
        unsafe self.write = write
        unsafe self.fill = fill
        self.expect = expect
        self.begin = begin
        self.end = end
    }

    /// Calls `body` with an output that ends in a part of a body.
    static func with<Result>(
        _ sink: inout PartSink,
        _ body: (inout PNGOutput) throws(PNGInterruption) -> Result
    ) throws(PNGInterruption) -> Result {
        unsafe try withUnsafeMutablePointer(to: &sink) { sink throws(PNGInterruption) in
            var output = unsafe PNGOutput(
                write: { bytes throws(MultipartError) in
                    unsafe try sink.pointee.write(bytes)
                },
                fill: { limit, fill throws(MultipartError) in
                    unsafe try sink.pointee.append(atMost: limit, fill)
                }
            )
            return try body(&output)
        }
    }

    /// Calls `body` with an output that ends in memory.
    static func with(
        _ bytes: inout [UInt8],
        _ body: (inout PNGOutput) throws(PNGInterruption) -> Void
    ) throws(PNGInterruption) {
        unsafe try withUnsafeMutablePointer(to: &bytes) { bytes throws(PNGInterruption) in
            var scratch: [UInt8] = []
            var output = unsafe PNGOutput(
                write: { piece throws(MultipartError) in
                    unsafe bytes.pointee.append(contentsOf: piece)
                },
                fill: { limit, fill throws(MultipartError) in
                    if scratch.count < limit { scratch = Array(repeating: 0, count: limit) }
                    let count = unsafe scratch.withUnsafeMutableBytes { unsafe fill($0) }
                    unsafe bytes.pointee.append(contentsOf: scratch[..<count])
                },
                expect: { count in
                    // An estimate, so somewhat more, and not much from little: the rest of the image
                    // may be quite different. It may grow, too, so by steps that are worth it.
                    let (done, capacity) = unsafe (bytes.pointee.count, bytes.pointee.capacity)
                    let wanted = done + count + count / 8
                    guard wanted > capacity, wanted <= max(8 * done, 4 << 20) else { return }
                    unsafe bytes.pointee.reserveCapacity(max(wanted, capacity + capacity / 2))
                }
            )
            try body(&output)
        }
    }

    /// Calls `body` with what C needs to call this output.
    mutating func withCallbacks<Result>(
        _ body: (UnsafePointer<cpng_output>, UnsafeMutableRawPointer) -> Result
    ) -> Result {
        unsafe withUnsafeMutablePointer(to: &self) { context in
            var callbacks = unsafe cpng_output(
                context: context,
                begin: { context, image in
                    unsafe PNGOutput.step(context) { (output) throws(MultipartError) in
                        try output.begin(image)
                    }
                },
                end: { context, image in
                    unsafe PNGOutput.step(context) { (output) throws(MultipartError) in
                        try output.end(image)
                    }
                },
                write: receivePNGBytes,
                fill: { context, limit, fill, argument in
                    unsafe PNGOutput.step(context) { (output) throws(MultipartError) in
                        unsafe try output.fill(limit) { memory in
                            guard let start = memory.baseAddress else { return 0 }
                            return unsafe fill(argument, start.assumingMemoryBound(to: UInt8.self))
                        }
                    }
                },
                expect: { context, count in
                    guard let output = unsafe context?.assumingMemoryBound(to: PNGOutput.self)
                    else { return }
                    unsafe output.pointee.expect(count)
                }
            )
            return unsafe body(&callbacks, context)
        }
    }

    /// Runs one callback; its error stays here, and C gets a code.
    fileprivate static func step(
        _ context: UnsafeMutableRawPointer?,
        _ body: (PNGOutput) throws(MultipartError) -> Void
    ) -> CInt {
        guard let output = unsafe context?.assumingMemoryBound(to: PNGOutput.self) else { return 1 }
        do throws(MultipartError) {
            unsafe try body(output.pointee)
            return 0
        } catch {
            unsafe output.pointee.failure = error
            return 1
        }
    }

    fileprivate static func write(
        _ context: UnsafeMutableRawPointer?,
        _ bytes: UnsafeRawBufferPointer
    ) -> CInt {
        unsafe step(context) { (output) throws(MultipartError) in unsafe try output.write(bytes) }
    }
}

/// Why a PNG was not finished: because of the image, or of where it goes.
enum PNGInterruption: Error {
    case image(PNGError)
    case output(MultipartError)

    /// The error for someone who made a part.
    func error(for part: PartLabel) -> MultipartError {
        switch self {
        case .image(let error): .image(part, error)
        case .output(let error): error
        }
    }
}

/// The sink that C calls; its context is a ``PNGOutput``.
let receivePNGBytes: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>, Int) -> CInt =
    {
        context,
        bytes,
        count in
        unsafe PNGOutput.write(context, UnsafeRawBufferPointer(start: bytes, count: count))
    }
