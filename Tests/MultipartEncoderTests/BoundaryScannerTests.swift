import MultipartEncoder
import MultipartReference
import Testing

@Suite struct BoundaryScannerTests {
    /// Delimiters that overlap themselves in every way, short and long ones.
    static let boundaries = ["x", "-", "--", "a-", "abab", "--a--a", "-x-", "0123456789"]

    @Test(arguments: boundaries)
    func `finds a delimiter at every offset through every pair of edges`(text: String) throws {
        let boundary = try Boundary(text)
        let delimiter = Array("--\(text)".utf8)
        for offset in 0...(delimiter.count + 2) {
            let content = Array(repeating: UInt8(ascii: "."), count: offset) + delimiter + [46, 46]
            let expected = try #require(
                ReferenceParser.occurrences(of: delimiter, in: content).first
            )
            for first in 0...content.count {
                for second in first...content.count {
                    let pieces = [content[..<first], content[first..<second], content[second...]]
                    #expect(find(boundary, in: pieces) == Int64(expected))
                }
            }
        }
    }

    @Test(arguments: boundaries)
    func `finds nothing where every byte but one is right`(text: String) throws {
        let boundary = try Boundary(text)
        let delimiter = Array("--\(text)".utf8)
        for wrong in delimiter.indices {
            var content = delimiter
            content[wrong] = UInt8(ascii: "!")
            for first in 0...content.count {
                #expect(find(boundary, in: [content[..<first], content[first...]]) == nil)
            }
        }
    }

    @Test(arguments: boundaries)
    func `agrees with a search of the whole when bytes come one by one`(text: String) throws {
        let boundary = try Boundary(text)
        let delimiter = Array("--\(text)".utf8)
        let letters = Array(Set("-\(text)".utf8)).sorted()
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let content = (0..<40).compactMap { _ in letters.randomElement(using: &random) }
            let expected = ReferenceParser.occurrences(of: delimiter, in: content).first
            #expect(find(boundary, in: content.map { [$0] }) == expected.map(Int64.init))
        }
    }

    @Test func `forgets what was before a reset`() throws {
        var scanner = BoundaryScanner(for: try Boundary("ab"))
        #expect(scanner.find(in: ContiguousArray("xx--a".utf8).span) == nil)
        scanner.reset()
        #expect(scanner.find(in: ContiguousArray("b--ab".utf8).span) == 1)
    }

    private func find(_ boundary: Boundary, in pieces: [some Collection<UInt8>]) -> Int64? {
        var scanner = BoundaryScanner(for: boundary)
        for piece in pieces {
            if let offset = scanner.find(in: ContiguousArray(piece).span) { return offset }
        }
        return nil
    }
}
