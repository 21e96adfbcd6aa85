import Foundation
import MultipartEncoder
import Testing

/// The tool is killed at random moments and started again.
///
/// Nothing may be lost, doubled, or left.
@Suite(.serialized) struct KillTests: UploadSuite {
    let fixture: UploadFixture

    init() throws { fixture = try UploadFixture() }

    /// When a process is killed.
    private enum Moment {
        case after(Double)
        /// So long after there is an upload, however long that takes.
        case sending(Double)
        /// As soon as a file whose name ends so is in the queue.
        case file(String)
    }

    private func end(_ process: Process, _ moment: Moment) async throws {
        switch moment {
        case .after(let seconds): try await Task.sleep(for: .seconds(seconds))
        case .sending(let seconds):
            await untilThere("record.json", process)
            try await Task.sleep(for: .seconds(seconds))
        case .file(let ending): await untilThere(ending, process)
        }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    private func untilThere(_ ending: String, _ process: Process) async {
        while process.isRunning {
            let directories = (try? FileManager.default.contentsOfDirectory(atPath: queue)) ?? []
            let isThere = directories.contains {
                FileManager.default.fileExists(atPath: "\(queue)/\($0)/\(ending)")
            }
            if isThere { return }
            await Task.yield()  // it may be there for a moment only
        }
    }

    private struct Listed: Decodable {
        let id: String
    }

    private func listed(_ output: String) -> [String] {
        output.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Listed.self, from: Data($0.utf8)).id
        }
    }

    private func moment(_ index: Int) -> Moment {
        switch index % 10 {
        case 0: .file("outcome.json.tmp")
        case 1: .file("outcome.json")
        case 2: .file("record.json")
        case 3: .after(.random(in: 0...0.06))
        default: .sending(.random(in: 0...0.2))
        }
    }

    @Test(.timeLimit(.minutes(30)), arguments: [false, true])
    func `ends every upload exactly once`(isResumable: Bool) async throws {
        let body = try TestBody(in: directory, count: 6_000_000)
        let file = directory.path + "/file"
        try FileManager.default.copyItem(atPath: body.body.path, toPath: file)
        let total = LongTests.count(10, 100)
        let path = isResumable ? "/resumable?rate=30000000" : "/keyed?rate=30000000&delay=0.1"
        let url = try server.url(path).absoluteString
        var known: Set<String> = []
        var killed = 0
        for index in 0..<total {
            var arguments = ["upload", url, "--queue", queue, "--quiet", "--field", "a", "b"]
            if isResumable { arguments.append("--resumable") }
            arguments += ["--file", "f", file]
            let first = try await Tool.run(arguments) { try await end($0, moment(index)) }
            if first.wasKilled { killed += 1 }
            known.formUnion(listed(try await Tool.run(["queue", "--queue", queue]).output))
            // The next process may be killed as well.
            let resume = ["resume", "--queue", queue, "--quiet"]
            if index % 3 == 0 {
                let second = try await Tool.run(resume) { try await end($0, moment(index / 3)) }
                if second.wasKilled { killed += 1 }
            }
            let last = try await Tool.run(resume)
            #expect(last.status == 0, "\(last.errors)")
            #expect(directory.files(below: "queue") == [".lock"])
        }
        #expect(killed > total / 2)
        var sentAgain = 0
        for id in known {
            let entries = server.entries(id)
            if isResumable {
                // The server ended each upload once, and no byte that it had was sent again.
                let ended = entries.filter { $0.finished != nil || $0.status == 204 }
                #expect(!ended.isEmpty)
                var reached: [String: Int64] = [:]
                for entry in entries {
                    guard let upload = entry.upload, let start = entry.start, let end = entry.end
                    else { continue }
                    if start < reached[upload, default: 0] { sentAgain += 1 }
                    reached[upload] = max(end, reached[upload, default: 0])
                    if let claimed = entry.headers["upload-offset"] {
                        #expect(claimed == String(start))
                    }
                }
            } else {
                let taken = entries.filter { $0.taken == id }
                #expect(taken.filter { $0.repeated == false }.count == 1, "\(id)")
                #expect(Set(taken.map(\.sha256)).count == 1)
            }
        }
        #expect(sentAgain == 0)
        #expect(known.count > total / 10, "some runs must get as far as an upload")
        print(
            "case=upload.kills resumable=\(isResumable) runs=\(total) kills=\(killed)"
                + " uploads=\(known.count) resent=\(sentAgain)"
        )
    }
}
