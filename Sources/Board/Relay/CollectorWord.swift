/// What a collector says that it has: the number of a record, and which record of that number, where it says so.
package struct CollectorWord: Hashable, Sendable {
    package let sequence: UInt64
    /// `AuditPlace.identity` of that record; nil where the number is all there is.
    package let identity: String?

    private static let identityLength = 16

    /// A message at `have`: `SEQ`, or `SEQ ID` with one space; nil for anything else.
    package init?(_ payload: [UInt8]) {
        let parts = payload.split(separator: 0x20, maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = parts.first, let sequence = GateTopics.have(Array(number)) else { return nil }
        self.sequence = sequence
        guard parts.count == 2 else {
            identity = nil
            return
        }
        guard parts[1].count == Self.identityLength, parts[1].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        identity = String(decoding: parts[1], as: UTF8.self)
    }

    /// What became of it.
    package enum Use: Hashable, Sendable {
        /// It counts.
        case taken
        /// It is of a record that was not handed out yet: it can be judged when it was.
        case ahead
        /// That number is another record's here, or one that nobody waits for.
        case ignored
    }
}
