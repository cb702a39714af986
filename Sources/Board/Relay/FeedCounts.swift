import Audit
import JSON

/// How often what happened in a stretch of time: all that leaves by `counts`.
struct FeedCounts {
    /// Which stretch: time divided by its length. Where the clock is set, a stretch may come twice; the numbers of records tell them apart.
    let period: UInt64
    private let first: UInt64
    private var place = AuditPlace.beginning
    private var at: UInt64 = 0
    private var outcomes: [String: UInt64] = [:]
    private var doors: [String: UInt64] = [:]
    private var events: [String: UInt64] = [:]
    private var links: UInt64 = 0

    /// Names that are counted: the log's own are fewer.
    private static let most = 64

    init(period: UInt64, first: UInt64) { (self.period, self.first) = (period, first) }

    mutating func add(_ root: JSONValue, _ event: String, _ at: UInt64, _ place: AuditPlace) {
        (self.place, self.at) = (place, at)
        switch event {
        case "visit": Self.count(root["outcome"]?.string ?? "", 1, in: &outcomes)
        case "door":
            let more = root["kind"]?.string
            Self.count(more ?? root["what"]?.string ?? "", more == nil ? 1 : UInt64(max(0, root["count"]?.int64 ?? 0)), in: &doors)
        case "fruitless": links &+= UInt64(max(0, root["links"]?.int64 ?? 0))
        default: Self.count(event, 1, in: &events)
        }
    }

    private static func count(_ name: String, _ count: UInt64, in counts: inout [String: UInt64]) {
        if counts[name] == nil, counts.count >= most { return }
        counts[name, default: 0] &+= count
    }

    func record(_ settings: FeedSettings) -> FeedRecord {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.member("feed", FeedComposer.version)
        writer.member("gate", settings.gate)
        writer.member("event", "counts")
        writer.member("from", first)
        writer.member("to", place.sequence)
        writer.member("id", place.identity)
        writer.member("since", period &* settings.period)
        writer.member("seconds", settings.period)
        for (name, counts) in [("visits", outcomes), ("door", doors), ("events", events)] where !counts.isEmpty {
            writer.name(name)
            writer.beginObject()
            for (code, count) in counts.sorted(by: { $0.key < $1.key }) { writer.member(code, count) }
            writer.endObject()
        }
        if links > 0 { writer.member("links", links) }
        writer.endObject()
        return FeedRecord(first: first, place: place, at: at, event: "counts", outcome: nil, reasons: [], octets: writer.bytes)
    }
}
