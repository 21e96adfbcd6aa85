import MultipartEncoder

/// A level by the name that the command line knows it by.
struct Level {
    let name: String
    let compression: PNGCompression

    init(_ name: String) throws(BenchError) {
        self.name = name
        switch name {
        case "fastest": compression = .fastest
        case "fast": compression = .fast
        case "balanced": compression = .balanced
        case "small": compression = .small
        default:
            let digits = name.hasPrefix("libpng:") ? name.dropFirst(7) : ""
            guard let level = Int(String(digits)), (0...9).contains(level) else {
                throw .usage("no level is called '\(name)'")
            }
            compression = .libpng(level: level)
        }
    }

    /// Whether the library's own compressor does it, so that threads and kernels matter.
    var isFast: Bool {
        switch compression {
        case .fastest, .fast, .balanced, .small: true
        case .libpng: false
        }
    }
}
