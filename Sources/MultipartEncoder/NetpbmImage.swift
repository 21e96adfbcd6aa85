/// A PNM or PAM image in memory that somebody else owns.
package struct NetpbmImage: ~Escapable {
    package let header: NetpbmHeader
    /// The samples as they lie in the file.
    private let samples: Span<UInt8>
    private var text: NetpbmReader
    private var nextRow = 0

    /// Reads the header, and checks that the file is long enough.
    @_lifetime(copy file)
    package init(_ file: Span<UInt8>) throws(NetpbmError) {
        header = try NetpbmHeader(file)
        samples = file.extracting(droppingFirst: header.offset)
        text = NetpbmReader(samples, at: 0)
        guard header.samples != .text else { return }
        let (size, overflows) = header.fileBytesPerRow.multipliedReportingOverflow(
            by: header.height
        )
        guard !overflows else { throw .overflow }
        guard samples.count >= size else { throw .truncated(missing: size - samples.count) }
    }

    /// The image as it lies in the file, or `nil` where its rows have to be read one by one.
    package var pixels: PixelBuffer? {
        @_lifetime(copy self)
        get throws(PNGError) {
            guard header.isDirect else { return nil }
            return try PixelBuffer(samples, layout: header.layout())
        }
    }

    /// Reads the next row, packed as `header.format` says; `row` has `header.rowBytes`.
    package mutating func read(into row: inout ContiguousArray<UInt8>) throws(NetpbmError) {
        precondition(nextRow < header.height, "the image has no more rows")
        precondition(row.count == header.rowBytes, "a row has another length")
        if header.format == .gray1 { for index in row.indices { row[index] = 0 } }
        let count = header.width * header.depth
        switch header.samples {
        case .bits:
            let start = nextRow * header.fileBytesPerRow
            for index in 0..<row.count { row[index] = ~samples[start + index] }
        case .bytes, .words, .text:
            for index in 0..<count { try put(try sample(index), at: index, in: &row) }
        }
        nextRow += 1
    }

    private mutating func sample(_ index: Int) throws(NetpbmError) -> Int {
        let value: Int?
        switch header.samples {
        case .bytes, .bits: value = Int(samples[nextRow * header.fileBytesPerRow + index])
        case .words:
            let start = nextRow * header.fileBytesPerRow + index * 2
            value = Int(samples[start]) << 8 | Int(samples[start + 1])
        case .text:
            guard !text.isAtEnd else { throw .truncated(missing: missingSamples(index)) }
            value = header.format == .gray1 ? text.bit() : text.sample()
        }
        guard let value, value <= header.maximum else { throw .invalidSample(row: nextRow) }
        return value
    }

    /// A sample in text takes at least one byte.
    private func missingSamples(_ index: Int) -> Int {
        let perRow = header.width * header.depth
        let (rows, overflows) = perRow.multipliedReportingOverflow(by: header.height - nextRow)
        return overflows ? .max : rows - index
    }

    private func put(
        _ sample: Int,
        at index: Int,
        in row: inout ContiguousArray<UInt8>
    ) throws(NetpbmError) {
        switch header.format {
        case .gray1:
            let bit = UInt8(header.isInverted ? 1 - sample : sample)
            row[index / 8] |= bit << (7 - index % 8)
        case .gray16, .graya16, .rgb16, .rgba16:
            let value = UInt16(header.scaled(sample, to: 65_535))
            // In the machine's own order, as all pixels of 16 bits.
            row[index * 2] = UInt8(truncatingIfNeeded: isBigEndian ? value >> 8 : value)
            row[index * 2 + 1] = UInt8(truncatingIfNeeded: isBigEndian ? value : value >> 8)
        default: row[index] = UInt8(header.scaled(sample, to: 255))
        }
    }
}

private let isBigEndian = 1.bigEndian == 1

extension NetpbmHeader {
    /// Bytes of a row in `format`, without padding.
    package var rowBytes: Int { (width * format.bitsPerPixel + 7) / 8 }

    package func layout() throws(PNGError) -> PixelLayout {
        try PixelLayout(width: width, height: height, format: format)
    }

    /// Bytes of a row in the file, if it is not text.
    fileprivate var fileBytesPerRow: Int {
        switch samples {
        case .bits: (width + 7) / 8
        case .bytes, .text: width * depth
        case .words: width * depth * 2
        }
    }

    /// A sample that had its own maximum, on the scale of a whole byte or two; rounded half up.
    fileprivate func scaled(_ sample: Int, to full: Int) -> Int {
        maximum == full ? sample : (sample * full * 2 + maximum) / (maximum * 2)
    }
}
