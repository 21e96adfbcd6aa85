import MultipartEncoder

// multipart-demo spooled|usual OUTPUT BOUNDARY PART…
//
// Writes one body in this library's way or in the usual one, and tells what each part took:
// a line `part NAME SECONDS` each, then `total SECONDS` and `peak KIB`. Used by Scripts/demo.
do {
    let arguments = (1..<systemArgumentCount()).compactMap { systemArgument($0) }
    guard arguments.count > 3 else { throw DemoError(words: "see Scripts/demo") }
    let parts = try DemoPart.parse(arguments[3...])
    let boundary = try Boundary(arguments[2])
    let began = ContinuousClock.now
    switch arguments[0] {
    case "spooled": try SpooledWay.write(parts, to: arguments[1], boundary)
    case "usual": try UsualWay.write(parts, to: arguments[1], boundary)
    default: throw DemoError(words: "there is no way called \(arguments[0])")
    }
    print("total", (ContinuousClock.now - began) / .seconds(1))
    print("peak", systemPeakMemory() ?? 0)
} catch {
    try? systemWrite(standardError, "multipart-demo: \(error)\n")
    systemExit(1)
}

/// Runs one part's work and says how long it took.
func timed(_ part: DemoPart, _ work: () throws -> Void) throws {
    let began = ContinuousClock.now
    try work()
    print("part", part.name, (ContinuousClock.now - began) / .seconds(1))
}
