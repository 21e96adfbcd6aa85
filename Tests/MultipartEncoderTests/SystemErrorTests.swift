import Foundation
import MultipartEncoder
import Testing

@Suite struct SystemErrorTests {
    @Test func `says the call, the system's words and the number`() {
        let error = SystemError(call: .copyFileRange, code: ENOSPC)
        #expect(error.description == "copy_file_range: No space left on device (errno 28)")
    }
}
