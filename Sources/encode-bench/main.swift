import MultipartEncoder

do {
    try Bench.run(Array(CommandLine.arguments.dropFirst()))
} catch {
    try? systemWrite(standardError, "encode-bench: \(error)\n")
    if case .usage = error {
        try? systemWrite(standardError, "Try 'encode-bench --help'.\n")
        systemExit(64)
    }
    systemExit(1)
}
