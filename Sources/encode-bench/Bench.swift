import MultipartEncoder

/// The bench as a command.
enum Bench {
    static func run(_ arguments: [String]) throws(BenchError) {
        let options = try BenchOptions(arguments)
        if options.asksForHelp {
            print(BenchOptions.help, terminator: "")
        } else if options.serves {
            var server = Server()
            try server.run()
        } else {
            try measure(options, arguments)
        }
    }

    private static func measure(
        _ options: BenchOptions,
        _ arguments: [String]
    ) throws(BenchError) {
        for kernel in options.kernels { try selectKernel(kernel) }
        let groups = try groups(options)
        guard let child = options.child else {
            var runner = Runner(options, arguments: arguments)
            return try runner.run(groups)
        }
        guard groups.indices.contains(child.group) else { throw .usage("no such group") }
        let variants = try groups[child.group].prepare()
        guard variants.indices.contains(child.variant) else { throw .usage("no such variant") }
        try Counts.run(variants[child.variant], repetitions: options.repetitions)
    }

    private static func groups(_ options: BenchOptions) throws(BenchError) -> [Group] {
        var groups: [Group] = []
        for name in options.cases { groups += try self.groups(options, name) }
        return groups
    }

    private static func groups(
        _ options: BenchOptions,
        _ name: String
    ) throws(BenchError) -> [Group] {
        let cases = BodyCases(options: options)
        switch name {
        case "fields": return [cases.fields()]
        case "file": return [cases.file()]
        case "bytes": return [cases.bytes()]
        case "upload": return [UploadCases(options: options).group]
        case "body": return [cases.pictures(try Corpus(options.corpus))]
        default: return PNGCases(options: options, corpus: try Corpus(options.corpus)).groups
        }
    }
}
