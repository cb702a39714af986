import JSON

/// What a monitoring system is told of a gate, counted from its audit records, one after the other. Labels are codes of enums: no issuer,
/// no address and no session ever becomes a series.
public struct GateMetrics: Hashable, Sendable {
    /// Number of the last record that was counted; 0 for none.
    public internal(set) var sequence: UInt64 = 0
    var visits: [VisitSeries: UInt64] = [:]
    var verdict = MetricHistogram(bounds: Self.verdictBounds)
    var visit = MetricHistogram(bounds: Self.visitBounds)
    var start: GateStart?
    var bundle: TrustBundleFacts?

    /// What the last record of a start says.
    struct GateStart: Hashable, Sendable {
        /// Seconds since 1970.
        var at: Int64
        var version: String
        var slot: String
        /// Nil where nobody signed the trust folder, so nothing speaks for or against the clock.
        var isClockTrusted: Bool?
    }

    struct TrustBundleFacts: Hashable, Sendable {
        var number: Int64
        /// Seconds since 1970; nil where no record said so.
        var end: Int64?
    }

    /// Microseconds: 1, 2.5, 5, 10, 25 and 50 ms.
    static let verdictBounds: [UInt64] = [1000, 2500, 5000, 10_000, 25_000, 50_000]
    /// From a tenth of a second to ten.
    static let visitBounds: [UInt64] = [100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000]
    /// Combinations of outcome and reason: there are about 180 reasons, each with one outcome. One more is counted as `other`.
    static let mostSeries = 256

    public init() {}

    /// Counts a record that was not counted yet. A number that is not above `sequence` was: a relay may be handed records again.
    ///
    /// A visit that a `void` record takes back stays counted: a counter never falls.
    public mutating func count(_ record: JSONValue) {
        guard let number = record["seq"]?.int64, number > 0, UInt64(number) > sequence else { return }
        sequence = UInt64(number)
        switch record["event"]?.string {
        case "visit": countVisit(record)
        case "fruitless":
            add(record.counted("rejected"), to: VisitSeries(outcome: "rejected", reason: VisitSeries.notRecorded))
            add(record.counted("visits"), to: VisitSeries(outcome: VisitSeries.noVerdict, reason: VisitSeries.notRecorded))
        case "started":
            note(started: record)
            note(bundleOf: record)
        case "trust": note(bundleOf: record)
        default: break
        }
    }

    /// From this number on records are others than those that were counted. What was counted stays: a counter never falls.
    public mutating func recount(from number: UInt64) { sequence = min(sequence, max(1, number) - 1) }

    private mutating func countVisit(_ record: JSONValue) {
        add(1, to: VisitSeries(record))
        note(bundleOf: record)
        guard let decided = record.milliseconds("decidedMs") else { return }
        visit.count(milliseconds: decided)
        // From the opened message, or the read code, to the verdict, without the time that the person before the camera takes.
        guard let begun = record.milliseconds("openedMs") ?? record.milliseconds("receivedMs"), begun <= decided else { return }
        let face = record.milliseconds("faceMs") ?? 0
        verdict.count(milliseconds: decided - begun >= face ? decided - begun - face : 0)
    }

    private mutating func add(_ count: UInt64, to series: VisitSeries) {
        guard count > 0 else { return }
        let hasRoom = visits[series] != nil || visits.count < Self.mostSeries
        visits[hasRoom ? series : VisitSeries(outcome: series.outcome, reason: VisitSeries.other), default: 0] &+= count
    }

    private mutating func note(started record: JSONValue) {
        func code(_ name: String) -> String { record[name]?.string.flatMap { VisitSeries.isCode($0) ? $0 : nil } ?? "" }
        let isTrusted: Bool? =
            switch record["clock"]?.string {
            case "sure": true
            case "unsure": false
            default: nil
            }
        start = GateStart(at: record["at"]?.int64 ?? 0, version: code("version"), slot: code("slot"), isClockTrusted: isTrusted)
    }

    private mutating func note(bundleOf record: JSONValue) {
        guard let number = record["bundle"]?.int64 else { return }
        let end = record["bundleNotAfter"]?.int64
        // A visit names the number alone: the end of that bundle is still known from its start.
        bundle = TrustBundleFacts(number: number, end: end ?? (bundle?.number == number ? bundle?.end : nil))
    }
}

extension JSONValue {
    fileprivate func milliseconds(_ name: String) -> UInt64? { self[name]?.int64.flatMap { UInt64(exactly: $0) } }
    fileprivate func counted(_ name: String) -> UInt64 { milliseconds(name) ?? 0 }
}
