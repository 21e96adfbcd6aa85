import MultipartEncoder

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Geometric means over the pictures: speed and size against the usual way, by setting.
struct Means {
    private struct Total {
        var count = 0
        var logOfSpeed = 0.0
        var logOfSize = 0.0
        var slowest = Double.infinity
        var largest = 0.0
    }

    private static let settings = ["level", "kernel", "threads", "into"]
    private var totals: [(setting: [Record.Value?], name: String, total: Total)] = []

    mutating func add(_ record: Record) {
        guard case .text("png") = record["case"], case .number(let speed, _) = record["speed"],
            case .number(let size, _) = record["size"], speed > 0, size > 0
        else { return }
        let setting = Self.settings.map { record[$0] }
        let name = "\(setting)"
        let index =
            totals.firstIndex { $0.name == name }
            ?? {
                totals.append((setting, name, Total()))
                return totals.count - 1
            }()
        totals[index].total.count += 1
        totals[index].total.logOfSpeed += log(speed)
        totals[index].total.logOfSize += log(size)
        totals[index].total.slowest = min(totals[index].total.slowest, speed)
        totals[index].total.largest = max(totals[index].total.largest, size)
    }

    var records: [Record] {
        totals.map { setting, _, total in
            var record = Record()
            for (name, value) in zip(Self.settings, setting) { record[name] = value }
            record["images"] = .integer(total.count)
            record["speed"] = .number(exp(total.logOfSpeed / Double(total.count)), digits: 3)
            record["size"] = .number(exp(total.logOfSize / Double(total.count)), digits: 4)
            record["slowest"] = .number(total.slowest, digits: 3)
            record["largest"] = .number(total.largest, digits: 4)
            return record
        }
    }
}
