import CPNGChecks
import Testing

/// The C half of the fast path, from inside: each check returns what is wrong, or nothing.
@Suite struct FastPathTests {
    static let levels: [CInt] = [0, 1, 2, 3]
    static let formats: [(channels: CInt, bitDepth: CInt)] = [
        (1, 1), (1, 2), (1, 4), (1, 8), (1, 16), (2, 8), (2, 16), (3, 8), (3, 16), (4, 8), (4, 16),
    ]

    private func expectNothing(wrong problem: UnsafePointer<CChar>?) {
        let words = unsafe problem.map { unsafe String(cString: $0) }
        #expect(words == nil)
    }

    @Test(arguments: formats, levels)
    func `every width of every format gives the same decodable bytes with every kernel`(
        format: (channels: CInt, bitDepth: CInt),
        level: CInt
    ) {
        // Narrow ones in full, where vectors meet the ends of rows; the rest in steps of the seed.
        unsafe expectNothing(
            wrong: cpng_check_widths(format.channels, format.bitDepth, level, 1, 48)
        )
        unsafe expectNothing(
            wrong: cpng_check_widths(format.channels, format.bitDepth, level, 285, 300)
        )
    }

    @Test(arguments: 0..<cpng_check_contents(), levels)
    func `contents that ask for the utmost decode`(content: CInt, level: CInt) {
        unsafe expectNothing(wrong: cpng_check_large(content, level, 333, 500))
    }

    @Test(arguments: levels)
    func `rows longer than a strip decode`(level: CInt) {
        unsafe expectNothing(wrong: cpng_check_large(2, level, 100_000, 3))
        unsafe expectNothing(wrong: cpng_check_large(3, level, 700_000, 1))
    }

    @Test(arguments: levels)
    func `converted rows are compressed like others`(level: CInt) {
        unsafe expectNothing(wrong: cpng_check_converter(level))
    }

    @Test func `codes keep to their limits and are complete`() {
        unsafe expectNothing(wrong: cpng_check_huffman())
    }

    @Test func `blocks take the bits that were planned`() {
        unsafe expectNothing(wrong: cpng_check_blocks())
    }

    @Test func `blocks that a sample misjudged stay within their bounds`() {
        unsafe expectNothing(wrong: cpng_check_misjudged())
    }

    @Test func `no run is left out`() {
        unsafe expectNothing(wrong: cpng_check_runs())
    }

    @Test func `what lies behind the last byte makes no difference`() {
        unsafe expectNothing(wrong: cpng_check_behind())
    }

    @Test func `runs that repeat take no longer a byte the more there are`() {
        unsafe expectNothing(wrong: cpng_check_repeated_runs())
    }

    @Test func `a match finder whose positions run out forgets what it knew`() {
        unsafe expectNothing(wrong: cpng_check_positions())
    }

    @Test func `checksums agree with zlib`() {
        unsafe expectNothing(wrong: cpng_check_checksums())
    }

    @Test func `filters agree with their definition`() {
        unsafe expectNothing(wrong: cpng_check_filters())
    }
}
