import Foundation
import Synchronization

/// Hears what a transport tells while an attempt runs, on the transport's thread.
final class AttemptListener: Sendable {
    private struct State {
        var record: UploadRecord
        var highest: Int64
    }

    private let exchange: UploadPlan.Exchange
    private let target: URL
    private let base: Int64
    private let store: UploadStore
    private let hub: EventHub
    private let allows: @Sendable (URL) -> Bool
    private let state: Mutex<State>

    init(
        _ record: UploadRecord,
        _ exchange: UploadPlan.Exchange,
        _ target: URL,
        _ base: Int64,
        _ store: UploadStore,
        _ hub: EventHub,
        allows: @escaping @Sendable (URL) -> Bool
    ) {
        self.exchange = exchange
        self.target = target
        self.base = base
        self.store = store
        self.hub = hub
        self.allows = allows
        state = Mutex(State(record: record, highest: base))
        if exchange.hasBody {
            hub.publish(
                .sending(sent: base, total: record.contentLength, attempt: record.attempts),
                of: record.id
            )
        }
    }

    var record: UploadRecord { state.withLock { $0.record } }

    func take(_ report: AttemptReport) {
        switch report {
        case .sent(let count): takeProgress(base + count)
        case .interim(let response): takeInterim(response)
        }
    }

    private func takeProgress(_ sent: Int64) {
        guard exchange.hasBody else { return }
        let news = state.withLock { state -> UploadRecord? in
            guard sent > state.highest, sent <= state.record.contentLength else { return nil }
            state.highest = sent
            return state.record
        }
        guard let news else { return }
        hub.publish(
            .sending(sent: sent, total: news.contentLength, attempt: news.attempts),
            of: news.id
        )
    }

    /// A 104 names the upload's resource; it is on the disk before anything else happens.
    private func takeInterim(_ response: UploadResponse) {
        guard response.status == 104, case .create(let version) = exchange else { return }
        state.withLock { state in
            guard
                state.record.takeOffer(of: response, to: version, at: target, allows: allows)
            else { return }
            try? store.save(state.record)
        }
    }
}

extension UploadRecord {
    /// Takes the resource that a server offers for the rest of an upload, unless it has named one.
    ///
    /// A relative address starts from where the request went.
    ///
    /// - Returns: Whether there is a new resource.
    @discardableResult
    mutating func takeOffer(
        of response: UploadResponse,
        to version: InteropVersion,
        at url: URL,
        allows: (URL) -> Bool
    ) -> Bool {
        guard resumption?.resource == nil, UploadPlan.speaks(version, response),
            let location = response.header("Location"),
            let resource = URL(string: location, relativeTo: url)?.absoluteURL, allows(resource)
        else { return false }
        resumption?.resource = resource
        resumption?.appendLimit = UploadPlan.appendLimit(response)
        return true
    }
}

extension UploadPlan.Exchange {
    var hasBody: Bool {
        switch self {
        case .plain, .create, .append: true
        case .ask: false
        }
    }
}
