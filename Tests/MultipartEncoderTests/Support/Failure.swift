import MultipartEncoder

/// What a step throws, or `nil`.
func failure(of step: () throws(MultipartError) -> Void) -> MultipartError? {
    do throws(MultipartError) {
        try step()
        return nil
    } catch {
        return error
    }
}
