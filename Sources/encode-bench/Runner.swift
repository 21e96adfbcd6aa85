import MultipartEncoder

/// Runs groups of variants in turn, and reports.
struct Runner {
    let options: BenchOptions
    private var counts: Counts?
    private var records: [Record] = []
    private let machine: Record

    init(_ options: BenchOptions, arguments: [String]) {
        self.options = options
        counts = options.counts ? Counts(options, arguments: arguments) : nil
        var machine = Record()
        machine["processor"] = .text(Machine.processor)
        machine["processors"] = .integer(systemProcessorCount())
        machine["system"] = .text(Machine.system)
        machine["kernel"] = .text(Machine.kernel)
        machine["libpng"] = .text(Machine.libpng)
        machine["zlib"] = .text(Machine.zlib)
        machine["compiler"] = .text(Machine.compiler)
        machine["load"] = .number(Machine.load, digits: 2)
        self.machine = machine
    }

    mutating func run(_ groups: [Group]) throws(BenchError) {
        print("machine \(machine.line)")
        for (index, group) in groups.enumerated() {
            defer { group.finish() }
            try measure(group, index)
        }
        var means = Means()
        for record in records { means.add(record) }
        for mean in means.records {
            print("mean \(mean.line)")
        }
        if let path = options.json {
            let text = """
                {"machine":\(machine.json),
                "cases":[
                \(records.map(\.json).joined(separator: ",\n"))
                ],
                "means":[
                \(means.records.map(\.json).joined(separator: ",\n"))
                ]}

                """
            try writeFile(path, ContiguousArray(text.utf8).span)
        }
    }

    /// Every variant runs in every round, so that what disturbs one disturbs its rivals too.
    private mutating func measure(_ group: Group, _ index: Int) throws(BenchError) {
        let variants = try group.prepare()
        var samples = variants.map { _ in Samples() }
        for variant in variants {
            try variant.check()
            variant.cleanUp()
        }
        for _ in 0..<options.runs {
            for (number, variant) in variants.enumerated() { try samples[number].take(variant) }
        }
        var reported: [Record] = []
        for (number, variant) in variants.enumerated() {
            var record = Record()
            for (name, value) in group.labels + variant.labels {
                record[name] = Int(value).map { .integer($0) } ?? .text(value)
            }
            Self.add(samples[number], of: variant, to: &record)
            if let base = variants.firstIndex(where: \.isBaseline) {
                Self.add(ratiosOf: samples[number], to: samples[base], in: &record)
            }
            Self.addScaling(number, variants, samples, to: &record)
            if variant.isProgram {
                record["peak_kib"] = .integer(samples[number].peak)
            } else {
                try counts?.add(index, number, to: &record)
            }
            print(record.line)
            reported.append(record)
        }
        records += reported
    }

    private static func add(_ samples: Samples, of variant: Variant, to record: inout Record) {
        let fastest = samples.cpu.min() ?? 0
        record["in"] = .integer(variant.bytesIn)
        record["out"] = .integer(samples.bytesOut)
        record["runs"] = .integer(samples.runs)
        record["cpu_median_s"] = .number(Samples.median(samples.cpu), digits: 6)
        record["cpu_min_s"] = .number(fastest, digits: 6)
        record["wall_median_s"] = .number(Samples.median(samples.wall), digits: 6)
        record["wall_min_s"] = .number(samples.wall.min() ?? 0, digits: 6)
        record["mb_per_s"] = .number(
            Double(variant.bytesIn) / max(fastest, 1e-9) / 1e6,
            digits: 1
        )
    }

    private static func add(
        ratiosOf samples: Samples,
        to base: Samples,
        in record: inout Record
    ) {
        record["speed"] = .number(
            (base.cpu.min() ?? 0) / max(samples.cpu.min() ?? 0, 1e-9),
            digits: 3
        )
        record["speed_median"] = .number(
            Samples.median(base.cpu) / max(Samples.median(samples.cpu), 1e-9),
            digits: 3
        )
        record["wall_speed"] = .number(
            (base.wall.min() ?? 0) / max(samples.wall.min() ?? 0, 1e-9),
            digits: 3
        )
        record["size"] = .number(
            Double(samples.bytesOut) / Double(max(base.bytesOut, 1)),
            digits: 4
        )
    }

    /// Wall time with one thread over that with several, and CPU time into a spool over that into
    /// memory.
    private static func addScaling(
        _ number: Int,
        _ variants: [Variant],
        _ samples: [Samples],
        to record: inout Record
    ) {
        func twin(_ name: String, _ value: String) -> Samples? {
            guard let own = variants[number].label(name), own != value else { return nil }
            let wanted = variants[number].labels.map { $0.name == name ? value : $0.value }
            return variants.firstIndex { $0.labels.map(\.value) == wanted }.map { samples[$0] }
        }
        if let single = twin("threads", "1") {
            record["scaling"] = .number(
                (single.wall.min() ?? 0) / max(samples[number].wall.min() ?? 0, 1e-9),
                digits: 3
            )
        }
        if let memory = twin("into", "memory") {
            record["cpu_over_memory"] = .number(
                (samples[number].cpu.min() ?? 0) / max(memory.cpu.min() ?? 0, 1e-9),
                digits: 3
            )
        }
    }
}
