import Foundation

/// What this process takes of the system, as Linux tells it.
struct ProcessUse {
    let descriptors: Int
    let threads: Int
    /// Kilobytes that are resident now.
    let resident: Int

    /// The present moment.
    static func now() throws -> ProcessUse {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return ProcessUse(
            descriptors: names.count,
            threads: try field("Threads"),
            resident: try field("VmRSS")
        )
    }

    /// The most kilobytes that were resident since ``forgetPeak()``.
    static func peak() throws -> Int { try field("VmHWM") }

    /// Makes the peak start from what is resident now.
    static func forgetPeak() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    private static func field(_ name: String) throws -> Int {
        let bytes = FileManager.default.contents(atPath: "/proc/self/status") ?? Data()
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(name + ":") }
        guard let value = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
            let number = Int(value)
        else { throw TestFailure("/proc/self/status has no \(name)") }
        return number
    }
}
