/// One way to do a piece of work, to be timed against others.
struct Variant {
    /// What tells it from the others of its group.
    let labels: [(name: String, value: String)]
    let bytesIn: Int
    /// Whether the others are compared with it.
    var isBaseline = false
    /// Does the work; returns the bytes that came out.
    let run: () throws(BenchError) -> Int
    /// Throws unless the work is done right; not timed.
    var check: () throws(BenchError) -> Void = {}
    /// What is done behind each run and not timed.
    var cleanUp: () -> Void = {}
    /// Whether a program does the work, whose memory counts and nobody else's.
    var isProgram = false

    func label(_ name: String) -> String? { labels.first { $0.name == name }?.value }
}

/// Ways to do the same work.
struct Group {
    let labels: [(name: String, value: String)]
    /// Loads or makes what the work needs.
    let prepare: () throws(BenchError) -> [Variant]
    /// Removes it.
    var finish: () -> Void = {}
}
