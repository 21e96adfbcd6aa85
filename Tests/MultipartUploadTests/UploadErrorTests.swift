import MultipartUpload
import Testing

@Test func `errors compare`() { #expect(UploadError.cancelled == .cancelled) }
