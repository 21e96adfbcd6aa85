import Foundation
import MultipartEncoder
import MultipartUpload
import SwiftUI
import UIKit

/// An app whose uploads go on without it.
@main struct UploadingApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup { UploadView() }
    }
}

/// The one uploader of the app.
///
/// It is made at launch, also when the system launches the app for nothing but a session's events.
@MainActor enum Uploads {
    static let uploader = try? Uploader(
        directory: NSHomeDirectory() + "/Library/Application Support/uploads",
        transport: URLSessionTransport(),
        configuration: .init(maximumConcurrentUploads: 100),  // the system does the waiting
        authorize: { _ in [UploadHeader("Authorization", "Bearer \(try await Session.token())")] }
    )
}

final class AppDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        Task { await Uploads.uploader?.resume() }  // what an earlier process left
        return true
    }

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        guard let uploader = Uploads.uploader else { return completionHandler() }
        Task {
            await uploader.handleEvents(forBackgroundSession: identifier) { completionHandler() }
        }
    }
}

struct UploadView: View {
    @State private var status = "nothing sent yet"

    var body: some View {
        VStack {
            Text(status)
            Button("Send") { Task { await send() } }
        }
    }

    private func send() async {
        guard let uploader = Uploads.uploader, let url = URL(string: "https://example.com/albums")
        else { return }
        var form = FormData()
        form.append(.text("Holiday", named: "album"))
        do throws(UploadError) {
            let id = try await uploader.enqueue(form, to: UploadRequest(url: url))
            for await event in uploader.events(of: id) {
                if case .sending(let sent, let total, _) = event { status = "\(sent) of \(total)" }
                if case .finished(let outcome) = event {
                    status = outcome.isDelivered ? "sent" : "not sent"
                }
            }
        } catch {
            status = error.description
        }
    }
}

/// Where the app keeps who is signed in.
enum Session {
    static func token() async throws -> String { "…" }
}
