/// How far something has come, in the words of a line on the terminal.
package enum ProgressText {
    private static let width = 24

    /// A bar, filled as far as `done` of `total` says.
    package static func bar(_ done: Int64, of total: Int64) -> String {
        let share = total > 0 ? Double(done) / Double(total) : 1
        let filled = min(width, Int(share * Double(width)))
        return "[" + String(repeating: "#", count: filled)
            + String(repeating: "-", count: width - filled) + "]"
    }

    /// Bytes in MB with one digit after the point.
    package static func megabytes(_ bytes: Double) -> String {
        let tenths = Int64(bytes / 100_000)
        return "\(tenths / 10).\(tenths % 10) MB"
    }
}
