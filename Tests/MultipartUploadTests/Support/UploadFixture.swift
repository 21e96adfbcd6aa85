/// A server, and a place for bodies and for a queue.
struct UploadFixture {
    let server: TestServer
    let directory: TemporaryDirectory
    /// The queue's directory, which isn't there at first.
    var queue: String { directory.path + "/queue" }

    init() throws {
        server = try TestServer.shared.get()
        directory = try TemporaryDirectory()
    }
}

/// A suite each of whose tests has a fixture of its own.
protocol UploadSuite {
    var fixture: UploadFixture { get }
}

extension UploadSuite {
    var server: TestServer { fixture.server }
    var directory: TemporaryDirectory { fixture.directory }
    var queue: String { fixture.queue }
}
