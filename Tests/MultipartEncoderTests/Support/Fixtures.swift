import Foundation
import Testing

/// The folder of golden files, found from this file's own place.
let fixtures: String = {
    var directory = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { directory.deleteLastPathComponent() }
    return directory.appendingPathComponent("Fixtures").path
}()

/// A form as browsers have sent it.
struct BrowserCase: Decodable, Sendable, CustomTestStringConvertible {
    struct Entry: Decodable, Sendable {
        let name: String
        let text: String?
        let filename: String?
        let type: String?
        let base64: Data?
    }

    let id: String
    let parts: [Entry]

    var testDescription: String { id }
    var body: [UInt8] {
        get throws { try bytes(ofFile: "\(fixtures)/browsers/\(id).body") }
    }

    static let all: [BrowserCase] = {
        do {
            let text = try bytes(ofFile: "\(fixtures)/browsers/cases.json")
            return try JSONDecoder().decode([BrowserCase].self, from: Data(text))
        } catch {
            fatalError("Fixtures/browsers/cases.json: \(error)")
        }
    }()
}
