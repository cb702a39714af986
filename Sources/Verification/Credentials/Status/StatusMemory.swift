import Envelopes
import Trust

/// Status lists that were read, so that a signature is checked once an hour and not once a visitor.
///
/// Keys are URLs of the trust bundle's own lists, so nobody outside can add one; and inflated lists never take more than `most` octets
/// together: a bundle of a thousand lists must not fill a small board's memory. What was used longest ago is forgotten first.
final class StatusMemory {
    /// A list is read for one issuer: nobody else's word counts for its credentials.
    struct Key: Hashable {
        let url: [UInt8]
        let issuer: [UInt8]
        /// As of when it was fetched, which never changes, and not as of now.
        let isAsFetched: Bool

        init(_ document: PinnedStatusList, _ issuer: TrustedIssuer, isAsFetched: Bool = false) {
            url = Array(document.url.utf8)
            self.issuer = Array((issuer.ids.first ?? "").utf8)
            self.isAsFetched = isAsFetched
        }
    }

    private struct Entry {
        let read: Result<StatusList, StatusListFault>
        let at: Seconds
        let size: Int
        var use: UInt64
    }

    /// Octets of all inflated lists together: four of the largest, or a thousand of the smallest the W3C allows.
    static let most = 16 << 20
    /// Lists and faults together.
    static let mostEntries = 4096
    /// For how long, in seconds, a signature that was checked is not checked again: keys and certificates end.
    static let rest: Seconds = 3600

    private let most: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    /// Octets of the inflated lists held.
    private(set) var size = 0

    init(most: Int = StatusMemory.most) { self.most = most }

    /// Lists held, and faults of others.
    var count: Int { entries.count }

    /// What was found when the list was read within the last hour; nil when it has to be read.
    func recall(_ key: Key, at time: Seconds) -> Result<StatusList, StatusListFault>? {
        guard let entry = entries[key], entry.at <= time else { return nil }
        let (rested, overflow) = time.subtractingReportingOverflow(entry.at)
        guard !overflow, rested < Self.rest else { return nil }
        uses &+= 1
        entries[key]?.use = uses
        return entry.read
    }

    func keep(_ read: Result<StatusList, StatusListFault>, for key: Key, at time: Seconds) {
        forget(key)
        let size = (try? read.get().size) ?? 0
        guard size <= most else { return }
        while self.size + size > most || entries.count >= Self.mostEntries,
            let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key
        {
            forget(oldest)
        }
        uses &+= 1
        entries[key] = Entry(read: read, at: time, size: size, use: uses)
        self.size += size
    }

    private func forget(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { size -= entry.size }
    }
}
