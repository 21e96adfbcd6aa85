import Foundation
import Synchronization

/// The PNGs that a test run has made, as files where MULTIPART_KEEP_PNGS names a directory: for
/// checkers from elsewhere, such as pngcheck.
enum KeptPNGs {
    private static let directory = ProcessInfo.processInfo.environment["MULTIPART_KEEP_PNGS"]
    private static let count = Atomic(0)

    static func keep(_ png: [UInt8]) {
        guard let directory else { return }
        let number = count.add(1, ordering: .relaxed).newValue
        let url = URL(fileURLWithPath: directory).appendingPathComponent("\(number).png")
        do { try Data(png).write(to: url) } catch { fatalError("\(url.path): \(error)") }
    }
}
