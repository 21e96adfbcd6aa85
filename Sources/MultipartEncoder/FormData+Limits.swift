extension FormData {
    /// In what the form goes beyond a server's limits, each kind once, before anything is written.
    ///
    /// Looks at the files, but reads none. What a stream without a promised length holds is not
    /// counted.
    ///
    /// - Parameter limits: A server's, such as ``Limits/tomcat``.
    /// - Returns: Nothing if the server will take the form.
    /// - Throws: ``MultipartError`` as ``contentLength()`` does.
    public func violations(of limits: Limits) throws(MultipartError) -> [LimitViolation] {
        var counter = LimitCounter(limits)
        var grammar = MessageGrammar()
        var found: [LimitViolation] = []
        var length: Int64 = 0
        for (index, part) in parts.enumerated() {
            let label = PartLabel(index: index, name: part.name)
            let header = try headerBytes(of: part, label)
            let isFile = part.filename != nil
            found += counter.begin(
                name: part.name,
                isFile: isFile,
                headerLength: header.count
            )
            let content = try contentLength(of: part, label) ?? 0
            found += counter.content(content, isFile: isFile)
            length += Int64(grammar.beginPart().bytes(for: options.boundary).count + header.count)
            length += content
            grammar.endPart()
        }
        length += Int64(grammar.finish().bytes(for: options.boundary).count)
        found += counter.body(length)
        var seen: Set<LimitViolation.Quantity> = []
        return found.filter { seen.insert($0.quantity).inserted }
    }

    /// Refuses a form that goes beyond the options' limits.
    func checkLimits() throws(MultipartError) {
        guard let limits = options.limits else { return }
        guard let first = try violations(of: limits).first else { return }
        throw .limit(first)
    }
}
