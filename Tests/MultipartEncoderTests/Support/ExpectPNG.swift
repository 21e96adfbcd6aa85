import MultipartEncoder
import Testing

/// Decodes a PNG twice, by libpng and by the slow decoder, and compares both with the image.
func expect(
    _ png: [UInt8],
    holds image: TestImage,
    _ comment: Comment,
    slowly: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let layout = image.layout
    let samples = image.expectedSamples
    let header = image.expectedHeader
    let libpng = LibpngDecoded(png)
    #expect(libpng.complaint == "", comment, sourceLocation: sourceLocation)
    let isRight =
        libpng.width == layout.width && libpng.height == layout.height
        && libpng.bitDepth == header.bitDepth && libpng.colorType == header.colorType
    #expect(isRight, comment, sourceLocation: sourceLocation)
    let packed = LibpngDecoded.pack(
        samples,
        width: layout.width,
        channels: samples.count / (layout.width * layout.height),
        bitDepth: header.bitDepth
    )
    // The bits behind a row's last pixel mean nothing.
    let unused = layout.packedBytesPerRow * 8 - layout.width * layout.format.bitsPerPixel
    let rowBytes = packed.count / layout.height
    let masked = libpng.rows.enumerated().map { i, byte in
        (i + 1) % rowBytes == 0 ? byte & (0xFF << UInt8(unused)) : byte
    }
    #expect(masked == packed, comment, sourceLocation: sourceLocation)
    guard slowly else { return }
    let decoded = try DecodedPNG(png)
    let isRightToo =
        decoded.width == layout.width && decoded.height == layout.height
        && decoded.bitDepth == header.bitDepth && decoded.colorType == header.colorType
        && decoded.samples == samples
    #expect(isRightToo, comment, sourceLocation: sourceLocation)
    if let palette = layout.palette {
        let colors = (0..<palette.count).map { palette[$0] }
        #expect(
            decoded.bytes(of: "PLTE") == colors.flatMap { [$0.red, $0.green, $0.blue] },
            comment,
            sourceLocation: sourceLocation
        )
        let alphas = decoded.bytes(of: "tRNS") ?? []
        let padded = alphas + Array(repeating: 255, count: max(0, palette.count - alphas.count))
        #expect(padded == colors.map(\.alpha), comment, sourceLocation: sourceLocation)
    }
}
