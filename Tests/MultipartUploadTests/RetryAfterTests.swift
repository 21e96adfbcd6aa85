import Foundation
import MultipartUpload
import Testing

@Suite struct RetryAfterTests {
    /// 1994-11-06 08:49:37 UTC, the example of RFC 9110.
    private let example = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [("0", 0.0), ("120", 120), (" 7 ", 7), ("99999999999999999999", 1e20)])
    func `reads seconds`(value: String, seconds: Double) {
        #expect(RetryAfter.delay(value, now: example) == seconds)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT",
        "Sun Nov  6 08:50:37 1994",
    ])
    func `reads the three forms of a date`(value: String) {
        #expect(RetryAfter.delay(value, now: example) == 60)
        let later = example.addingTimeInterval(3600)
        #expect(RetryAfter.delay(value, now: later) == 0, "a date in the past means now")
    }

    @Test(arguments: [
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800.0), ("Thu, 01 Jan 1970 00:00:01 GMT", 1),
        ("Wed, 31 Dec 2025 23:59:59 GMT", 1_767_225_599),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ])
    func `counts days as the calendar does`(value: String, seconds: Double) {
        #expect(RetryAfter.delay(value, now: Date(timeIntervalSince1970: 0)) == seconds)
    }

    @Test(arguments: [
        "", "-1", "1.5", "soon", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "1 2 3 4 5",
    ])
    func `ignores what is neither`(value: String) {
        #expect(RetryAfter.delay(value, now: example) == nil)
    }
}
