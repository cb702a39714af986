import Audit
import JSON

/// One record of the feed: what leaves, and which records of the log it stands for.
package struct FeedRecord: Hashable, Sendable {
    /// The first and the last record of the log in it: the same one, but for `counts`.
    package let first: UInt64
    package var last: UInt64 { place.sequence }
    package let place: AuditPlace
    /// What, with the gate and `last`, tells it from every other record: the last one's `id`, whether it is in the octets or not.
    package var identity: String { place.identity }
    /// The last one's time, in seconds since 1970, by the gate's clock.
    package let at: UInt64
    /// `visit`, `door`, ... as in the log; `counts` for what stands for many.
    package let event: String
    /// Of a visit: `accepted`, `rejected`, ...
    package let outcome: String?
    package let reasons: [String]
    /// JSON, on one line, without the newline.
    package let octets: [UInt8]
}

/// Makes records of the feed of records of the log.
package struct FeedComposer {
    /// The version of the feed's format, its first member.
    package static let version: Int64 = 1

    /// What leaves of an event by `verdicts`, besides number, time and the event itself: codes and numbers, nothing of who came.
    private static let members: [String: [String]] = [
        "visit": ["visit", "outcome", "presentation", "reasons", "error", "deadline", "form", "bundle"],
        "started": ["version", "slot", "clock", "face", "codes", "mark", "site", "site-given-up", "bundle", "bundleNotAfter"],
        "trust": ["bundle", "bundleNotAfter"],
        "fruitless": ["links", "left", "silent", "failed", "visits", "rejected", "refused"],
        "door": ["what", "by", "kind", "count"],
        "repaired": ["removed"], "resumed": ["after"], "void": ["of"],
        "segment": ["segment", "damaged", "lost"],
        "dropped": ["from", "to", "records", "keptFrom", "exported"],
    ]

    private let settings: FeedSettings
    private var counts: FeedCounts?

    package init(_ settings: FeedSettings) { self.settings = settings }

    /// Takes a record of the log.
    ///
    /// - Parameter octets: its line, which the queue has checked.
    /// - Returns: what leaves now; of `counts` what the record does not belong to any more.
    package mutating func take(_ place: AuditPlace, _ octets: [UInt8]) -> FeedRecord? {
        guard let root = (try? JSONDocument(parsing: octets))?.root else { return nil }
        let event = root["event"]?.string ?? "", at = UInt64(max(0, root["at"]?.int64 ?? 0))
        if settings.detail == .counts {
            let period = at / settings.period
            let before = counts.flatMap { $0.period == period ? nil : $0.record(settings) }
            if before != nil || counts == nil { counts = FeedCounts(period: period, first: place.sequence) }
            counts?.add(root, event, at, place)
            return before
        }
        let reasons = root["reasons"]?.elements?.compactMap(\.string) ?? []
        let leaving = settings.detail == .all ? octets : verdict(place, at, event, root)
        return FeedRecord(
            first: place.sequence, place: place, at: at, event: event, outcome: root["outcome"]?.string, reasons: reasons, octets: leaving)
    }

    /// What leaves because its time is over, though nothing came after it; only of `counts`.
    ///
    /// - Parameter now: seconds since 1970.
    package mutating func takeOver(_ now: UInt64) -> FeedRecord? {
        // A moment longer, so that a record of its last second is on the disk.
        guard let found = counts, now / settings.period > found.period, now % settings.period >= 2 else { return nil }
        counts = nil
        return found.record(settings)
    }

    /// Forgets what is not complete: the log is read again from another place.
    package mutating func reset() { counts = nil }

    private func verdict(_ place: AuditPlace, _ at: UInt64, _ event: String, _ root: JSONValue) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.beginObject()
        writer.member("feed", Self.version)
        writer.member("gate", settings.gate)
        writer.member("seq", place.sequence)
        writer.member("id", place.identity)
        writer.member("at", at)
        writer.member("event", event)
        for name in Self.members[event] ?? [] {
            guard let value = root[name] else { continue }
            writer.name(name)
            writer.copy(value)
        }
        writer.endObject()
        return writer.bytes
    }
}
