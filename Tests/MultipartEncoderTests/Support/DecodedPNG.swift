/// A PNG, decoded slowly and obviously by code that shares nothing with libpng or the encoder.
struct DecodedPNG {
    struct Chunk {
        let type: String
        let bytes: [UInt8]
    }

    enum Failure: Error {
        case signature, endOfFile
        case checksum(String)
        case header
        case order([String])
        case dataLength, filter
    }

    let chunks: [Chunk]
    let width: Int
    let height: Int
    let bitDepth: Int
    let colorType: Int
    let isInterlaced: Bool
    /// All samples, row by row, pixel by pixel.
    let samples: [UInt16]

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 0 }

    func bytes(of type: String) -> [UInt8]? { chunks.first { $0.type == type }?.bytes }

    init(_ png: [UInt8]) throws {
        chunks = try Self.chunks(of: png)
        guard let header = chunks.first, header.type == "IHDR", header.bytes.count == 13 else {
            throw Failure.header
        }
        width = Self.integer(header.bytes[0..<4])
        height = Self.integer(header.bytes[4..<8])
        bitDepth = Int(header.bytes[8])
        colorType = Int(header.bytes[9])
        isInterlaced = header.bytes[12] == 1
        guard header.bytes[10] == 0, header.bytes[11] == 0, header.bytes[12] <= 1 else {
            throw Failure.header
        }
        try Self.checkOrder(chunks.map(\.type))
        let data = chunks.filter { $0.type == "IDAT" }.flatMap(\.bytes)
        let filtered = try Inflate.zlib(data[...])
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 0
        var samples = Array(repeating: UInt16(0), count: width * height * channels)
        var position = 0
        for pass in isInterlaced ? Self.adam7 : [Pass(x: 0, y: 0, stepX: 1, stepY: 1)] {
            let columns = Array(stride(from: pass.x, to: width, by: pass.stepX))
            if columns.isEmpty { continue }
            let rowBytes = (columns.count * channels * bitDepth + 7) / 8
            var above = Array(repeating: UInt8(0), count: rowBytes)
            for y in stride(from: pass.y, to: height, by: pass.stepY) {
                guard position + 1 + rowBytes <= filtered.count else { throw Failure.dataLength }
                var row = Array(filtered[position + 1..<position + 1 + rowBytes])
                try Self.unfilter(
                    &row,
                    filtered[position],
                    above,
                    max(1, channels * bitDepth / 8)
                )
                position += 1 + rowBytes
                for (i, x) in columns.enumerated() {
                    for c in 0..<channels {
                        samples[(y * width + x) * channels + c] = Self.sample(
                            row,
                            i * channels + c,
                            bitDepth
                        )
                    }
                }
                above = row
            }
        }
        guard position == filtered.count else { throw Failure.dataLength }
        self.samples = samples
    }

    private struct Pass {
        let x, y, stepX, stepY: Int
    }

    private static let adam7 = [
        Pass(x: 0, y: 0, stepX: 8, stepY: 8), Pass(x: 4, y: 0, stepX: 8, stepY: 8),
        Pass(x: 0, y: 4, stepX: 4, stepY: 8), Pass(x: 2, y: 0, stepX: 4, stepY: 4),
        Pass(x: 0, y: 2, stepX: 2, stepY: 4), Pass(x: 1, y: 0, stepX: 2, stepY: 2),
        Pass(x: 0, y: 1, stepX: 1, stepY: 2),
    ]

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    private static func chunks(of png: [UInt8]) throws -> [Chunk] {
        guard png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw Failure.signature
        }
        var chunks: [Chunk] = []
        var position = 8
        while position < png.count {
            guard position + 12 <= png.count else { throw Failure.endOfFile }
            let length = integer(png[position..<position + 4])
            guard position + 12 + length <= png.count else { throw Failure.endOfFile }
            let body = png[position + 4..<position + 8 + length]
            let type = String(decoding: body.prefix(4), as: UTF8.self)
            let stored = integer(png[position + 8 + length..<position + 12 + length])
            guard stored == Int(crc32(body)) else { throw Failure.checksum(type) }
            chunks.append(Chunk(type: type, bytes: Array(body.dropFirst(4))))
            position += 12 + length
        }
        return chunks
    }

    /// IDATs in a row, IEND last and only there, what must come before the palette or the data there.
    private static func checkOrder(_ types: [String]) throws {
        let first = types.firstIndex(of: "IDAT") ?? types.endIndex
        let last = types.lastIndex(of: "IDAT") ?? types.startIndex
        let palette = types.firstIndex(of: "PLTE") ?? first
        let early = ["cHRM", "cICP", "gAMA", "iCCP", "sRGB"]
        guard first < last + 1, types[first...last].allSatisfy({ $0 == "IDAT" }),
            types.firstIndex(of: "IEND") == types.count - 1,
            types.enumerated().allSatisfy({ !early.contains($1) || $0 < palette }),
            types.enumerated().allSatisfy({ !["tRNS", "pHYs", "eXIf"].contains($1) || $0 < first }),
            palette <= types.firstIndex(of: "tRNS") ?? palette
        else { throw Failure.order(types) }
    }

    static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var crc: UInt32 = ~0
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private static func unfilter(
        _ row: inout [UInt8],
        _ filter: UInt8,
        _ above: [UInt8],
        _ unit: Int
    ) throws {
        for i in row.indices {
            let a = i < unit ? 0 : Int(row[i - unit])
            let b = Int(above[i])
            let c = i < unit ? 0 : Int(above[i - unit])
            let predicted: Int
            switch filter {
            case 0: predicted = 0
            case 1: predicted = a
            case 2: predicted = b
            case 3: predicted = (a + b) / 2
            case 4:
                let (pa, pb, pc) = (abs(b - c), abs(a - c), abs(a + b - 2 * c))
                predicted = pa <= pb && pa <= pc ? a : pb <= pc ? b : c
            default: throw Failure.filter
            }
            row[i] = UInt8(truncatingIfNeeded: Int(row[i]) + predicted)
        }
    }

    private static func sample(_ row: [UInt8], _ index: Int, _ depth: Int) -> UInt16 {
        switch depth {
        case 16: UInt16(row[2 * index]) << 8 | UInt16(row[2 * index + 1])
        case 8: UInt16(row[index])
        default:
            UInt16(row[index * depth / 8]) >> UInt16(8 - depth - index * depth % 8)
                & (1 << UInt16(depth) - 1)
        }
    }
}
