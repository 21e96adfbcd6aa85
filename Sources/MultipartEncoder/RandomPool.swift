/// The system's generator with a supply, so that a whole name or boundary takes one system call.
///
/// Swift's own asks the system for each number.
package struct RandomPool: RandomNumberGenerator {
    private var numbers: ContiguousArray<UInt64> = []
    private let supply: (Int) -> ContiguousArray<UInt64>

    private static let size = 32

    package init() { self.init(from: systemRandomNumbers) }

    /// A pool of numbers from elsewhere; `supply` is asked for so many at once.
    package init(from supply: @escaping (Int) -> ContiguousArray<UInt64>) { self.supply = supply }

    package mutating func next() -> UInt64 {
        if numbers.isEmpty { numbers = supply(Self.size) }
        return numbers.removeLast()
    }
}
