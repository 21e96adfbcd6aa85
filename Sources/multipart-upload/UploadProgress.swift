import Foundation
import MultipartEncoder
import MultipartTool
import MultipartUpload

/// Says on standard error how an upload comes along: a line that changes on a terminal, a line every
/// few seconds elsewhere.
struct UploadProgress {
    private let label: String
    private let isQuiet: Bool
    private let isTerminal = systemIsTerminal(standardError)
    private var shownAt: ContinuousClock.Instant?
    private var isDrawn = false
    private var attempt = 0
    private var attemptStart = ContinuousClock.now
    private var attemptBase: Int64 = 0

    private static let terminalInterval = Duration.milliseconds(100)
    private static let lineInterval = Duration.seconds(5)

    init(label: String = "", isQuiet: Bool) {
        self.label = label.isEmpty ? "" : label + ": "
        self.isQuiet = isQuiet
    }

    /// How a command has followed an upload.
    enum End {
        case finished(UploadOutcome)
        /// It needs credentials, which the command wasn't given or couldn't get.
        case needsCredentials(reason: String)
        /// The uploader was closed before.
        case stopped
    }

    /// Shows the events until there is something to report.
    mutating func follow(_ events: UploadEvents) async -> End {
        for await event in events {
            show(event)
            switch event {
            case .finished(let outcome): return .finished(outcome)
            case .waitingForCredentials(let reason): return .needsCredentials(reason: reason)
            case .preparing, .sending, .waiting, .paused: continue
            }
        }
        clear()
        return .stopped
    }

    private mutating func show(_ event: UploadEvent) {
        switch event {
        case .preparing(let written):
            update("writing the body, \(ProgressText.megabytes(Double(written)))")
        case .sending(let sent, let total, let attempt):
            if attempt != self.attempt {
                self.attempt = attempt
                attemptStart = .now
                attemptBase = sent
            }
            guard sent > attemptBase || isTerminal else { return }
            update(sending(sent, of: total), isLast: sent == total)
        case .waiting(let date, let attempt, let reason):
            let seconds = max(0, date.timeIntervalSinceNow).rounded(.up)
            line("attempt \(attempt) failed: \(reason); next one in \(Int(seconds)) s")
        case .paused: line("paused")
        case .waitingForCredentials, .finished: clear()  // for the command to report
        }
    }

    /// Writes a line of its own.
    private mutating func line(_ text: String) {
        guard !isQuiet else { return }
        clear()
        try? systemWrite(standardError, "multipart: \(label)\(printable(text))\n")
    }

    private mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        try? systemWrite(standardError, "\r\u{1B}[K")  // to the line's start, and away with it
    }

    private mutating func update(_ text: String, isLast: Bool = false) {
        guard !isQuiet else { return }
        let now = ContinuousClock.now
        let interval = isTerminal ? Self.terminalInterval : Self.lineInterval
        let isDue = shownAt.map { now - $0 >= interval } ?? isTerminal
        if shownAt == nil { shownAt = now }
        guard isDue || (isTerminal && isLast) else { return }
        shownAt = now
        guard isTerminal else { return line(text) }
        isDrawn = true
        try? systemWrite(standardError, "\r\(label)\(text)\u{1B}[K")
    }

    private func sending(_ sent: Int64, of total: Int64) -> String {
        let share = total == 0 ? 1 : Double(sent) / Double(total)
        let seconds = max(0.001, (ContinuousClock.now - attemptStart) / .seconds(1))
        let rate = Double(sent - attemptBase) / seconds
        let bar = ProgressText.bar(sent, of: total)
        let sizes = [Double(sent), Double(total), rate].map(ProgressText.megabytes)
        var text = "\(bar) \(Int(share * 100)) %, \(sizes[0]) of \(sizes[1]), \(sizes[2])/s"
        if rate > 0, sent < total {
            let left = Int((Double(total - sent) / rate).rounded(.up))
            text += left < 3600 * 100 ? ", \(Self.clock(left)) left" : ""
        }
        return text
    }

    private static func clock(_ seconds: Int) -> String {
        let minutes = seconds / 60
        let rest = seconds % 60
        let tail = (rest < 10 ? "0" : "") + String(rest)
        guard minutes >= 60 else { return "\(minutes):\(tail)" }
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60):\(tail)"
    }
}
