import Foundation
import Synchronization

/// A server program of the tests: started with a directory of its own, ended with the tests.
final class TestServer: Sendable {
    /// The one that most tests share; they tell their requests apart by what they send.
    static let shared = Result { try TestServer() }

    let directory: TemporaryDirectory
    let port: Int
    let securePort: Int
    /// The certificate that the secure port shows, which nobody trusts by default.
    let certificate: String
    private let process: ServerProcess

    init() throws {
        directory = try TemporaryDirectory()
        certificate = directory.path + "/certificate.pem"
        let key = directory.path + "/key.pem"
        try run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
                certificate,
                "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1",
            ]
        )
        process = try ServerProcess(
            "python3",
            [Self.script("upload_server.py"), directory.path, certificate, key]
        )
        let ports = process.firstLine.split(separator: " ").compactMap { Int($0) }
        guard ports.count == 2 else { throw TestFailure("no ports: \(process.firstLine)") }
        (port, securePort) = (ports[0], ports[1])
    }

    static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Servers/\(name)").path
    }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            throw TestFailure("no address: \(path)")
        }
        return url
    }

    func secureURL(_ path: String) throws -> URL {
        guard let url = URL(string: "https://localhost:\(securePort)\(path)") else {
            throw TestFailure("no address: \(path)")
        }
        return url
    }

    /// What came over the wire in one request.
    struct Entry: Decodable, Sendable {
        let method: String
        let target: String
        let headers: [String: String]
        let connection: Int
        let received: Int64
        let sha256: String
        let status: Int?
        let ended: String?
        let taken: String?
        let repeated: Bool?
        let start: Int64?
        let end: Int64?
        let offset: Int64?
        let upload: String?
        let finished: String?
    }

    /// The requests whose target or `Idempotency-Key` has a text, in the order of their ends: all
    /// of those that have an answer.
    func entries(_ text: String) -> [Entry] {
        guard let log = FileManager.default.contents(atPath: directory.path + "/log.jsonl") else {
            return []
        }
        return log.split(separator: UInt8(ascii: "\n")).compactMap { line in
            try? JSONDecoder().decode(Entry.self, from: line)
        }.filter { $0.target.contains(text) || $0.headers["idempotency-key"] == text }
    }

    /// Waits until the log has so many requests with a text: those that nobody answered, or that
    /// nobody waited for.
    func entries(_ text: String, count: Int) async throws -> [Entry] {
        var found: [Entry] = []
        try await until("\(count) requests with \(text)") {
            found = entries(text)
            return found.count >= count
        }
        return found
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A child that says when it is ready, and is ended with its owner.
///
/// It must end by itself when the tests do: a test run may be killed.
final class ServerProcess: Sendable {
    let firstLine: String
    private let child: Mutex<Process>

    init(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try which(program))
        process.arguments = arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let byte = try output.fileHandleForReading.read(upToCount: 1) ?? Data()
            guard !byte.isEmpty else { throw TestFailure("\(program) ended at once") }
            line += byte
        }
        firstLine = String(decoding: line.dropLast(), as: UTF8.self)
        child = Mutex(process)
    }

    /// Starts a server that knows nothing of tests, with a script that ends it when the tests end.
    static func watching(_ command: [String]) throws -> ServerProcess {
        guard let program = command.first else { throw TestFailure("no program") }
        let arguments = [try which(program)] + command.dropFirst()
        return try ServerProcess("python3", [TestServer.script("watch.py")] + arguments)
    }

    deinit { child.withLock { $0.terminate() } }
}

/// The path of a program; fails with what is missing.
func which(_ program: String) throws -> String {
    let directories = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/bin"]
    let path = directories.map { "\($0)/\(program)" }.first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let path else { throw TestFailure("\(program) isn't installed") }
    return path
}

/// Runs a program to its end and returns its standard output.
@discardableResult
func run(_ program: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(
        fileURLWithPath: program.hasPrefix("/") ? program : try which(program)
    )
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    // `waitUntilExit()` looks twenty times a second, which makes up most of hundreds of short waits.
    let exit = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in exit.signal() }
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    exit.wait()
    guard process.terminationStatus == 0 else {
        throw TestFailure("\(program) ended with \(process.terminationStatus)")
    }
    return bytes
}
