package import Foundation

/// Reads response headers as they come: interim responses one by one, then the final one.
package struct ResponseHeadReader {
    /// The final response, once the blank line after its headers came; without a body.
    package private(set) var final: UploadResponse?
    private var rest: [UInt8] = []
    private var status: Int?
    private var headers: [UploadHeader] = []

    package init() {}

    /// Takes some bytes and returns the interim responses that they complete.
    package mutating func take(_ bytes: Data) -> [UploadResponse] {
        rest += bytes
        var interims: [UploadResponse] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            var line = rest[..<end]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let interim = take(line: String(decoding: line, as: UTF8.self)) {
                interims.append(interim)
            }
            rest.removeSubrange(...end)
        }
        return interims
    }

    private mutating func take(line: String) -> UploadResponse? {
        guard let status else {
            // After the final response only the trailers of a chunked body come: not ours.
            if line.hasPrefix("HTTP/"), final.map({ $0.status < 200 }) ?? true {
                self.status = Self.status(of: line)
            }
            return nil
        }
        guard !line.isEmpty else {
            let response = UploadResponse(status: status, headers: headers)
            self.status = nil
            headers = []
            if (100..<200).contains(status), status != 101 { return response }
            final = response
            return nil
        }
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        headers.append(UploadHeader(String(line[..<colon]), value))
        return nil
    }

    private static func status(of line: String) -> Int? {
        let words = line.split(separator: " ", maxSplits: 2)
        return words.count >= 2 ? Int(words[1]) : nil
    }
}
