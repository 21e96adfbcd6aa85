extension PixelBuffer {
    /// The image as a PNG in memory, for someone who needs it elsewhere than in a multipart body.
    ///
    /// - Parameter options: Speed against size, metadata and the like.
    public func png(_ options: PNGOptions = PNGOptions()) throws(PNGError) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(PNGInterruption) {
            try PNGOutput.with(&bytes) { (output) throws(PNGInterruption) in
                try PNGEncoder.encode(self, options: options, into: &output)
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
