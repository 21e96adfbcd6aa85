import CBench
import MultipartEncoder

/// What a run costs besides time: counted in processes of their own, one variant each.
///
/// A child loads what it needs and runs the variant once (allocations, resident memory). System
/// calls are those of `strace -f -c` around such a child, less those of one that only loads.
struct Counts {
    private let arguments: [String]
    private let scratch: String
    private let hasTracer: Bool
    private var loading: [Int: [String: Int]] = [:]

    init(_ options: BenchOptions, arguments: [String]) {
        self.arguments = [Machine.program] + arguments
        scratch = "\(options.directory)/encode-bench-\(UInt32.random(in: .min ... .max)).txt"
        hasTracer =
            runProgram(
                ["strace", "-c", "-o", "/dev/null", "true"],
                output: scratch,
                withErrors: true
            )
            == 0
    }

    /// Adds a variant's counts to its record.
    mutating func add(_ group: Int, _ variant: Int, to record: inout Record) throws(BenchError) {
        defer { try? systemUnlink(scratch) }
        let child = ["--child", "\(group):\(variant)", "--no-counts"]
        guard runProgram(arguments + child, output: scratch) == 0 else {
            throw .failed(
                "the child that counts has failed: \((arguments + child).joined(separator: " "))"
            )
        }
        for word in try lines().joined(separator: " ").split(separator: " ") {
            let pair = word.split(separator: "=")
            guard pair.count == 2, let number = Int(String(pair[1])), number >= 0 else { continue }
            record[String(pair[0])] = .integer(number)
        }
        guard hasTracer else { return }
        let idle: [String: Int]
        if let known = loading[group] {
            idle = known
        } else {
            idle = try traced(child + ["--repeat", "0"])
            loading[group] = idle
        }
        let calls = try traced(child).map { ($0.key, $0.value - (idle[$0.key] ?? 0)) }
            .filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
        record["syscalls"] = .integer(calls.reduce(0) { $0 + $1.1 })
        record["syscalls_by_kind"] = .text(calls.map { "\($0.0):\($0.1)" }.joined(separator: ","))
    }

    private func traced(_ child: [String]) throws(BenchError) -> [String: Int] {
        let command = ["strace", "-f", "-c", "-o", scratch] + arguments + child
        guard runProgram(command, output: "/dev/null") == 0 else {
            throw .failed("strace has failed")
        }
        var calls: [String: Int] = [:]
        for line in try lines() {
            // % time, seconds, microseconds a call, calls, errors if any, name
            let words = line.split(separator: " ")
            guard words.count >= 5, Double(String(words[0])) != nil,
                let count = Int(String(words[3])),
                let name = words.last, name != "total"
            else { continue }
            calls[String(name), default: 0] += count
        }
        return calls
    }

    private func lines() throws(BenchError) -> [String] {
        String(decoding: try readFile(scratch), as: UTF8.self).split(separator: "\n").map(
            String.init
        )
    }

    /// What the child does: one variant, no clock.
    static func run(_ variant: Variant, repetitions: Int) throws(BenchError) {
        let base = cbench_resident_kib()
        _ = cbench_reset_peak()
        cbench_allocations_start()
        for _ in 0..<repetitions { _ = try variant.run() }
        let allocations = cbench_allocations_stop()
        let peak = cbench_peak_kib()
        variant.cleanUp()
        print(
            "allocations=\(allocations.calls) allocated=\(allocations.bytes)",
            "loaded_kib=\(base) peak_kib=\(peak) growth_kib=\(peak - base)"
        )
    }
}
