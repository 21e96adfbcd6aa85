import Foundation
import MultipartEncoder
import MultipartUpload

// The README's examples, so that the compiler reads them. `ReadmeTests` compares the texts.

func spool(_ frame: ContiguousArray<UInt8>, in directory: String) throws -> SpooledBody {
    var writer = try MultipartWriter(spoolingIn: directory)
    try writer.append("Holiday", named: "album")
    try writer.append(fileAt: "clip.mov", named: "video")
    let pixels = try PixelBuffer(frame.span, width: 1920, height: 1080, format: .bgra8)
    try writer.append(pixels, named: "photo", filename: "photo.png", png: .fast)
    let body = try writer.finish()  // body.path, body.contentType, body.contentLength
    return body
}

func declare(in directory: String) throws -> SpooledBody {
    var form = FormData()
    form.append(.text("Holiday", named: "album"))
    form.append(.file(at: "clip.mov", named: "video"))
    let body = try form.spool(in: directory)
    return body
}

func stream(to descriptor: CInt) throws -> Int64 {
    let sent = try MultipartWriter.stream(to: descriptor) { (writer) throws(MultipartError) in
        try writer.append("Holiday", named: "album")
    }
    return sent.contentLength
}

func upload(_ body: SpooledBody, to server: URL) async throws -> Bool {
    let uploader = try Uploader(directory: "queue", transport: CurlTransport())
    let id = try await uploader.enqueue(body, to: UploadRequest(url: server))
    let outcome = await uploader.finalOutcome(of: id)
    return outcome?.isDelivered == true
}

@MainActor func wake(for identifier: String, completionHandler: @escaping () -> Void) async throws {
    let uploader = try Uploader(directory: "queue", transport: URLSessionTransport())
    await uploader.resume()
    await uploader.handleEvents(forBackgroundSession: identifier) { completionHandler() }
}
