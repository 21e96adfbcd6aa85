/// Why the bench has stopped.
enum BenchError: Error, CustomStringConvertible {
    /// The command line can't be understood.
    case usage(String)
    /// Something could not be done.
    case failed(String)

    var description: String {
        switch self {
        case .usage(let text), .failed(let text): text
        }
    }
}

/// Calls the library, and turns whatever it throws into words.
func attempting<Result, Failure: Error>(
    _ what: String,
    _ body: () throws(Failure) -> Result
) throws(BenchError) -> Result {
    do {
        return try body()
    } catch {
        throw .failed("\(what): \(error)")
    }
}
