import MultipartEncoder

// The entry points that take unsafe memory, called in the one place where the tests do that.

func appendRaw(
    _ bytes: [UInt8],
    named name: String,
    filename: String,
    type: String?,
    _ headers: [HeaderField],
    to writer: inout MultipartWriter
) throws(MultipartError) {
    try unsafe ContiguousArray(bytes).span.withUnsafeBytes { (bytes) throws(MultipartError) in
        unsafe try writer.append(
            bytes,
            named: name,
            filename: filename,
            type: type,
            headers: headers
        )
    }
}

/// Puts bytes straight into the spool's buffer, as an encoder of pictures does.
func appendDirectly(_ bytes: [UInt8], to sink: inout PartSink) throws(MultipartError) {
    unsafe try sink.append(atMost: max(1, bytes.count)) { room in
        unsafe room.copyBytes(from: bytes)
        return bytes.count
    }
}
