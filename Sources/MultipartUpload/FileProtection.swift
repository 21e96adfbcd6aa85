import Foundation

/// How the queue's files are protected on a locked device.
package struct FileProtection: Sendable {
    package let apply: @Sendable (_ path: String) -> Void

    package init(_ apply: @escaping @Sendable (_ path: String) -> Void) { self.apply = apply }

    /// Readable from the first unlocking on, also while the device is locked: the default of apps
    /// would keep the body from the system's transfer service.
    ///
    /// Nothing happens where files have no such protection.
    static let system = FileProtection { path in
        let attributes: [FileAttributeKey: Any] = [
            .protectionKey: FileProtectionType.completeUntilFirstUserAuthentication
        ]
        try? FileManager.default.setAttributes(attributes, ofItemAtPath: path)
    }
}
