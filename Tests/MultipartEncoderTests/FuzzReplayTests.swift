import Foundation
import FuzzTargets
import Testing

/// The seeds and every past finding of the fuzzers, in `Fixtures/fuzz/<target>/`.
@Suite struct FuzzReplayTests {
    @Test(arguments: FuzzTarget.allCases)
    func `replays what fuzzing has found`(target: FuzzTarget) throws {
        let directory = "\(fixtures)/fuzz/\(target.rawValue)"
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(!names.isEmpty)
        for name in names.sorted() { target.run(try bytes(ofFile: "\(directory)/\(name)")) }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `takes thousands of random inputs`(target: FuzzTarget) {
        var random = SeededGenerator(seed: 20_261_130)
        for round in 0..<1500 {
            let count = Int.random(in: 0...(round % 300), using: &random)
            target.run((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
    }
}
