import Foundation
import MultipartUpload
import Testing

@Suite struct ResponseHeadReaderTests {
    private let text =
        "HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /u/1\r\n\r\n"
        + "HTTP/1.1 100 Continue\r\n\r\n"
        + "HTTP/1.1 201 Created\r\nX-Empty:\r\nx-twice: a\r\nX-Twice:  b \r\n\r\n"

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `reads the same whatever the pieces`(size: Int) {
        var reader = ResponseHeadReader()
        var interims: [UploadResponse] = []
        let bytes = Data(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            interims += reader.take(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(interims.map(\.status) == [104, 100])
        #expect(interims.first?.header("location") == "/u/1")
        #expect(reader.final?.status == 201)
        #expect(
            reader.final?.headers
                == [
                    UploadHeader("X-Empty", ""), UploadHeader("x-twice", "a"),
                    UploadHeader("X-Twice", "b"),
                ]
        )
    }

    // swift-corelibs-foundation#5285 traps where the headers are cut; libcurl says all is well.
    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "HTTP/1.1 20", ""])
    func `has no answer before the blank line`(text: String) {
        var reader = ResponseHeadReader()
        #expect(reader.take(Data(text.utf8)).isEmpty)
        #expect(reader.final == nil)
    }

    @Test func `doesn't take trailers for headers`() {
        var reader = ResponseHeadReader()
        _ = reader.take(Data("HTTP/1.1 200 OK\r\nA: 1\r\n\r\nB: 2\r\n\r\n".utf8))
        #expect(reader.final?.headers == [UploadHeader("A", "1")])
    }
}
