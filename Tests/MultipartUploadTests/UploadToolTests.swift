import Foundation
import MultipartEncoder
import Testing

/// `multipart upload`, `resume` and `queue` as a person uses them.
@Suite(.serialized) struct UploadToolTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    private func file(_ count: Int) throws -> String {
        try TestBody(in: directory, count: count).body.path
    }

    private func upload(_ path: String, _ arguments: [String]) async throws -> Tool.Run {
        let url = try server.url(path).absoluteString
        return try await Tool.run(["upload", url, "--queue", queue] + arguments)
    }

    /// Has the server hold what a command sends; the next command says nothing of it.
    private func holding(at count: Int) -> [String] {
        ["--authorize-command", "echo 'X-Hold: \(count)'"]
    }

    private var resume: [String] { ["resume", "--queue", queue, "--authorize-command", ":"] }

    @Test func `prints the answer on standard output only`() async throws {
        let run = try await upload(
            "/sink",
            ["--field", "a", "b", "--file", "f", try file(100_000)]
        )
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("{\"received\": 100"))
        #expect(run.errors.contains("the server answered 200"))
        #expect(!run.errors.contains("\u{1B}"), "no terminal, no control sequences")
        #expect(directory.files(below: "queue") == [".lock"])
    }

    @Test(arguments: ["/status?code=403", "/status?code=302", "/reset?after=1000"])
    func `ends with 1 unless the server says 2xx`(path: String) async throws {
        let run = try await upload(path, ["--retries", "0", "--file", "f", try file(100_000)])
        #expect(run.status == 1)
        #expect(run.output == (path.hasPrefix("/status") ? "the body of an error" : ""))
        #expect(directory.files(below: "queue") == [".lock"])
    }

    @Test func `sends a finished body and keeps it`() async throws {
        let body = try TestBody(in: directory, count: 500_000)
        let name = uniqueText()
        let run = try await upload(
            "/sink?\(name)",
            [
                "--body", body.body.path, "--content-type", "multipart/form-data; boundary=x",
                "--method", "PUT", "--request-header", "X-One: 1",
            ]
        )
        #expect(run.status == 0)
        let entry = try #require(try await server.entries(name, count: 1).first)
        #expect(entry.sha256 == body.sha256)
        #expect(entry.method == "PUT" && entry.headers["x-one"] == "1")
        #expect(FileManager.default.fileExists(atPath: body.body.path))
    }

    @Test(arguments: ["/proc/cpuinfo", "/dev/zero", "/dev/stdin", "fifo", "none", "."])
    func `sends no body that is no file`(name: String) async throws {
        let path = name.hasPrefix("/") ? name : directory.path + "/" + name
        if name == "fifo" { try #require(unsafe mkfifo(path, 0o600) == 0) }
        let text = uniqueText()
        let run = try await upload("/sink?\(text)", ["--body", path, "--content-type", "a/b"])
        #expect(run.status == 1 && run.errors.contains("\(path): the "), "\(run.errors)")
        #expect(server.entries(text).isEmpty)
        #expect(directory.files(below: "queue") == [".lock"])
    }

    @Test func `tells headers of the request from those of a part`() async throws {
        let name = uniqueText()
        let run = try await upload(
            "/sink?\(name)",
            ["--header", "X-Request: 1", "--field", "a", "b", "--header", "X-Part: 2"]
        )
        #expect(run.status == 0)
        let headers = try #require(try await server.entries(name, count: 1).first?.headers)
        #expect(headers["x-request"] == "1" && headers["x-part"] == nil)
    }

    @Test func `reads a stream of unknown length`() async throws {
        let name = uniqueText()
        let input = Pipe()
        let url = try server.url("/sink?\(name)").absoluteString
        let run = try await Tool.run(
            ["upload", url, "--queue", queue, "--stream", "f", "-"],
            input: input
        ) { _ in
            try? input.fileHandleForWriting.write(contentsOf: Data(count: 50_000))
            try? input.fileHandleForWriting.close()
        }
        #expect(run.status == 0)
        #expect(try await server.entries(name, count: 1).first?.received ?? 0 > 50_000)
    }

    @Test func `asks a command for credentials`() async throws {
        let name = uniqueText()
        let command =
            "test \"$MULTIPART_REFUSED\" = 1 && echo 'Authorization: Bearer new' || echo 'Authorization: Bearer old'"
        let run = try await upload(
            "/bearer?token=new&\(name)",
            ["--field", "a", "b", "--authorize-command", command]
        )
        #expect(run.status == 0)
        let tokens = try await server.entries(name, count: 2).map { $0.headers["authorization"] }
        #expect(tokens == ["Bearer old", "Bearer new"])
        let failing = try await upload(
            "/sink",
            ["--field", "a", "b", "--retries", "0", "--authorize-command", "exit 3"]
        )
        #expect(failing.status == 1 && failing.errors.contains("ended with 3"))
    }

    @Test(arguments: [
        ["--field", "a", "b", "--header", "x"], ["--body", "x"], ["--retries", "x"],
        ["--deadline", "-1", "--field", "a", "b"], [],
        ["--content-type", "a/b", "--field", "a", "b"],
        ["--header", "Authorization: secret", "--field", "a", "b"],
        ["--method", "GET", "--field", "a", "b"],
    ])
    func `says what is wrong with the arguments`(arguments: [String]) async throws {
        let run = try await upload("/sink", arguments)
        #expect(run.status == 64)
        #expect(!run.errors.isEmpty && run.output.isEmpty)
    }

    @Test(arguments: [
        "http://localhost:99999/", "http://localhost:0/", "http://localhost:18446744073709551617/",
        "http://localhost:x/", "http://", "http:///x", "localhost/x", "//localhost/x",
        "ftp://localhost/", "file:///etc/passwd", "http://local host/", "http://local%20host/",
        "http://local%2Fhost/", "http://u@localhost/", "http://u:p@localhost/",
        "http://@localhost/", "http://[::1/",
    ])
    func `says that an address can't be one`(address: String) async throws {
        let run = try await Tool.run(["upload", address, "--queue", queue, "--field", "a", "b"])
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.contains("multipart: ") && run.errors.contains(address))
        #expect(!FileManager.default.fileExists(atPath: queue))
    }

    @Test func `says which certificate it doesn't trust`() async throws {
        let url = try server.secureURL("/sink").absoluteString
        let arguments = ["upload", url, "--queue", queue, "--field", "a", "b"]
        let refused = try await Tool.run(arguments)
        #expect(refused.status == 1 && refused.errors.contains("certificate"))
        let trusted = try await Tool.run(arguments + ["--cacert", server.certificate])
        #expect(trusted.status == 0)
    }

    // Each upload in the queue failed for good, and its body was gone.
    @Test(arguments: ["none", "key", "."])
    func `a wrong name of the certificates costs no upload`(name: String) async throws {
        let key = uniqueText()
        let url = try server.secureURL("/flaky?key=\(key)&retry-after=60").absoluteString
        let trusting = ["--cacert", server.certificate]
        let arguments = ["upload", url, "--queue", queue, "--field", "a", "b"] + trusting
        let stopped = try await Tool.run(arguments) { process in
            try await untilSaid(by: process, "next one in")
            process.terminate()
        }
        #expect(stopped.wasKilled)
        let before = directory.files(below: "queue")
        try Data("-----BEGIN PRIVATE KEY-----".utf8).write(
            to: URL(fileURLWithPath: directory.path + "/key")
        )
        let path = directory.path + "/" + name
        let resumed = try await Tool.run(["resume", "--queue", queue, "--cacert", path])
        #expect(resumed.status == 1 && resumed.output.isEmpty)
        #expect(resumed.errors.contains("\(path): there are no certificates"), "\(resumed.errors)")
        #expect(directory.files(below: "queue") == before)
    }

    @Test func `stops when it is asked to, and resume goes on`() async throws {
        let name = uniqueText()
        let url = try server.url("/keyed?\(name)").absoluteString
        let arguments = ["upload", url, "--queue", queue, "--file", "f", try file(3_000_000)]
        let stopped = try await Tool.run(arguments + holding(at: 1_000_000)) { process in
            _ = try await server.entries(name, count: 1)
            process.terminate()
        }
        #expect(stopped.wasKilled && stopped.status == SIGTERM)
        #expect(stopped.errors.contains("resume"))
        let list = try await Tool.run(["queue", "--queue", queue])
        #expect(list.status == 0 && list.output.contains("\"contentLength\":3000"))
        let resumed = try await Tool.run(resume)
        #expect(resumed.status == 0)
        #expect(resumed.output.contains("\"outcome\":\"delivered\",\"status\":201"))
        #expect(try await Tool.run(["queue", "--queue", queue]).output.isEmpty)
        #expect(server.entries(name).map { $0.taken == nil } == [true, false])
    }

    @Test func `resume reports what nobody has heard of`() async throws {
        let url = try server.url("/keyed").absoluteString
        let arguments = ["upload", url, "--queue", queue, "--field", "a", "b"]
        let killed = try await Tool.run(arguments) { process in
            while process.isRunning {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: queue)) ?? []
                if names.contains(where: {
                    FileManager.default.fileExists(atPath: "\(queue)/\($0)/outcome.json")
                }) {
                    kill(process.processIdentifier, SIGKILL)
                    return
                }
                await Task.yield()
            }
        }
        guard killed.wasKilled, !directory.files(below: "queue").filter({ $0 != ".lock" }).isEmpty
        else { return }  // it was faster than the signal
        let resumed = try await Tool.run(["resume", "--queue", queue])
        #expect(resumed.status == 0 && resumed.output.contains("delivered"))
        #expect(directory.files(below: "queue") == [".lock"])
    }

    @Test func `two commands don't share a queue`() async throws {
        let name = uniqueText()
        let url = try server.url("/sink?\(name)").absoluteString
        let arguments = ["upload", url, "--queue", queue, "--field", "a", "b"]
        let first = try await Tool.run(arguments + holding(at: 1)) { process in
            _ = try await server.entries(name, count: 1)
            let second = try await Tool.run(resume)
            #expect(second.status == 1 && second.errors.contains("another process"))
            process.terminate()
        }
        #expect(first.wasKilled && first.status == SIGTERM)
        #expect(try await Tool.run(resume).status == 0)
    }

    /// Waits until a command has said something on standard error.
    private func untilSaid(by process: Process, _ text: String) async throws {
        let errors = "/proc/\(process.processIdentifier)/fd/2"
        try await until("'\(text)'") {
            let bytes = FileManager.default.contents(atPath: errors) ?? Data()
            return String(decoding: bytes, as: UTF8.self).contains(text)
        }
    }

    @Test func `a second upload waits for the first`() async throws {
        let name = uniqueText()
        let url = try server.url("/keyed?\(name)").absoluteString
        let arguments = ["upload", url, "--queue", queue, "--field", "a", "b"]
        let first = try await Tool.run(arguments + holding(at: 1)) { process in
            _ = try await server.entries(name, count: 1)
            let before = directory.files(below: "queue")
            let interrupted = try await Tool.run(arguments) { second in
                try await untilSaid(by: second, "waiting for its end")
                second.terminate()
            }
            #expect(interrupted.wasKilled && interrupted.status == SIGTERM)
            #expect(interrupted.errors.contains("nothing was queued"))
            #expect(directory.files(below: "queue") == before)
            let second = try await Tool.run(arguments) { second in
                try await untilSaid(by: second, "waiting for its end")
                process.terminate()
            }
            #expect(second.status == 0, "\(second.errors)")
        }
        #expect(first.wasKilled && first.status == SIGTERM)
        #expect(server.entries(name).map { $0.taken == nil } == [true, false])
        #expect(try await Tool.run(resume).status == 0)
        let taken = try await server.entries(name, count: 3).compactMap(\.taken)
        #expect(Set(taken).count == 2, "each of the two, once: \(taken)")
    }

    @Test(arguments: ["", "/", "//", "/.", "/./"])
    func `a queue is no link, however it is written`(ending: String) async throws {
        let target = directory.path + "/target"
        try FileManager.default.createDirectory(
            atPath: target,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        try FileManager.default.createSymbolicLink(atPath: queue, withDestinationPath: target)
        let url = try server.url("/sink").absoluteString
        let run = try await Tool.run([
            "upload", url, "--queue", queue + ending, "--field", "a", "b",
        ])
        #expect(run.status == 1 && run.errors.contains("not a link"), "\(run.errors)")
    }

    @Test func `a command for credentials that hangs can be interrupted`() async throws {
        let url = try server.url("/sink").absoluteString
        let mark = directory.path + "/asked"
        let start = ContinuousClock.now
        let stopped = try await Tool.run([
            "upload", url, "--queue", queue, "--field", "a", "b", "--retries", "0",
            "--authorize-command", "touch \(mark); sleep 100; echo",
        ]) { process in
            try await until { FileManager.default.fileExists(atPath: mark) }
            process.terminate()
        }
        #expect(ContinuousClock.now - start < .seconds(90))
        #expect(stopped.wasKilled && stopped.status == SIGTERM)
        #expect(stopped.errors.contains("resume"), "\(stopped.errors)")
        let resumed = try await Tool.run(resume)
        #expect(resumed.status == 0 && resumed.output.contains("delivered"))
    }

    // An agent that it starts, say: the upload went on when that had ended too, or at the deadline.
    @Test func `a command for credentials may leave something running`() async throws {
        let name = uniqueText()
        let (left, open) = (directory.path + "/left", directory.path + "/open")
        func lines(_ path: String) throws -> [Substring] {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        }
        let start = ContinuousClock.now
        let run = try await upload(
            "/flaky?key=\(name)&failures=3&retry-after=0",
            [
                "--field", "a", "b", "--authorize-command",
                "sleep 60 & echo $! >>\(left); ls -l /proc/$PPID/fd | grep -c '^lr.*pipe:' >>\(open);"
                    + " ls /proc/self/fd | wc -l >>\(open); echo 'X-One: 1'",
            ]
        )
        #expect(ContinuousClock.now - start < .seconds(50))
        #expect(run.status == 0, "\(run.errors)")
        let entries = try await server.entries(name, count: 4)
        #expect(entries.map { $0.headers["x-one"] } == ["1", "1", "1", "1"])
        let children = try lines(left).compactMap { pid_t($0) }
        #expect(children.count == 4)
        for child in children { #expect(kill(child, SIGKILL) == 0, "it runs on") }
        let counts = try lines(open).compactMap { Int($0.filter(\.isNumber)) }
        let ours = stride(from: 0, to: counts.count, by: 2).map { counts[$0] }
        let commands = stride(from: 1, to: counts.count, by: 2).map { counts[$0] }
        #expect(Set(ours).count == 1, "no pipe is left to read from: \(ours)")
        #expect(commands == [4, 4, 4, 4], "three, and the directory")
    }

    @Test func `a command for credentials may close its output and work on`() async throws {
        let name = uniqueText()
        let run = try await upload(
            "/sink?\(name)",
            [
                "--field", "a", "b", "--authorize-command",
                "echo 'X-One: 1'; exec >&-; sleep 0.1; touch \(directory.path)/worked",
            ]
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: directory.path + "/worked"))
        #expect(try await server.entries(name, count: 1).first?.headers["x-one"] == "1")
    }

    @Test func `a command for credentials that prints without end is stopped`() async throws {
        let run = try await upload(
            "/sink",
            ["--field", "a", "b", "--retries", "0", "--authorize-command", "cat /dev/zero"]
        )
        #expect(run.status == 1 && run.errors.contains("more than 1048576 bytes"), "\(run.errors)")
    }

    // Its text was repaired, and the server's 401 to that ended the upload.
    @Test func `a command for credentials that prints no text gives none`() async throws {
        let run = try await upload(
            "/bearer?token=new",
            [
                "--field", "a", "b", "--retries", "0",
                "--authorize-command", #"printf 'Authorization: Bearer n\377w\n'"#,
            ]
        )
        #expect(run.status == 1 && run.errors.contains("no UTF-8"), "\(run.errors)")
        #expect(run.errors.contains("stays in the queue"))
    }

    // As one that asks for a password does: nobody ever answered it.
    @Test(arguments: ["TTIN", "TTOU"])
    func `a command for credentials doesn't wait for the terminal`(name: String) async throws {
        let run = try await upload(
            "/sink",
            [
                "--field", "a", "b", "--retries", "0", "--deadline", "60",
                "--authorize-command", "kill -\(name) $$",
            ]
        )
        #expect(run.status == 1 && run.errors.contains("asked the terminal"), "\(run.errors)")
        #expect(run.errors.contains("stays in the queue"))
    }

    @Test(arguments: ["", "trap '' TERM; "])
    func `a command for credentials that hangs ends at the deadline`(start: String) async throws {
        let sleep = "sleep 60.0\(UInt32.random(in: 0 ... .max))"
        let run = try await upload(
            "/sink",
            [
                "--field", "a", "b", "--retries", "0", "--deadline", "1",
                "--authorize-command", "\(start)\(sleep); echo",
            ]
        )
        #expect(run.status == 1 && run.errors.contains("no answer within 1"), "\(run.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        let left = names.compactMap { FileManager.default.contents(atPath: "/proc/\($0)/cmdline") }
            .map { String(decoding: $0, as: UTF8.self).replacing("\0", with: " ") }
        #expect(left.contains { $0.contains("swift") || $0.contains("xctest") }, "nothing was read")
        #expect(!left.contains { $0.contains(sleep) })
    }

    // The queue was made in the root directory, or wasn't there.
    @Test(arguments: ["upload", "queue", "resume", "--body"])
    func `a relative path in a directory that is gone leads nowhere`(command: String) async throws {
        let gone = directory.path + "/gone"
        try FileManager.default.createDirectory(
            atPath: gone,
            withIntermediateDirectories: false
        )
        let name = "queue-\(uniqueText())"
        let request = "upload \(try server.url("/sink").absoluteString)"
        let words =
            switch command {
            case "upload": "\(request) --queue \(name) --field a b"
            case "--body": "\(request) --queue \(queue) --body \(name) --content-type a/b"
            default: "\(command) --queue \(name)"
            }
        let run = try await Tool.run(
            words.split(separator: " ").map(String.init),
            removing: gone
        )
        #expect(run.status == 1)
        #expect(run.errors.contains("\(name): the current directory is gone"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: "/\(name)"))
    }

    @Test(arguments: ["upload", "queue", "resume"])
    func `others can't write to a queue`(command: String) async throws {
        try FileManager.default.createDirectory(
            atPath: queue,
            withIntermediateDirectories: false
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: queue)
        let request = ["http://localhost/", "--field", "a", "b"]
        let words = (command == "upload" ? request : []) + ["--queue", queue]
        let run = try await Tool.run([command] + words)
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains(queue) && run.errors.contains("chmod 700"), "\(run.errors)")
    }

    @Test func `an answer without end is left at the deadline`() async throws {
        let run = try await upload(
            "/endless",
            ["--field", "a", "b", "--retries", "0", "--deadline", "3"]
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("xxx") && run.output.utf8.count <= 16 * 1024 * 1024)
        #expect(directory.files(below: "queue") == [".lock"])
    }
}
