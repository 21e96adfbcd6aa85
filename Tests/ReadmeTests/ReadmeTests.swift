import MultipartEncoder
import Testing

struct ReadmeTests {
    @Test func `every Swift example is one that the compiler reads`() throws {
        let examples = try swiftExamples(in: try lines(of: "README.md"))
        let compiled = try lines(of: "Tests/ReadmeTests/ReadmeSnippets.swift").map(trimmed)
        #expect(!examples.isEmpty)
        for example in examples {
            let found = compiled.indices.contains { start in
                compiled[start...].prefix(example.count).elementsEqual(example)
            }
            #expect(found, "not in ReadmeSnippets.swift: \(example.joined(separator: "\n"))")
        }
    }

    @Test func `the app delegate in the manual is that of the example`() throws {
        let examples = try swiftExamples(in: try lines(of: "Documentation/Upload.md"))
        let glue = try #require(examples.first { $0.first?.contains("application(") == true })
        let example = try lines(of: "Examples/UploadingApp.swift").map(trimmed)
        let found = example.indices.contains { start in
            example[start...].prefix(glue.count).elementsEqual(glue)
        }
        #expect(found)
    }

    private func lines(of name: String) throws -> [String] {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let file = try MappedFile.open("/\(root)/\(name)")
        let bytes = file.bytes
        let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func trimmed(_ line: String) -> String { String(line.drop { $0 == " " }) }

    private func swiftExamples(in lines: [String]) throws -> [[String]] {
        var examples: [[String]] = []
        var example: [String]?
        for line in lines {
            if line == "```swift" {
                example = []
            } else if line == "```", let finished = example {
                examples.append(finished)
                example = nil
            } else {
                example?.append(trimmed(line))
            }
        }
        try #require(example == nil, "an example has no end")
        return examples
    }
}
