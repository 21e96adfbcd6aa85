let carriageReturn = UInt8(ascii: "\r")
let lineFeed = UInt8(ascii: "\n")

/// Turns every CR, LF and CRLF of a text into CRLF, as browsers do with names and values.
enum Newlines {
    static func needNormalizing(_ text: String) -> Bool {
        text.utf8.contains { $0 == carriageReturn || $0 == lineFeed }
    }

    static func normalized(_ text: String) -> String {
        guard needNormalizing(text) else { return text }
        var bytes: ContiguousArray<UInt8> = []
        bytes.reserveCapacity(text.utf8.count + 16)
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case carriageReturn: bytes.append(contentsOf: [carriageReturn, lineFeed])
            case lineFeed where previous == carriageReturn: break
            case lineFeed: bytes.append(contentsOf: [carriageReturn, lineFeed])
            default: bytes.append(byte)
            }
            previous = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
