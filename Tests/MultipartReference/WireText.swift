/// How a name stands on the wire: newlines made one kind, then three characters escaped.
package func wireName(_ name: String) -> String {
    var normalized = ""
    var previous: Unicode.Scalar?
    for scalar in name.unicodeScalars {
        if scalar == "\r" {
            normalized += "\r\n"
        } else if scalar == "\n" {
            if previous != "\r" { normalized += "\r\n" }
        } else {
            normalized.unicodeScalars.append(scalar)
        }
        previous = scalar
    }
    return wireFilename(normalized)
}

/// How a filename stands on the wire.
package func wireFilename(_ filename: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in filename.unicodeScalars {
        switch scalar {
        case "\"": escaped.append(contentsOf: "%22".unicodeScalars)
        case "\r": escaped.append(contentsOf: "%0D".unicodeScalars)
        case "\n": escaped.append(contentsOf: "%0A".unicodeScalars)
        default: escaped.append(scalar)
        }
    }
    return String(escaped)
}

/// A text with every newline as CRLF, found the slow way.
package func wireValue(_ value: String) -> [UInt8] {
    var bytes: [UInt8] = []
    let text = Array(value.utf8)
    for (index, byte) in text.enumerated() {
        let isAfterReturn = index > 0 && text[index - 1] == 13
        switch byte {
        case 13: bytes += [13, 10]
        case 10: bytes += isAfterReturn ? [] : [13, 10]
        default: bytes.append(byte)
        }
    }
    return bytes
}
