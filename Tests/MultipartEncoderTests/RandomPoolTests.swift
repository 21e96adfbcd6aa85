import MultipartEncoder
import Testing

@Suite struct RandomPoolTests {
    @Test func `gives each number once, and fetches more when they are used up`() {
        var fetches: UInt64 = 0
        var pool = RandomPool(from: { count in
            defer { fetches += 1 }
            let first = fetches * UInt64(count)
            return ContiguousArray(first..<first + UInt64(count))
        })
        let numbers = Set((0..<96).map { _ in pool.next() })
        #expect(numbers == Set(0..<96) && fetches == 3)
        #expect(pool.next() >= 96 && fetches == 4)
    }

    @Test func `a boundary takes one fetch`() {
        var fetches = 0
        var pool = RandomPool(from: { count in
            fetches += 1
            return systemRandomNumbers(count)
        })
        #expect(Boundary.random(using: &pool).text.utf8.count == 32)
        #expect(fetches == 1)
    }

    @Test func `the system's numbers set every bit`() {
        var pool = RandomPool()
        let numbers = (0..<200).map { _ in pool.next() }
        #expect(numbers.reduce(0, |) == .max && numbers.reduce(.max, &) == 0)
        #expect(Set(numbers).count == numbers.count)
    }
}
