import Foundation

/// Whether the tests that take minutes run as well: `MULTIPART_LONG_TESTS=1`.
enum LongTests {
    static let areOn = ProcessInfo.processInfo.environment["MULTIPART_LONG_TESTS"] == "1"

    /// How often something is done, in a short run or a long one.
    static func count(_ short: Int, _ long: Int) -> Int { areOn ? long : short }
}
