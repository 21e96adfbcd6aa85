import MultipartEncoder

/// Each picture to a PNG, by level, kernel, threads and target.
struct PNGCases {
    let options: BenchOptions
    let corpus: Corpus

    var groups: [Group] {
        corpus.files.map { file in
            Group(labels: [("case", "png")]) { () throws(BenchError) in
                let picture = try corpus.picture(file)
                var variants = [usual(picture)]
                for setting in Setting.all(options) {
                    for target in options.targets {
                        variants.append(variant(picture, setting, into: target))
                    }
                }
                return variants
            }
        }
    }

    private func usual(_ picture: Picture) -> Variant {
        Variant(
            labels: [("image", picture.name), ("level", "usual"), ("into", "memory")],
            bytesIn: picture.pixels.count,
            isBaseline: true,
            run: { () throws(BenchError) in try UsualPNG(picture).count },
            check: { () throws(BenchError) in
                let png = try UsualPNG(picture)  // not in one line: Swift 6.3.1 makes broken code
                try picture.check(png.bytes)
            }
        )
    }

    private func variant(
        _ picture: Picture,
        _ setting: Setting,
        into target: String
    ) -> Variant {
        let path = "\(options.directory)/encode-bench.body"
        let memory = { () throws(BenchError) -> [UInt8] in try setting.png(of: picture) }
        let spool = { () throws(BenchError) -> SpooledBody in
            try setting.body(of: [picture], at: path)
        }
        let labels = [("image", picture.name)] + setting.labels + [("into", target)]
        guard target == "spool" else {
            return Variant(
                labels: labels,
                bytesIn: picture.pixels.count,
                run: { () throws(BenchError) in try memory().count },
                check: { () throws(BenchError) in
                    let png = ContiguousArray(try memory())
                    try picture.check(png.span)
                }
            )
        }
        return Variant(
            labels: labels,
            bytesIn: picture.pixels.count,
            run: { () throws(BenchError) in Int(try spool().parts[0].length) },
            check: { () throws(BenchError) in try checkParts(of: spool(), [picture]) },
            cleanUp: { try? systemUnlink(path) }
        )
    }
}

/// Throws unless a body holds these pictures.
func checkParts(of body: SpooledBody, _ pictures: [Picture]) throws(BenchError) {
    let bytes = try readFile(body.path)
    for (part, picture) in zip(body.parts, pictures) {
        let start = Int(part.offset)
        let png = bytes[start..<start + Int(part.length)]
        try picture.check(png.span)
    }
}

/// How the library is told to compress.
struct Setting {
    let level: Level
    /// `nil` where it does not matter.
    let kernel: String?
    let threads: Int

    static func all(_ options: BenchOptions) -> [Setting] {
        let kernels = options.kernels.isEmpty ? [Machine.kernel] : options.kernels
        return options.levels.flatMap { level in
            level.isFast
                ? kernels.flatMap { kernel in
                    options.threads.map { Setting(level: level, kernel: kernel, threads: $0) }
                } : [Setting(level: level, kernel: nil, threads: 1)]
        }
    }

    var labels: [(name: String, value: String)] {
        [("level", level.name), ("kernel", kernel ?? "none"), ("threads", "\(threads)")]
    }

    func png(of picture: Picture) throws(BenchError) -> [UInt8] {
        if let kernel { try selectKernel(kernel) }
        let options = PNGOptions(compression: level.compression)
        return try picture.withBuffer { (buffer) throws(BenchError) in
            do {
                return try buffer.png(options, threads: threads)
            } catch {
                throw .failed("\(picture.name): \(error)")
            }
        }
    }

    /// Pictures that outlive the call that takes them, so that they can be compressed together.
    func parts(of pictures: [Picture]) throws(BenchError) -> [Part] {
        let options = PNGOptions(compression: level.compression)
        do {
            return try pictures.map { picture in
                let pixels = try PixelSource.bytes(Array(picture.pixels), layout: picture.layout)
                return Part.image(pixels, named: picture.name, png: options)
            }
        } catch {
            throw .failed("\(error)")
        }
    }

    func body(of parts: [Part], at path: String) throws(BenchError) -> SpooledBody {
        if let kernel { try selectKernel(kernel) }
        do {
            var writer = try MultipartWriter(
                spoolingTo: path,
                replacing: true,
                options: WritingOptions(threads: threads)
            )
            try writer.append(parts)
            return try writer.finish()
        } catch {
            throw .failed("\(path): \(error)")
        }
    }

    func body(of pictures: [Picture], at path: String) throws(BenchError) -> SpooledBody {
        if let kernel { try selectKernel(kernel) }
        let options = PNGOptions(compression: level.compression)
        do {
            var writer = try MultipartWriter(
                spoolingTo: path,
                replacing: true,
                options: WritingOptions(threads: threads)
            )
            for picture in pictures {
                let buffer = try PixelBuffer(picture.pixels.span, layout: picture.layout)
                try writer.append(buffer, named: picture.name, png: options)
            }
            return try writer.finish()
        } catch {
            throw .failed("\(path): \(error)")
        }
    }
}
