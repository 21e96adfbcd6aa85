/// One line of the bench's report: named values in order.
struct Record {
    enum Value {
        case text(String)
        case integer(Int)
        /// A number and how many digits behind the point matter.
        case number(Double, digits: Int)
    }

    private(set) var members: [(name: String, value: Value)] = []

    subscript(name: String) -> Value? {
        get { members.first { $0.name == name }?.value }
        set {
            guard let newValue else { return }
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].value = newValue
            } else {
                members.append((name, newValue))
            }
        }
    }

    /// `name=value`, separated by spaces; texts with spaces or quotes are quoted.
    var line: String {
        members.map { name, value in
            switch value {
            case .text(let text):
                text.contains(where: { $0 == " " || $0 == "\"" }) || text.isEmpty
                    ? "\(name)=\(Self.quoted(text))" : "\(name)=\(text)"
            case .integer(let number): "\(name)=\(number)"
            case .number(let number, let digits): "\(name)=\(decimal(number, digits))"
            }
        }.joined(separator: " ")
    }

    var json: String {
        let texts = members.map { name, value in
            switch value {
            case .text(let text): "\(Self.quoted(name)):\(Self.quoted(text))"
            case .integer(let number): "\(Self.quoted(name)):\(number)"
            case .number(let number, let digits):
                "\(Self.quoted(name)):\(number.isFinite ? decimal(number, digits) : "null")"
            }
        }
        return "{\(texts.joined(separator: ","))}"
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// A number with so many digits behind the point.
func decimal(_ number: Double, _ digits: Int) -> String {
    guard number.isFinite, number.magnitude < 1e12 else { return "\(number)" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let units = Int((number.magnitude * scale).rounded())
    let sign = number < 0 && units != 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(units)" }
    let whole = String(units)
    let padded = String(repeating: "0", count: max(0, digits + 1 - whole.count)) + whole
    return "\(sign)\(padded.dropLast(digits)).\(padded.suffix(digits))"
}
