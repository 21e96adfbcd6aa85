import CBench

/// The times of a variant's runs.
struct Samples {
    private(set) var cpu: [Double] = []
    private(set) var wall: [Double] = []
    private(set) var bytesOut = 0
    /// The most memory in KiB that a program had, if one did the work.
    private(set) var peak = 0

    /// Runs a variant once, or as often as fits into a twentieth of a second.
    mutating func take(_ variant: Variant) throws(BenchError) {
        var spent = 0.0
        repeat {
            let (cpuBefore, wallBefore) = (cbench_cpu_seconds(), cbench_wall_seconds())
            bytesOut = try variant.run()
            let (cpuAfter, wallAfter) = (cbench_cpu_seconds(), cbench_wall_seconds())
            if variant.isProgram { peak = max(peak, Int(cbench_program_peak_kib())) }
            variant.cleanUp()
            cpu.append(cpuAfter - cpuBefore)
            wall.append(wallAfter - wallBefore)
            spent += wallAfter - wallBefore
        } while spent < 0.05
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
