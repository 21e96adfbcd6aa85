package import MultipartEncoder

/// Why a command ends without having done its work.
package enum ToolError: Error {
    /// The arguments make no sense.
    case usage(String)
    /// The work failed.
    case failure(String)

    package init(_ error: MultipartError) { self = .failure(error.description) }

    /// As in `sysexits.h` for wrong usage.
    var exitStatus: CInt {
        switch self {
        case .usage: 64
        case .failure: 1
        }
    }
}

extension ToolError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .usage(let message), .failure(let message): message
        }
    }
}
