import Envelopes
import Trust

/// How many people a new status list turns away, and lets in again.
public struct StatusListChange: Hashable, Sendable {
    public let url: String
    /// Entries that say it now and did not before; of a list that is new, all that say it.
    public internal(set) var revoked = 0
    public internal(set) var suspended = 0
    /// Entries that said one of both before and now say that the credential is good.
    public internal(set) var restored = 0
    /// Entries of the new list that cannot be compared with the old one's: their size changed, or the list's kind. Everything is counted as
    /// new then.
    public internal(set) var isComparable = true

    /// - Parameter old: nil where there was none.
    init(_ url: String, from old: StatusList?, to new: StatusList) {
        self.url = url
        switch (new.entries, old?.entries) {
        case (.bitstring(let list, _, let purposes), let before):
            let isRevocation = purposes.contains { $0.isExactly(StatusEntry.Purpose.revocation.rawValue) }
            let isSuspension = purposes.contains { $0.isExactly(StatusEntry.Purpose.suspension.rawValue) }
            guard isRevocation || isSuspension else { return }
            var earlier: [UInt8] = []
            if case .bitstring(let list, _, let others)? = before, others == purposes {
                earlier = list.octets
            } else {
                isComparable = before == nil
            }
            let (set, cleared) = Self.bits(from: earlier, to: list.octets)
            if isRevocation { revoked = set } else { suspended = set }
            restored = cleared
        case (.token(let list), let before):
            var earlier: TokenStatusList?
            if case .token(let list)? = before { earlier = list }
            if let known = earlier, known.size != list.size { earlier = nil }
            isComparable = before == nil || earlier != nil
            compare(earlier, list)
        }
    }

    /// Bits that are set now and were not, and the reverse; what is not there is not set.
    private static func bits(from old: [UInt8], to new: [UInt8]) -> (set: Int, cleared: Int) {
        var set = 0, cleared = 0
        for index in 0..<max(old.count, new.count) {
            let before = index < old.count ? old[index] : 0, after = index < new.count ? new[index] : 0
            set += (after & ~before).nonzeroBitCount
            cleared += (before & ~after).nonzeroBitCount
        }
        return (set, cleared)
    }

    private mutating func compare(_ old: TokenStatusList?, _ new: TokenStatusList) {
        let width = 8 / new.size
        for (position, octet) in new.octets.enumerated()
        where octet != old.flatMap({ position < $0.octets.count ? $0.octets[position] : nil }) ?? 0 {
            for index in UInt64(position) * width..<UInt64(position + 1) * width {
                let before = old?.value(at: index).map { _ in old?.status(at: index) ?? .good } ?? .good, after = new.status(at: index)
                guard before != after else { continue }
                switch after {
                case .revoked: revoked += 1
                case .suspended: suspended += 1
                case .good: if before != .unknown { restored += 1 }
                case .unknown: break
                }
            }
        }
    }
}

extension TrustStore {
    /// What the lists of this trust store change for people against those of `old`, for each list that is new or has other octets and can
    /// be read. Each is read as of when it was fetched: how old it is by now is another question.
    public func statusChanges(from old: TrustStore) -> [StatusListChange] {
        lists.compactMap { document in
            let before = old.lists.first { $0.url.isExactly(document.url) }
            guard before?.bytes != document.bytes, let list = StatusListOrigin(self, document, at: \.fetched).found.list else {
                return nil
            }
            return StatusListChange(
                document.url, from: before.flatMap { StatusListOrigin(old, $0, at: \.fetched).found.list }, to: list)
        }
    }
}
