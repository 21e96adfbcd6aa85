import CBench

/// The times of a variant's runs.
struct Samples {
    private(set) var runs = 0
    private(set) var cpu: [Double] = []
    private(set) var wall: [Double] = []
    private(set) var bytesOut = 0
    /// The most memory in KiB that a program had, if one did the work.
    private(set) var peak = 0

    /// Runs a variant as often as fits into a twentieth of a second, or once if it takes longer.
    mutating func take(_ variant: Variant) throws(BenchError) {
        var spent = 0.0
        repeat {
            spent += try takeSample(variant)
        } while spent < 0.05
    }

    /// Takes the mean of enough runs to fill a millisecond: the processor's clock may move in steps
    /// longer than a run of a small picture, which the least of single runs would take for speed.
    private mutating func takeSample(_ variant: Variant) throws(BenchError) -> Double {
        var total = (runs: 0.0, cpu: 0.0, wall: 0.0)
        repeat {
            let (cpuBefore, wallBefore) = (cbench_cpu_seconds(), cbench_wall_seconds())
            bytesOut = try variant.run()
            let (cpuAfter, wallAfter) = (cbench_cpu_seconds(), cbench_wall_seconds())
            if variant.isProgram { peak = max(peak, Int(cbench_program_peak_kib())) }
            variant.cleanUp()
            total.runs += 1
            total.cpu += cpuAfter - cpuBefore
            total.wall += wallAfter - wallBefore
        } while total.cpu < 0.001 && total.wall < 0.05
        cpu.append(total.cpu / total.runs)
        wall.append(total.wall / total.runs)
        runs += Int(total.runs)
        return total.wall
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
