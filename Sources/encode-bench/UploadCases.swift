import MultipartEncoder

/// One large body to a server on this machine, by the library's transports, against curl.
///
/// Each upload is a process of its own, so that its memory and its processor time are known.
struct UploadCases {
    let options: BenchOptions

    /// The bench's own name ends the path of it; the other program lies beside it.
    private static var program: String {
        Machine.program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/") + "/upload-bench"
    }

    var group: Group {
        let body = "\(options.directory)/encode-bench.body"
        let output = "\(options.directory)/encode-bench.txt"
        let sink = Sink()
        return Group(
            labels: [("case", "upload")],
            prepare: { () throws(BenchError) in
                let url = try sink.start()
                try makeFile(body, byteCount: options.fileSize)
                // As small programs would do it: streamed, without waiting for "100 Continue".
                let curl = [
                    "curl", "-sS", "--fail", "-X", "POST", "-H", "Expect:",
                    "-H", "Content-Type: application/octet-stream", "-T", body, url,
                ]
                var variants = [variant("usual", curl, output)]
                variants[0].isBaseline = true
                for transport in Self.transports {
                    variants.append(
                        variant(transport, [Self.program, transport, url, body], output)
                    )
                }
                return variants
            },
            finish: {
                sink.stop()
                for path in [body, output] { try? systemUnlink(path) }
            }
        )
    }

    #if os(Linux)
    private static let transports = ["curl", "urlsession"]
    #else
    private static let transports = ["urlsession"]
    #endif

    private func variant(_ name: String, _ command: [String], _ output: String) -> Variant {
        let size = options.fileSize
        return Variant(
            labels: [("transport", name)],
            bytesIn: size,
            run: { () throws(BenchError) in
                guard runProgram(command, output: output, withErrors: true) == 0 else {
                    let words = (try? readFile(output)).map { String(decoding: $0, as: UTF8.self) }
                    throw .failed("\(command[0]): \(words ?? "can't be run")")
                }
                return size
            },
            isProgram: true
        )
    }
}
