import MultipartEncoder
import Testing

struct MappedFileTests {
    @Test func `shows all of a file`() throws {
        let directory = try TemporaryDirectory()
        for content in [[], [1], [UInt8](repeating: 7, count: 100_000)] {
            let path = try directory.file("file \(content.count)", content)
            let file = try MappedFile.open(path)
            let bytes = file.bytes
            #expect(bytes.indices.map { bytes[$0] } == content)
            #expect(try file.isUnchanged())
        }
    }

    @Test func `notices that a file was written to`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("file", [1, 2, 3])
        let file = try MappedFile.open(path)
        _ = try directory.file("file", [1, 2, 3, 4])
        #expect(try !file.isUnchanged())
    }

    @Test func `refuses what is no file`() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: SourceDefect.notRegularFile) {
            let file = try MappedFile.open(directory.path)
            _ = file.bytes.count
        }
        #expect(throws: SourceDefect.self) {
            let file = try MappedFile.open("\(directory.path)/none")
            _ = file.bytes.count
        }
    }
}
