import MultipartEncoder
import Testing

@Suite struct FilePathTests {
    @Test(arguments: [
        ("a/b.txt", "b.txt"), ("b.txt", "b.txt"), ("/b", "b"), ("a/b//", "b"), ("", ""), ("/", ""),
        ("a\\b", "a\\b"), ("d/\u{301}x", "\u{301}x"), ("d\u{301}/x", "x"),
    ])
    func `the last component of a path`(path: String, expected: String) {
        #expect(FilePath.lastComponent(of: path) == expected)
    }

    @Test(arguments: [
        ("a/b.txt", "a"), ("b.txt", "."), ("/b", "/"), ("/a/b", "/a"), ("a/", "a"), ("", "."),
        ("d/\u{301}x", "d"),
    ])
    func `the directory of a path`(path: String, expected: String) {
        #expect(FilePath.directory(of: path) == expected)
    }

    @Test(arguments: [
        ("a/b.PNG", "png" as String?), ("a.tar.gz", "gz"), (".profile", nil), ("a.", nil),
        ("dir.x/file", nil), ("", nil), ("a.\u{301}p", "\u{301}p"), (".a.b", "b"),
    ])
    func `the extension of a path`(path: String, expected: String?) {
        #expect(FilePath.pathExtension(of: path) == expected)
    }

    @Test(arguments: [
        ("a", "a/n"), ("a/", "a/n"), ("/", "/n"), ("", "n"), (".", "./n"),
    ])
    func `a name in a directory`(directory: String, expected: String) {
        #expect(FilePath.joining(directory, "n") == expected)
    }
}
