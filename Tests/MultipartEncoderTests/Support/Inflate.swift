/// A slow and obvious inflate (RFC 1951), which shares no code with zlib or with the encoder.
struct Inflate {
    enum Failure: Error { case endOfInput, badBlock, badCode, badDistance, badChecksum, badHeader }

    private let input: ArraySlice<UInt8>
    private var position: Int
    private var bit = 0
    private var output: [UInt8] = []

    /// Unpacks a whole zlib stream (RFC 1950) and checks that nothing follows it.
    static func zlib(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        var inflate = Inflate(input: bytes, position: bytes.startIndex)
        let header = Int(try inflate.take(8)) * 256 + Int(try inflate.take(8))
        guard header >> 8 & 15 == 8, header >> 12 <= 7, header % 31 == 0, header & 32 == 0 else {
            throw Failure.badHeader
        }
        try inflate.readBlocks()
        if inflate.bit > 0 {
            inflate.bit = 0
            inflate.position += 1
        }
        var checksum: UInt32 = 0
        for _ in 0..<4 { checksum = checksum << 8 | UInt32(try inflate.take(8)) }
        guard checksum == adler32(inflate.output), inflate.position == bytes.endIndex else {
            throw Failure.badChecksum
        }
        return inflate.output
    }

    static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var a: UInt32 = 1
        var b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }

    private mutating func take(_ count: Int) throws -> Int {
        var value = 0
        for i in 0..<count {
            guard position < input.endIndex else { throw Failure.endOfInput }
            value |= Int(input[position] >> UInt8(bit) & 1) << i
            bit += 1
            if bit == 8 {
                bit = 0
                position += 1
            }
        }
        return value
    }

    private mutating func readBlocks() throws {
        while true {
            let isLast = try take(1) == 1
            switch try take(2) {
            case 0: try copyStored()
            case 1:
                let literals = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
                try readSymbols(Code(literals), Code(Array(repeating: 5, count: 30)))
            case 2:
                let (literals, distances) = try readCodes()
                try readSymbols(literals, distances)
            default: throw Failure.badBlock
            }
            if isLast { return }
        }
    }

    private mutating func copyStored() throws {
        if bit > 0 {
            bit = 0
            position += 1
        }
        let length = try take(16)
        guard try take(16) == ~length & 0xFFFF else { throw Failure.badBlock }
        guard position + length <= input.endIndex else { throw Failure.endOfInput }
        output += input[position..<position + length]
        position += length
    }

    /// A prefix code as a table from (length, bits) to symbol.
    private struct Code {
        var symbols: [Int: Int] = [:]
        let longest: Int

        init(_ lengths: [Int]) {
            longest = lengths.max() ?? 0
            var code = 0
            for length in stride(from: 1, through: longest, by: 1) {
                for (symbol, own) in lengths.enumerated() where own == length {
                    symbols[length << 16 | code] = symbol
                    code += 1
                }
                code <<= 1
            }
        }

        /// Whether the code uses every sequence of bits, or is one of the two exceptions that
        /// RFC 1951 allows for distances: one code, or none.
        func isComplete(_ lengths: [Int], mayBeSingle: Bool) -> Bool {
            let used = lengths.filter { $0 > 0 }
            let space = used.reduce(0) { $0 + (1 << (15 - $1)) }
            return space == 1 << 15 || (mayBeSingle && used.count <= 1)
        }
    }

    private mutating func symbol(_ code: Code) throws -> Int {
        var bits = 0
        for length in stride(from: 1, through: code.longest, by: 1) {
            bits = bits << 1 | (try take(1))
            if let symbol = code.symbols[length << 16 | bits] { return symbol }
        }
        throw Failure.badCode
    }

    private mutating func readCodes() throws -> (Code, Code) {
        let literalCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        let lengthCount = try take(4) + 4
        guard literalCount <= 286, distanceCount <= 30 else { throw Failure.badCode }
        var lengthLengths = Array(repeating: 0, count: 19)
        for place in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
            .prefix(lengthCount)
        {
            lengthLengths[place] = try take(3)
        }
        let lengthCode = Code(lengthLengths)
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            switch try symbol(lengthCode) {
            case 16:
                guard let last = lengths.last else { throw Failure.badCode }
                lengths += Array(repeating: last, count: try take(2) + 3)
            case 17: lengths += Array(repeating: 0, count: try take(3) + 3)
            case 18: lengths += Array(repeating: 0, count: try take(7) + 11)
            case let length: lengths.append(length)
            }
        }
        let literals = Array(lengths[..<literalCount])
        let distances = Array(lengths[literalCount...])
        let literalCode = Code(literals)
        let distanceCode = Code(distances)
        guard lengths.count == literalCount + distanceCount, literals[256] > 0,
            lengthCode.isComplete(lengthLengths, mayBeSingle: false),
            literalCode.isComplete(literals, mayBeSingle: true),
            distanceCode.isComplete(distances, mayBeSingle: true)
        else { throw Failure.badCode }
        return (literalCode, distanceCode)
    }

    private mutating func readSymbols(_ literals: Code, _ distances: Code) throws {
        while true {
            let symbol = try symbol(literals)
            if symbol == 256 { return }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            guard symbol < 286 else { throw Failure.badCode }
            let (length, lengthBits) = Self.lengths[symbol - 257]
            let count = length + (try take(lengthBits))
            let (distance, distanceBits) = Self.distances[try self.symbol(distances)]
            let back = distance + (try take(distanceBits))
            guard back <= output.count, back <= 32768 else { throw Failure.badDistance }
            for _ in 0..<count { output.append(output[output.count - back]) }
        }
    }

    /// The base and the extra bits of each length symbol.
    private static let lengths: [(Int, Int)] = {
        var table: [(Int, Int)] = []
        var base = 3
        for index in 0..<28 {
            let bits = index < 8 ? 0 : index / 4 - 1
            table.append((base, bits))
            base += 1 << bits
        }
        return table + [(258, 0)]
    }()

    private static let distances: [(Int, Int)] = {
        var table: [(Int, Int)] = []
        var base = 1
        for index in 0..<30 {
            let bits = index < 4 ? 0 : index / 2 - 1
            table.append((base, bits))
            base += 1 << bits
        }
        return table
    }()
}
