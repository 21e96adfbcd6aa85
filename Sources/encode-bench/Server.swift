import CBench
import MultipartEncoder

/// Takes orders from standard input, one a line, and answers each with one line.
///
/// This is how a script in another language measures the library between other encoders without
/// paying for a process each time: the times are taken here, around the work alone.
///
///     load PATH                      picture name=… width=… height=… format=… in=…
///     usual                          sample cpu=… wall=… out=…
///     encode LEVEL THREADS           sample cpu=… wall=… out=…
///     save LEVEL PATH                saved out=…
///     machine                        machine processor=… …
struct Server {
    private var picture: Picture?

    mutating func run() throws(BenchError) {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard let order = words.first else { continue }
            var answer = try obey(order, Array(words.dropFirst()))
            answer += "\n"
            try attempting("standard output") { () throws(SystemError) in
                try systemWrite(standardOutput, answer)
            }
        }
    }

    private mutating func obey(_ order: String, _ words: [String]) throws(BenchError) -> String {
        switch (order, words.count) {
        case ("load", 1):
            let picture = try Picture(pngAt: words[0], name: words[0])
            self.picture = picture
            let layout = picture.layout
            return "picture width=\(layout.width) height=\(layout.height) "
                + "format=\(layout.format) in=\(picture.pixels.count)"
        case ("usual", 0):
            let picture = try loaded()
            return try sample { () throws(BenchError) in try UsualPNG(picture).count }
        case ("encode", 2):
            let picture = try loaded()
            let setting = try setting(words[0], threads: words[1])
            return try sample { () throws(BenchError) in try setting.png(of: picture).count }
        case ("save", 2):
            let png = ContiguousArray(try setting(words[0], threads: "1").png(of: try loaded()))
            try writeFile(words[1], png.span)
            return "saved out=\(png.count)"
        case ("machine", 0):
            return "machine processor=\(Machine.processor)|system=\(Machine.system)"
                + "|kernel=\(Machine.kernel)|libpng=\(Machine.libpng)|zlib=\(Machine.zlib)"
        default: throw .usage("no order is '\(order)' with \(words.count) operands")
        }
    }

    private func loaded() throws(BenchError) -> Picture {
        guard let picture else { throw .usage("no picture has been loaded") }
        return picture
    }

    private func setting(_ level: String, threads: String) throws(BenchError) -> Setting {
        guard let threads = Int(threads), threads > 0 else { throw .usage("no number of threads") }
        return Setting(level: try Level(level), kernel: nil, threads: threads)
    }

    private func sample(_ work: () throws(BenchError) -> Int) throws(BenchError) -> String {
        let (cpuBefore, wallBefore) = (cbench_cpu_seconds(), cbench_wall_seconds())
        let count = try work()
        let (cpuAfter, wallAfter) = (cbench_cpu_seconds(), cbench_wall_seconds())
        return "sample cpu=\(decimal(cpuAfter - cpuBefore, 9)) "
            + "wall=\(decimal(wallAfter - wallBefore, 9)) out=\(count)"
    }
}
