import MultipartEncoder
import Testing

@Suite struct MediaTypeTests {
    @Test(arguments: [
        ("photo.JPG", "image/jpeg"), ("a.png", "image/png"), ("b.tar.gz", "application/gzip"),
        ("report.pdf", "application/pdf"), ("x.unknown", "application/octet-stream"),
        ("png", "application/octet-stream"), (".png", "application/octet-stream"),
        ("", "application/octet-stream"), ("a.HeIc", "image/heic"), ("clip.mov", "video/quicktime"),
        ("notes.txt", "text/plain"), ("data.json", "application/json"),
    ])
    func `a filename's extension gives the type`(filename: String, type: String) {
        #expect(MediaType.forFilename(filename) == type)
        #expect(MediaType.resolve(nil, filename: filename) == type)
    }

    @Test func `a type that is given wins, an empty one is unknown`() {
        #expect(MediaType.resolve("a/b", filename: "x.png") == "a/b")
        #expect(MediaType.resolve("", filename: "x.png") == "application/octet-stream")
    }
}
