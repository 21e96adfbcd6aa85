import Foundation
import MultipartEncoder
import MultipartReference
import Testing

@Suite struct FilenameFormTests {
    static let cases: [(FilenameForm, String, String)] = [
        (FilenameForm.lastComponent, "a/b.txt", "b.txt"), (.lastComponent, "C:\\d\\b.txt", "b.txt"),
        (.lastComponent, "a/b\\", "b"), (.lastComponent, "../..", ".."), (.lastComponent, "/", ""),
        (.lastComponent, "plain", "plain"), (.lastComponent, "", ""),
        (.lastComponent, "d/\u{301}x", "\u{301}x"), (.noTrailingBackslash, "a\\", "a"),
        (.noTrailingBackslash, "a\\\\", "a"), (.noTrailingBackslash, "\\a", "\\a"),
        (.noTrailingBackslash, "\\", ""), (.composed, "cafe\u{301}.txt", "caf\u{E9}.txt"),
        ([], "d/e\u{301}\\", "d/e\u{301}\\"),
        ([.lastComponent, .composed], "d/e\u{301}\\", "\u{E9}"),
    ]

    @Test(arguments: cases)
    func `changes a filename only as asked`(form: FilenameForm, name: String, expected: String) {
        #expect(Array(form.applied(to: name).utf8) == Array(expected.utf8))
    }

    @Test func `the body has the changed name, and its length is known`() throws {
        let options = WritingOptions(
            boundary: try Boundary("b"),
            filenames: [.lastComponent, .noTrailingBackslash, .composed]
        )
        let form = FormData(
            [.bytes([1], named: "d/e\u{301}\\", filename: "d/e\u{301}\\", type: "a/b")],
            options: options
        )
        let length = try form.contentLength()
        let whole = try streamed(options: options) { (writer) throws(MultipartError) in
            for part in form.parts { try writer.append(part) }
        }
        #expect(length == Int64(whole.bytes.count))
        let part = try ReferenceParser.parse(whole.bytes, boundary: "b").first
        #expect(part?.name.map { Array($0.utf8) } == Array("d/e\u{301}\\".utf8))
        #expect(part?.filename.map { Array($0.utf8) } == Array("\u{E9}".utf8))
    }
}

@Suite struct ComposedFormTests {
    @Test func `every scalar composes as Foundation has it`() {
        var wrong: [UInt32] = []
        // Beyond plane 2 nothing composes; a sample shows that.
        let values = Array(0..<0x3_0000 as Range<UInt32>)
        for value in values + stride(from: 0x3_0000, through: 0x10_FFFF, by: 97) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            // Alone, and apart; a letter before it shows what it combines with.
            for text in [String(scalar), "a\(scalar)"] where !agrees(text) { wrong.append(value) }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10).map { String($0, radix: 16) })")
    }

    @Test(arguments: 0..<8)
    func `random letters and marks compose as Foundation has it`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pool =
            ([
                0x41...0x7A, 0xC0...0x17F, 0x300...0x362, 0x5B0...0x5BD, 0x64B...0x655,
                0x9BE...0x9D7,
                0x1100...0x1112, 0x1161...0x1175, 0x11A7...0x11C2, 0xAC00...0xAC20, 0x1E00...0x1EFF,
                0x3040...0x309A, 0xF900...0xF930, 0x1D15E...0x1D172,
            ] as [ClosedRange<UInt32>]).flatMap { $0.compactMap(Unicode.Scalar.init) }
        for _ in 0..<4000 {
            let scalars = (0..<Int.random(in: 1...9, using: &random)).compactMap { _ in
                pool.randomElement(using: &random)
            }
            let text = String(String.UnicodeScalarView(scalars))
            #expect(agrees(text), "seed \(seed): \(scalars.map { String($0.value, radix: 16) })")
        }
    }

    private func agrees(_ text: String) -> Bool {
        // Taken apart first: Foundation leaves a syllable and the consonant after it apart.
        let expected = text.decomposedStringWithCanonicalMapping
            .precomposedStringWithCanonicalMapping
        return ComposedForm.of(text).utf8.elementsEqual(expected.utf8)
    }
}
