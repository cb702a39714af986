import JSON

/// What was counted, kept from one start of the relay to the next: a counter that falls back with each of them would be none.
extension GateMetrics {
    /// Octets that it can have: 257 series, and names as long as they can be.
    public static var mostKept: Int { 65_536 }

    /// One line of JSON.
    public var kept: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("gatehouse-metrics", 1)
        writer.member("seq", sequence)
        writer.name("visits")
        writer.beginArray()
        for (series, count) in visits.sorted(by: { $0.key < $1.key }) {
            writer.beginArray()
            writer.string(series.outcome)
            writer.string(series.reason)
            writer.integer(count)
            writer.endArray()
        }
        writer.endArray()
        verdict.keep("verdict", in: &writer)
        visit.keep("visit", in: &writer)
        if let start {
            writer.member("start", start.at)
            writer.member("version", start.version)
            writer.member("slot", start.slot)
            if let isTrusted = start.isClockTrusted { writer.member("clockTrusted", isTrusted) }
        }
        if let bundle {
            writer.member("bundle", bundle.number)
            if let end = bundle.end { writer.member("bundleNotAfter", end) }
        }
        writer.endObject()
        return writer.bytes + [0x0A]
    }

    /// What `kept` was of; nil where it is nothing that this program kept. Then everything is counted anew.
    public init?(kept octets: [UInt8]) {
        guard octets.count <= Self.mostKept, let document = try? JSONDocument(parsing: octets) else { return nil }
        let root = document.root
        guard root["gatehouse-metrics"]?.int64 == 1, let sequence = root.natural("seq"), let rows = root["visits"]?.elements,
            let verdict = MetricHistogram(kept: root["verdict"], bounds: Self.verdictBounds),
            let visit = MetricHistogram(kept: root["visit"], bounds: Self.visitBounds)
        else { return nil }
        self.init()
        (self.sequence, self.verdict, self.visit) = (sequence, verdict, visit)
        for row in rows {
            let parts = row.elements.map(Array.init) ?? []
            guard parts.count == 3, let outcome = parts[0].string, let reason = parts[1].string, VisitSeries.isCode(outcome),
                VisitSeries.isCode(reason), let count = parts[2].int64.flatMap({ UInt64(exactly: $0) })
            else { return nil }
            visits[VisitSeries(outcome: outcome, reason: reason)] = count
        }
        // An outcome has one more series, `other`, when there is no room for its own.
        guard visits.count <= Self.mostSeries + VisitSeries.outcomes.count + 2 else { return nil }
        if let at = root["start"]?.int64, let version = root["version"]?.string, let slot = root["slot"]?.string {
            start = GateStart(at: at, version: version, slot: slot, isClockTrusted: root["clockTrusted"]?.bool)
        }
        if let number = root["bundle"]?.int64 { bundle = TrustBundleFacts(number: number, end: root["bundleNotAfter"]?.int64) }
    }
}

extension MetricHistogram {
    fileprivate func keep(_ name: String, in writer: inout JSONWriter) {
        writer.name(name)
        writer.beginObject()
        writer.name("buckets")
        writer.beginArray()
        for bucket in buckets { writer.integer(bucket) }
        writer.endArray()
        writer.member("count", count)
        writer.member("sumMs", sum)
        writer.endObject()
    }

    fileprivate init?(kept value: JSONValue?, bounds: [UInt64]) {
        guard let value, let elements = value["buckets"]?.elements, let count = value.natural("count"), let sum = value.natural("sumMs")
        else { return nil }
        var buckets: [UInt64] = []
        for element in elements {
            guard let bucket = element.int64.flatMap({ UInt64(exactly: $0) }) else { return nil }
            buckets.append(bucket)
        }
        self.init(bounds: bounds, buckets: buckets, count: count, sum: sum)
    }
}

extension JSONValue {
    fileprivate func natural(_ name: String) -> UInt64? { self[name]?.int64.flatMap { UInt64(exactly: $0) } }
}
