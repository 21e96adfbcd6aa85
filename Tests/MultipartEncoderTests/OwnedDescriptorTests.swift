import Foundation
import MultipartEncoder
import Testing

@Suite struct OwnedDescriptorTests {
    @Test func `closes when its owner goes away`() throws {
        let pipe = Pipe()
        let copy = try rawCopy(of: pipe)
        do { _ = OwnedDescriptor(adopting: copy) }
        #expect(throws: SystemError.self) { try systemStatus(copy) }
    }

    @Test func `closes once and says when that fails`() throws {
        let pipe = Pipe()
        let copy = try rawCopy(of: pipe)
        let owned = OwnedDescriptor(adopting: copy)
        try owned.close()
        let error = #expect(throws: SystemError.self) {
            try OwnedDescriptor(adopting: copy).close()
        }
        #expect(error?.call == .close)
    }

    @Test func `traps on a negative descriptor`() async {
        await #expect(processExitsWith: .failure) { _ = OwnedDescriptor(adopting: -1).rawValue }
    }

    /// A descriptor high enough that no other test opens the same number meanwhile.
    private func rawCopy(of pipe: Pipe) throws -> CInt {
        let copy = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 900)
        return try #require(copy >= 0 ? copy : nil)
    }
}
