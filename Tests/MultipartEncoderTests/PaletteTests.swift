import MultipartEncoder
import Testing

@Suite struct PaletteTests {
    @Test(arguments: [0, 257, 1000])
    func `has 1 to 256 colors`(count: Int) {
        let colors = Array(repeating: Palette.Color(red: 1, green: 2, blue: 3), count: count)
        #expect(throws: PNGError.paletteSize(count, limit: 256)) { try Palette(colors) }
    }

    @Test(arguments: [1, 4, 256])
    func `gives its colors back`(count: Int) throws {
        let bytes = (0..<count * 4).map { UInt8($0 % 251) }
        let palette = try Palette(rgba: bytes)
        let colors = (0..<palette.count).map { palette[$0] }
        #expect(colors.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] } == bytes)
        #expect(try Palette(colors) == palette)
    }

    @Test func `bytes must be whole colors`() {
        #expect(throws: PNGError.paletteSize(2, limit: 256)) { try Palette(rgba: [1, 2, 3, 4, 5]) }
    }
}
