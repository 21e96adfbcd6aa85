/// Counts what limits are about, part by part.
struct LimitCounter {
    private let limits: Limits
    private var parts = 0
    private var files = 0
    private var fields = 0
    private var fieldsLength: Int64 = 0

    init(_ limits: Limits) { self.limits = limits }

    /// Takes a part's header, before its content is known.
    mutating func begin(name: String, isFile: Bool, headerLength: Int) -> [LimitViolation] {
        parts += 1
        if isFile { files += 1 } else { fields += 1 }
        return [
            beyond(limits.parts, .parts, parts),
            isFile ? beyond(limits.files, .files, files) : beyond(limits.fields, .fields, fields),
            beyond(limits.headerLength, .headerLength, headerLength),
            beyond(limits.nameLength, .nameLength, name.utf8.count),
        ].compactMap(\.self)
    }

    /// Takes what is known of the last part's content.
    mutating func content(_ length: Int64, isFile: Bool) -> [LimitViolation] {
        if isFile {
            return [violation(limits.fileLength, .fileLength, length)].compactMap(\.self)
        }
        fieldsLength += length
        return [
            violation(limits.fieldLength, .fieldLength, length),
            violation(limits.fieldsLength, .fieldsLength, fieldsLength),
        ].compactMap(\.self)
    }

    /// Takes the body's length.
    func body(_ length: Int64) -> [LimitViolation] {
        guard let limit = limits.bodyLength, length > limit else { return [] }
        return [
            LimitViolation(
                server: limits.server,
                part: nil,
                quantity: .bodyLength,
                limit: limit,
                found: length
            )
        ]
    }

    private func beyond(
        _ limit: Int?,
        _ quantity: LimitViolation.Quantity,
        _ found: Int
    ) -> LimitViolation? {
        violation(limit.map(Int64.init), quantity, Int64(found))
    }

    private func violation(
        _ limit: Int64?,
        _ quantity: LimitViolation.Quantity,
        _ found: Int64
    ) -> LimitViolation? {
        guard let limit, found > limit else { return nil }
        return LimitViolation(
            server: limits.server,
            part: parts - 1,
            quantity: quantity,
            limit: limit,
            found: found
        )
    }
}
