import CPNG

/// Hands metadata to libpng.
@safe struct PNGMetadataWriter {
    let writer: OpaquePointer

    func write(_ metadata: PNGMetadata) throws(PNGError) {
        if let intent = metadata.sRGB, metadata.iccProfile == nil {
            try check("sRGB", unsafe cpng_writer_set_srgb(writer, intent.rawValue))
        }
        if let gamma = metadata.gamma {
            try check("gAMA", unsafe cpng_writer_set_gamma(writer, fixed(gamma, "gAMA")))
        }
        if let points = metadata.chromaticities { try write(points) }
        if let profile = metadata.iccProfile {
            let name = try keyword(profile.name, "iCCP")
            try check(
                "iCCP",
                unsafe cpng_writer_set_icc(writer, name, profile.bytes, profile.bytes.count)
            )
        }
        if let points = metadata.codingPoints {
            let four = [
                points.primaries, points.transferFunction, points.matrixCoefficients,
                points.isFullRange ? 1 : 0,
            ]
            try check("cICP", unsafe cpng_writer_set_cicp(writer, four))
        }
        if let density = metadata.density { try write(density) }
        if let exif = metadata.exif {
            let starts: [[UInt8]] = [[0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A]]
            guard starts.contains(where: { exif.starts(with: $0) }) else {
                throw .metadata("eXIf: does not start with a TIFF header (II or MM)")
            }
            try check("eXIf", unsafe cpng_writer_set_exif(writer, exif, exif.count))
        }
        for text in metadata.texts { try write(text) }
        if let time = metadata.modified {
            try check(
                "tIME",
                unsafe cpng_writer_set_time(
                    writer,
                    time.year,
                    time.month,
                    time.day,
                    time.hour,
                    time.minute,
                    time.second
                )
            )
        }
    }

    private func write(_ points: PNGMetadata.Chromaticities) throws(PNGError) {
        var eight: [Int32] = []
        for point in [points.white, points.red, points.green, points.blue] {
            eight.append(try fixed(point.x, "cHRM"))
            eight.append(try fixed(point.y, "cHRM"))
        }
        try check("cHRM", unsafe cpng_writer_set_chromaticities(writer, eight))
    }

    private func write(_ density: PNGMetadata.PixelDensity) throws(PNGError) {
        guard density.x <= Int32.max, density.y <= Int32.max else {
            throw .metadata("pHYs: \(density.x) by \(density.y) is beyond 2147483647")
        }
        try check(
            "pHYs",
            unsafe cpng_writer_set_pixel_density(writer, density.x, density.y, density.isPerMeter)
        )
    }

    private func write(_ text: PNGMetadata.Text) throws(PNGError) {
        let keyword = try keyword(text.keyword, "text")
        if text.language.isEmpty, text.translatedKeyword.isEmpty, let latin = latin1(text.text) {
            try check(
                "text",
                unsafe cpng_writer_add_latin_text(writer, keyword, try terminated(latin))
            )
        } else {
            let parts = try [text.text, text.language, text.translatedKeyword].map {
                text throws(PNGError) in try terminated(Array(text.utf8))
            }
            guard parts[1].dropLast().allSatisfy(isLanguageByte) else {
                throw .metadata("text: \"\(printable(text.language))\" is no language tag")
            }
            try check(
                "text",
                unsafe cpng_writer_add_text(writer, keyword, parts[0], parts[1], parts[2])
            )
        }
    }

    private func check(_ chunk: String, _ status: cpng_status) throws(PNGError) {
        guard status != .ok else { return }
        let words = unsafe String(cString: cpng_writer_error(writer))
        throw .metadata(words.hasPrefix(chunk) ? words : "\(chunk): \(words)")
    }

    /// In 1 / 100 000, as PNG holds fractions.
    private func fixed(_ value: Double, _ chunk: String) throws(PNGError) -> Int32 {
        let scaled = (value * 100_000).rounded()
        guard scaled >= 0, let fixed = Int32(exactly: scaled) else {
            throw .metadata("\(chunk): \(value) is no possible value")
        }
        return fixed
    }

    /// A keyword as PNG, section 11.3.3.2, wants it.
    private func keyword(_ text: String, _ chunk: String) throws(PNGError) -> [CChar] {
        let space = UInt8(ascii: " ")
        guard let bytes = latin1(text), (1...79).contains(bytes.count),
            bytes.allSatisfy({ (0x20...0x7E).contains($0) || $0 >= 0xA1 }),
            bytes.first != space, bytes.last != space,
            !zip(bytes, bytes.dropFirst()).contains(where: { $0 == space && $1 == space })
        else {
            throw .metadata("\(chunk): \"\(printable(text))\" is no keyword of 1 to 79 characters")
        }
        return try terminated(bytes)
    }

    private func latin1(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private func terminated(_ bytes: [UInt8]) throws(PNGError) -> [CChar] {
        guard !bytes.contains(0) else { throw .metadata("text: holds a NUL") }
        return bytes.map { CChar(bitPattern: $0) } + [0]
    }

    private func isLanguageByte(_ byte: CChar) -> Bool {
        switch UInt8(bitPattern: byte) {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
