import Foundation
import MultipartEncoder
import MultipartUpload

// One upload of one file, by one transport, as a process: what `encode-bench upload` measures.

let usage = "usage: upload-bench curl|urlsession URL FILE\n"

func stop(_ words: String) -> Never {
    FileHandle.standardError.write(Data(words.utf8))
    exit(1)
}

let words = CommandLine.arguments
guard words.count == 4, let url = URL(string: words[2]) else { stop(usage) }
let transport: any UploadTransport
switch words[1] {
#if os(Linux)
case "curl": transport = CurlTransport()
#endif
case "urlsession": transport = URLSessionTransport()
default: stop(usage)
}
guard let size = systemFileSize(words[3]) else { stop("\(words[3]) isn't there\n") }
let attempt = UploadAttempt(
    upload: .random(),
    url: url,
    method: "POST",
    headers: [UploadHeader("Content-Type", "application/octet-stream")],
    body: UploadAttempt.Body(path: words[3], fileSize: size, offset: 0, length: size)
)
let result = await transport.perform(attempt) { _ in }
guard result.error == nil, result.response?.status == 200 else { stop("\(result)\n") }
