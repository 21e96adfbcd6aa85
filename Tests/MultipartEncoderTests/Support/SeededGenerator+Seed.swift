extension SeededGenerator {
    /// The same numbers again for the same seed.
    init(seed: UInt64) { self.init(state: seed) }
}
