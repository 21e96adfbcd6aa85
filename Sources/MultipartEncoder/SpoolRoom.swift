/// Blocks that a spool has ahead of its bytes.
///
/// ext4 looks for a place with every page that is written beyond a file's blocks. Where they are
/// there already, writing takes half of the time. Other file systems gain nothing (tmpfs fills
/// blocks with zeros first) or have not been measured, and get none.
package struct SpoolRoom {
    private let descriptor: CInt
    private let spare: Int64
    /// As far as the blocks reach, at most.
    private var end: Int64 = 0
    private var isOfUse = true

    /// Small bodies are left alone: they take one or two calls in all.
    private static let smallest: Int64 = 512 * 1024
    private static let step: Int64 = 8 * 1024 * 1024

    /// On a disk with less than that to spare, many spools would take from each other what they
    /// have no use for yet, and fail where all have room.
    package static let usualSpare: Int64 = 1 << 30

    package init(descriptor: CInt, leaving spare: Int64 = usualSpare) {
        self.descriptor = descriptor
        self.spare = spare
    }

    /// Takes care that a file that will be so long has its blocks.
    ///
    /// Without them nothing is wrong: a full disk is reported by the write that fails.
    package mutating func make(for count: Int64) {
        guard isOfUse, count > max(end, Self.smallest) else { return }
        isOfUse = systemGainsFromRoom(descriptor, leaving: spare)
        guard isOfUse else { return }
        let wanted = (count / Self.step + 1) * Self.step
        isOfUse = systemMakeRoom(descriptor, from: end, to: wanted)
        end = wanted  // in any case: a disk that has too few blocks gives those that it has
    }

    /// Gives back what a file of this length does not need.
    package func giveBack(behind count: Int64) {
        if end > count { systemGiveBackRoom(descriptor, behind: count) }
    }
}
