/// Unicode's Normalization Form C, by the algorithm of UAX #15, since the standard library keeps its
/// own to itself.
package enum ComposedForm {
    /// The text with every letter and its marks as one scalar where Unicode has one.
    package static func of(_ text: String) -> String {
        // Nothing below U+0300 combines with anything below it.
        guard text.unicodeScalars.contains(where: { $0.value >= 0x300 }) else { return text }
        var decomposed: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars { decompose(scalar, into: &decomposed) }
        order(&decomposed)
        return String(String.UnicodeScalarView(compose(decomposed)))
    }

    private static func decompose(_ scalar: Unicode.Scalar, into result: inout [Unicode.Scalar]) {
        if let parts = decompositions[scalar] {
            result += parts
        } else if Hangul.syllables.contains(scalar.value) {
            result += Hangul.decomposed(scalar)
        } else {
            result.append(scalar)
        }
    }

    /// Sorts each run of marks by class, and keeps the order of those of one class.
    private static func order(_ scalars: inout [Unicode.Scalar]) {
        var start = 0
        while start < scalars.count {
            guard combiningClass(scalars[start]) != 0 else {
                start += 1
                continue
            }
            let end = scalars[start...].firstIndex { combiningClass($0) == 0 } ?? scalars.count
            let sorted = scalars[start..<end].enumerated().sorted { one, other in
                let classes = (combiningClass(one.element), combiningClass(other.element))
                return classes.0 != classes.1 ? classes.0 < classes.1 : one.offset < other.offset
            }
            scalars.replaceSubrange(start..<end, with: sorted.map(\.element))
            start = end
        }
    }

    /// Puts marks and the letter before them together wherever nothing stands between them.
    private static func compose(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var starter: Int?
        var lastClass = 0
        for scalar in scalars {
            let ownClass = combiningClass(scalar)
            if let starter {
                let isNext = starter == result.count - 1
                if isNext || lastClass < ownClass,
                    let whole = composition(result[starter], scalar)
                {
                    result[starter] = whole
                    continue
                }
            }
            if ownClass == 0 { starter = result.count }
            lastClass = ownClass
            result.append(scalar)
        }
        return result
    }

    private static func composition(
        _ first: Unicode.Scalar,
        _ second: Unicode.Scalar
    ) -> Unicode.Scalar? {
        compositions[Pair(first: first, second: second)] ?? Hangul.composed(first, second)
    }

    private static func combiningClass(_ scalar: Unicode.Scalar) -> Int {
        Int(scalar.properties.canonicalCombiningClass.rawValue)
    }

    private struct Pair: Hashable {
        let first: Unicode.Scalar
        let second: Unicode.Scalar
    }

    private static let decompositions: [Unicode.Scalar: [Unicode.Scalar]] = {
        var result: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        for entry in table.split(separator: ",") {
            let (scalars, _) = read(entry)
            if let whole = scalars.first { result[whole] = Array(scalars.dropFirst()) }
        }
        return result
    }()

    /// The table has decompositions in full, so what a last mark composes with is the composition
    /// of what comes before it.
    private static let compositions: [Pair: Unicode.Scalar] = {
        var result: [Pair: Unicode.Scalar] = [:]
        var entries = table.split(separator: ",").map(read).filter(\.isComposed).map(\.scalars)
        entries.sort { $0.count < $1.count }
        for entry in entries {
            guard let whole = entry.first, var front = entry.dropFirst().first else { continue }
            for mark in entry.dropFirst(2).dropLast() {
                guard let next = result[Pair(first: front, second: mark)] else { break }
                front = next
            }
            if let mark = entry.last { result[Pair(first: front, second: mark)] = whole }
        }
        return result
    }()

    private static func read(
        _ entry: Substring
    ) -> (scalars: [Unicode.Scalar], isComposed: Bool) {
        let isComposed = entry.first != "-"
        let numbers = (isComposed ? entry : entry.dropFirst()).split(separator: " ")
        let scalars = numbers.compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
        return (scalars, isComposed)
    }
}

/// Korean syllables, whose parts are found by arithmetic (The Unicode Standard, section 3.12).
private enum Hangul {
    static let syllables: Range<UInt32> = 0xAC00..<0xD7A4
    private static let leading: Range<UInt32> = 0x1100..<0x1113
    private static let vowels: Range<UInt32> = 0x1161..<0x1176
    private static let trailing: Range<UInt32> = 0x11A8..<0x11C3
    private static let trailingCount: UInt32 = 28

    static func decomposed(_ syllable: Unicode.Scalar) -> [Unicode.Scalar] {
        let index = syllable.value - syllables.lowerBound
        let pair = index / trailingCount
        let tail = index % trailingCount
        let vowelCount = UInt32(vowels.count)
        let values = [
            leading.lowerBound + pair / vowelCount, vowels.lowerBound + pair % vowelCount,
            tail == 0 ? nil : trailing.lowerBound + tail - 1,
        ]
        return values.compactMap { $0.flatMap(Unicode.Scalar.init) }
    }

    static func composed(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        if leading.contains(first.value), vowels.contains(second.value) {
            let pair =
                (first.value - leading.lowerBound) * UInt32(vowels.count)
                + second.value - vowels.lowerBound
            return Unicode.Scalar(syllables.lowerBound + pair * trailingCount)
        }
        if syllables.contains(first.value), trailing.contains(second.value),
            (first.value - syllables.lowerBound) % trailingCount == 0
        {
            return Unicode.Scalar(first.value + second.value - trailing.lowerBound + 1)
        }
        return nil
    }
}
