// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// As much of UIKit as the example needs, so that the compiler reads it where there is no UIKit. The
// declarations have the signatures of the iOS 18 SDK.
@_exported import Foundation

@MainActor open class UIApplication: NSObject {
    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    )
}
