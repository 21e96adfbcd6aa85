/// Reads the value of a `Content-Disposition` of a form's part, and finds what is wrong with it.
struct DispositionReader {
    private(set) var name: String?
    private(set) var filename: String?
    private(set) var faults: [BodyFault.Kind] = []

    init(_ value: String) {
        let bytes = ContiguousArray(value.utf8)
        let type = bytes.prefix { $0 != semicolon }
        if Self.text(type).lowercased() != "form-data" { faults.append(.dispositionNotFormData) }
        var position = type.count
        var names: [String] = []
        while position < bytes.count {
            position = readParameter(bytes, from: position, &names)
        }
        if name == nil { faults.append(.noName) }
        if let first = names.first, first != "name", names.contains("name") {
            faults.append(.nameNotFirst)
        }
    }

    /// Reads from one semicolon up to the next; returns where that is.
    private mutating func readParameter(
        _ bytes: ContiguousArray<UInt8>,
        from start: Int,
        _ names: inout [String]
    ) -> Int {
        let keyStart = min(start + 2, bytes.count)
        let isSpaced = keyStart == start + 2 && bytes[start + 1] == space
        let key = bytes[(isSpaced ? keyStart : start + 1)...].prefix {
            $0 != equals && $0 != semicolon
        }
        let keyText = Self.text(key)
        guard key.endIndex < bytes.count, bytes[key.endIndex] == equals, !key.isEmpty, isSpaced,
            key.allSatisfy(HeaderText.isTokenByte)
        else {
            let end = bytes[key.endIndex...].firstIndex(of: semicolon) ?? bytes.count
            faults.append(.malformedParameter(Self.text(bytes[(start + 1)..<end])))
            return end
        }
        let valueStart = key.endIndex + 1
        let end: Int
        let value: String
        if valueStart < bytes.count, bytes[valueStart] == quote {
            let close = closingQuote(bytes, from: valueStart + 1, of: keyText)
            value = Self.text(bytes[(valueStart + 1)..<close])
            end = min(close + 1, bytes.count)
            if close == bytes.count { faults.append(.malformedParameter(keyText)) }
        } else {
            end = bytes[valueStart...].firstIndex(of: semicolon) ?? bytes.count
            value = Self.text(bytes[valueStart..<end])
            faults.append(.unquotedParameter(keyText))
        }
        take(keyText, value, &names)
        return end
    }

    /// Where a value's quote is that a semicolon or nothing follows; others before it are faults.
    private mutating func closingQuote(
        _ bytes: ContiguousArray<UInt8>,
        from start: Int,
        of key: String
    ) -> Int {
        var hasInnerQuote = false
        var position = start
        while position < bytes.count {
            if bytes[position] == quote {
                let isEscaped = position > start && bytes[position - 1] == UInt8(ascii: "\\")
                let isLast = position + 1 == bytes.count
                if isLast || (bytes[position + 1] == semicolon && !isEscaped) { break }
                hasInnerQuote = true
            }
            position += 1
        }
        if hasInnerQuote { faults.append(.quoteInParameter(key)) }
        return position
    }

    private mutating func take(_ key: String, _ value: String, _ names: inout [String]) {
        let lowered = key.lowercased()
        if lowered.hasSuffix("*") { faults.append(.extendedParameter(key)) }
        if names.contains(lowered) { faults.append(.repeatedParameter(key)) }
        names.append(lowered)
        switch lowered {
        case "name": name = name ?? value
        case "filename": filename = filename ?? value
        default: break
        }
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    private let semicolon = UInt8(ascii: ";")
    private let equals = UInt8(ascii: "=")
    private let quote = UInt8(ascii: "\"")
    private let space = UInt8(ascii: " ")
}
