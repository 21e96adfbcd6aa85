import Foundation
import MultipartEncoder
import Testing

@Suite struct MultipartErrorTests {
    private static let part = PartLabel(index: 0, name: "p")

    @Test(arguments: [
        (
            MultipartError.header(part, .nulInName),
            "part 1 (\"p\"): the name or filename holds a NUL"
        ),
        (.header(part, .forbiddenByte(field: "X", byte: 13)), "part 1 (\"p\"): X holds byte 13"),
        (.header(part, .invalidFieldName("a b")), "part 1 (\"p\"): \"a b\" is no header name"),
        (.header(part, .reservedField("Content-Length")), "part 1 (\"p\"): Content-Length can't"),
        (.header(part, .holdsBoundary), "part 1 (\"p\"): the boundary occurs in the part's header"),
        (
            .boundaryCollision(part, offset: 7),
            "part 1 (\"p\"): the boundary occurs in the content at offset 7"
        ),
        (.source(part, path: "/f", .notRegularFile), "part 1 (\"p\"): /f: not a regular file"),
        (
            .source(part, path: "/f", .system(SystemError(call: .open, code: ENOENT))),
            "part 1 (\"p\"): /f: open: No such file or directory (errno 2)"
        ),
        (
            .source(part, path: "/f", .rangeOutside(2..<9, size: 4)),
            "part 1 (\"p\"): /f: bytes 2 to 9 asked for, but it has 4"
        ),
        (
            .source(part, path: "/f", .changedWhileRead),
            "part 1 (\"p\"): /f: changed while it was read"
        ),
        (.output(path: "/b", SystemError(call: .write, code: ENOSPC)), "/b: write: No space left"),
        (.output(path: nil, SystemError(call: .write, code: EPIPE)), "output: write: Broken pipe"),
        (.producer(part, CocoaError(.fileNoSuchFile)), "part 1 (\"p\"): "),
        (
            .lengthMismatch(part, promised: 3, written: 2),
            "part 1 (\"p\"): 3 bytes promised, 2 written"
        ),
        (.noStartPart("s"), "no part is named \"s\", the start part"),
        (.cancelled, "cancelled"),
    ])
    func `says what, where and what to do in one line`(error: MultipartError, start: String) {
        #expect(error.description.hasPrefix(start))
        #expect(!error.description.contains("\n"))
    }
}
