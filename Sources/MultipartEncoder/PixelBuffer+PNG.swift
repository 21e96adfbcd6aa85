extension PixelBuffer {
    /// The image as a PNG in memory, for someone who needs it elsewhere than in a multipart body.
    ///
    /// - Parameters:
    ///   - options: Speed against size, metadata and the like.
    ///   - threads: How many threads compress it, the calling one among them; `nil` for one a
    ///     processor. The bytes do not depend on it.
    /// - Returns: A whole PNG file.
    /// - Throws: ``PNGError`` that says what can't be.
    public func png(
        _ options: PNGOptions = PNGOptions(),
        threads: Int? = nil
    ) throws(PNGError) -> [UInt8] {
        var bytes: [UInt8] = []
        // Few images are smaller, and memory that stays untouched is no memory.
        bytes.reserveCapacity(min(layout.height * layout.packedBytesPerRow / 8, 32 << 20))
        do throws(PNGInterruption) {
            let pipeline = try PNGPipeline(threads: threads)
            try PNGOutput.with(&bytes) { (output) throws(PNGInterruption) in
                try PNGEncoder.encode(self, options: options, on: pipeline, into: &output)
            }
        } catch {
            switch error {
            case .image(let error): throw error
            case .output: preconditionFailure("memory refuses no bytes")
            }
        }
        return bytes
    }
}
