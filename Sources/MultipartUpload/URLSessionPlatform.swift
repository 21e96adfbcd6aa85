import Foundation

// All that differs between the platforms.
#if canImport(FoundationNetworking)
// Here URLSession and URLRequest have a module of their own. It is seen by whoever imports this one,
// so that the same code compiles on Apple's platforms.
@_exported public import FoundationNetworking

enum URLSessionPlatform {
    static let hasBackgroundSessions = false
    static func background(_: String, sharedContainer: String?) -> URLSessionConfiguration {
        .ephemeral
    }
    static func asksForTrust(_: URLProtectionSpace) -> Bool { false }
}
#else
enum URLSessionPlatform {
    static let hasBackgroundSessions = true
    static func background(_ name: String, sharedContainer: String?) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(withIdentifier: name)
        configuration.sessionSendsLaunchEvents = true
        configuration.sharedContainerIdentifier = sharedContainer
        return configuration
    }
    static func asksForTrust(_ space: URLProtectionSpace) -> Bool {
        space.authenticationMethod == NSURLAuthenticationMethodServerTrust
    }
}
#endif
