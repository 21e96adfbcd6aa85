import MultipartEncoder
import MultipartTool
import Synchronization

/// A line on the terminal that says how far a body has come, once that takes longer than a second.
final class ProgressBar: Sendable {
    private let partCount: Int
    private let started = ContinuousClock.now
    private let drawn = Mutex<ContinuousClock.Instant?>(nil)
    private let isShown: Bool

    private static let patience = Duration.seconds(1)
    private static let interval = Duration.milliseconds(100)

    /// A bar that draws nothing if it is quiet, or if standard error is no terminal.
    init(partCount: Int, isQuiet: Bool) {
        self.partCount = partCount
        isShown = !isQuiet && systemIsTerminal(standardError)
    }

    /// Draws the line anew, at most ten times a second.
    func show(_ progress: BodyProgress) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let elapsed = now - started
        let isDue = drawn.withLock { last in
            guard elapsed > Self.patience, last.map({ now - $0 > Self.interval }) ?? true else {
                return false
            }
            last = now
            return true
        }
        guard isDue else { return }
        let bar = ProgressText.bar(Int64(progress.partIndex), of: Int64(partCount))
        let part = min(progress.partIndex + 1, partCount)
        let rate = Double(progress.bytesWritten) / (elapsed / .seconds(1))
        let sizes = [Double(progress.bytesWritten), rate].map(ProgressText.megabytes)
        draw("\(bar) part \(part) of \(partCount), \(sizes[0]), \(sizes[1])/s")
    }

    /// Removes the line, if there is one.
    func clear() {
        if drawn.withLock({ $0 != nil }) { draw("") }
    }

    private func draw(_ line: String) {
        // To the line's start, the text, and away with what was there before (ECMA-48, EL).
        try? systemWrite(standardError, "\r\(line)\u{1B}[K")
    }
}
