package import Foundation

/// The value of a `Retry-After` header (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The seconds from now that it asks for, at least 0; `nil` for anything malformed.
    package static func delay(_ value: String, now: Date) -> Double? {
        let text = value.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ isDigit($0) }) {
            return Double(text)  // any number of digits: a huge one is a huge delay
        }
        return date(text, now: now).map { max(0, $0.timeIntervalSince(now)) }
    }

    /// The date of an HTTP header; `nil` for anything malformed.
    package static func date(_ text: String, now: Date) -> Date? {
        secondsSinceEpoch(text, now: now).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// Reads the three forms of RFC 9110, section 5.6.7:
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
    private static func secondsSinceEpoch(_ text: String, now: Date) -> Int? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" })
        let day: Substring
        let month: Substring
        let year: Substring
        let time: Substring
        switch words.count {
        case 6 where words[5] == "GMT":
            (day, month, year, time) = (words[1], words[2], words[3], words[4])
        case 5: (month, day, time, year) = (words[1], words[2], words[3], words[4])
        default: return nil
        }
        guard let monthIndex = months.firstIndex(of: String(month)),
            let dayNumber = number(day, in: 1...31),
            var yearNumber = number(year, in: 0...9999),
            let secondsOfDay = secondsOfDay(time)
        else { return nil }
        if year.utf8.count == 2 { yearNumber = century(of: yearNumber, now: now) }
        return days(year: yearNumber, month: monthIndex + 1, day: dayNumber) * 86_400 + secondsOfDay
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func number(_ text: Substring, in range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ isDigit($0) }), let number = Int(text), range.contains(number)
        else { return nil }
        return number
    }

    private static func secondsOfDay(_ text: Substring) -> Int? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 3, let hour = number(fields[0], in: 0...23),
            let minute = number(fields[1], in: 0...59), let second = number(fields[2], in: 0...60)
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// A year of two digits is the past one if it would be more than 50 years ahead.
    private static func century(of year: Int, now: Date) -> Int {
        let thisYear = 1970 + Int(now.timeIntervalSince1970 / 31_556_952)
        let candidate = thisYear / 100 * 100 + year
        return candidate > thisYear + 50 ? candidate - 100 : candidate
    }

    /// Days from 1970-01-01 to a date of the Gregorian calendar.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        // Years start in March here, so that the leap day is the last one.
        let shiftedYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        return shiftedYear * 365 + leapDays + dayOfYear - 719_468
    }
}
