/// A file descriptor with exactly one owner, closed when that owner goes away.
package struct OwnedDescriptor: ~Copyable {
    package let rawValue: CInt

    /// Takes over an open descriptor, which nobody else may close from now on.
    package init(adopting rawValue: CInt) {
        precondition(rawValue >= 0, "a descriptor is never negative")
        self.rawValue = rawValue
    }

    deinit { try? systemClose(rawValue) }  // nobody is left to tell

    /// Closes the descriptor and says whether earlier writes reached the file system.
    package consuming func close() throws(SystemError) {
        let descriptor = rawValue
        discard self  // without running `deinit`
        try systemClose(descriptor)
    }
}
