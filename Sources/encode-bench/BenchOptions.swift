/// What the command line asks for.
struct BenchOptions {
    var cases: [String] = []
    var corpus = "Fixtures/pictures"
    var json: String?
    var levels: [Level] = []
    var threads = [1]
    var kernels: [String] = []
    var targets = ["memory"]
    var runs = 5
    var directory = "/tmp"
    var fileSize = 512 << 20
    var fieldCount = 100_000
    var imageCount = 16
    var counts = true
    var asksForHelp = false
    var serves = false
    /// Which variant of which group to run in this process, without measuring time.
    var child: (group: Int, variant: Int)?
    var repetitions = 1

    private static let usualCases = ["fields", "file", "bytes", "png", "body"]
    private static let allCases = usualCases + ["upload"]

    static let help = """
        usage: encode-bench [CASE…] [option…]

        cases (by default all but upload):
          fields   100 000 small fields into one body
          file     one large file into one body
          bytes    one large piece of memory into one body
          png      each picture of a folder to a PNG, by level
          body     many pictures into one body, by level
          upload   one large body to a server on this machine, by transport, against curl;
                   needs curl and upload-bench (swift build -c release --product upload-bench)
          serve    takes orders from standard input, for Benchmarks/run

        options:
          --corpus DIR       pictures (PNG, PNM, PAM); default Fixtures/pictures
          --levels L,…       fastest, fast, balanced, small, libpng:0 … libpng:9
          --threads N,…      how many threads compress (default 1)
          --kernel K,…       scalar, avx2, avx512, neon (default: the processor's best)
          --into T,…         png: memory, spool (default memory)
          --runs N           rounds, in each of which every variant runs (default 5)
          --size BYTES       of the file, the memory and the upload; K, M and G are understood (default 512M)
          --fields N         how many fields (default 100000)
          --images N         how many pictures make a body, at least (default 16)
          --directory DIR    where bodies are written (default /tmp)
          --json FILE        writes the report as JSON too
          --no-counts        leaves out system calls, allocations and memory, which take a run each

        Each line is a case: medians and minima of CPU and wall time, and ratios to the usual way of
        doing the same, measured in the same rounds (speed above 1 is faster, size below 1 smaller).

        """

    init(_ arguments: [String]) throws(BenchError) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--no-counts": counts = false
            case "--help", "-h": asksForHelp = true
            case "serve": serves = true
            case _ where argument.hasPrefix("--"):
                guard let value = rest.next() else {
                    throw .usage("\(argument) needs a value")
                }
                try set(argument, value)
            case _ where Self.allCases.contains(argument): cases.append(argument)
            default: throw .usage("no case is called '\(argument)'")
            }
        }
        if levels.isEmpty { try set("--levels", "fastest,fast,balanced,small,libpng:6") }
        if cases.isEmpty { cases = Self.usualCases }
    }

    private mutating func set(_ option: String, _ value: String) throws(BenchError) {
        let list = value.split(separator: ",").map(String.init)
        switch option {
        case "--corpus": corpus = value
        case "--json": json = value
        case "--levels":
            levels = []
            for name in list { levels.append(try Level(name)) }
        case "--kernel": kernels = list
        case "--directory": directory = value
        case "--into":
            guard list.allSatisfy({ ["memory", "spool"].contains($0) }) else {
                throw .usage("--into takes memory and spool")
            }
            targets = list
        case "--threads":
            threads = []
            for text in list { threads.append(try Self.number(option, text)) }
        case "--runs": runs = try Self.number(option, value)
        case "--size": fileSize = try Self.number(option, value)
        case "--fields": fieldCount = try Self.number(option, value)
        case "--images": imageCount = try Self.number(option, value)
        case "--repeat": repetitions = value == "0" ? 0 : try Self.number(option, value)
        case "--child":
            let numbers = value.split(separator: ":").compactMap { Int(String($0)) }
            guard numbers.count == 2 else { throw .usage("--child takes GROUP:VARIANT") }
            child = (numbers[0], numbers[1])
        default: throw .usage("no option is called '\(option)'")
        }
    }

    /// A number from 1 on; K, M and G multiply it.
    private static func number(_ option: String, _ text: String) throws(BenchError) -> Int {
        let shift =
            switch text.last {
            case "K": 10
            case "M": 20
            case "G": 30
            default: 0
            }
        guard let value = Int(shift == 0 ? text : String(text.dropLast())),
            (1...1 << 20).contains(value) || shift == 0 && value > 0
        else { throw .usage("\(option): '\(text)' is no number from 1 on") }
        return value << shift
    }
}
