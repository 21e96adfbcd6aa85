import FuzzTargets

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The target that `FUZZ_TARGET` names.
private let target: FuzzTarget = {
    let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue))")
    }
    return target
}()

#if FUZZING
/// Called by libFuzzer for every input.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    target.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
#else
/// Runs one input from standard input, to look at a finding in a debugger.
@main enum Fuzz {
    static func main() {
        var input: [UInt8] = []
        while case let byte = getchar(), byte != EOF { input.append(UInt8(byte)) }
        target.run(input)
    }
}
#endif
