import MultipartUpload
import Testing

@Suite struct UploadEventsTests {
    // swift-corelibs-foundation#3204: a slow listener made an unbounded backlog.
    @Test func `a slow reader gets the latest progress only`() async {
        let mailbox = EventMailbox()
        for sent in 0..<100_000 {
            mailbox.put(.sending(sent: Int64(sent), total: 100_000, attempt: 1))
        }
        mailbox.put(.sending(sent: 5, total: 100_000, attempt: 2))
        mailbox.put(.finished(.cancelled))
        mailbox.put(.paused)  // nothing comes after the end
        #expect(await mailbox.next() == .sending(sent: 99_999, total: 100_000, attempt: 1))
        #expect(await mailbox.next() == .sending(sent: 5, total: 100_000, attempt: 2))
        #expect(await mailbox.next() == .finished(.cancelled))
        #expect(await mailbox.next() == nil)
    }

    @Test func `a waiting reader is woken by a cancel`() async {
        let mailbox = EventMailbox()
        let reader = Task { await mailbox.next() }
        await Task.yield()
        reader.cancel()
        #expect(await reader.value == nil)
        mailbox.put(.paused)
        #expect(await mailbox.next() == .paused, "the next reader loses nothing")
    }
}
