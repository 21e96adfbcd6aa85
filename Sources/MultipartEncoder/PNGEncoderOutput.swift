import CPNG

/// Where a PNG's bytes go, in a form that C can call back into.
///
/// C frames lie between the encoder and this, so an error is kept here while they return.
@safe struct PNGOutput {
    private let write: (UnsafeRawBufferPointer) throws(MultipartError) -> Void
    private(set) var failure: MultipartError?

    @unsafe init(_ write: @escaping (UnsafeRawBufferPointer) throws(MultipartError) -> Void) {
        unsafe self.write = write
    }

    fileprivate mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do {
            unsafe try write(bytes)
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Calls `body` with an output that ends in a part of a body.
    static func with<Result>(
        _ sink: inout PartSink,
        _ body: (inout PNGOutput) throws(PNGInterruption) -> Result
    ) throws(PNGInterruption) -> Result {
        unsafe try withUnsafeMutablePointer(to: &sink) { sink throws(PNGInterruption) in
            var output = unsafe PNGOutput { bytes throws(MultipartError) in
                unsafe try sink.pointee.write(bytes)
            }
            return try body(&output)
        }
    }

    /// Calls `body` with an output that ends in memory.
    static func with(
        _ bytes: inout [UInt8],
        _ body: (inout PNGOutput) throws(PNGInterruption) -> Void
    ) throws(PNGInterruption) {
        unsafe try withUnsafeMutablePointer(to: &bytes) { bytes throws(PNGInterruption) in
            var output = unsafe PNGOutput { piece throws(MultipartError) in
                unsafe bytes.pointee.append(contentsOf: piece)
            }
            try body(&output)
        }
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
        guard let output = unsafe context?.assumingMemoryBound(to: PNGOutput.self) else { return 1 }
        let accepted = unsafe output.pointee.accept(
            UnsafeRawBufferPointer(start: bytes, count: count)
        )
        return accepted ? 0 : 1
    }
