import Audit
import Envelopes

/// What `audit stats` prints for people.
struct AuditStatsText {
    let statistics: AuditStatistics
    let folder: String

    /// Up to so many hours each has a row; of more of them, each date has one, and each hour of the day.
    private static let mostHours = 72
    /// Rows of a table; the JSON has all.
    private static let mostRows = 20
    /// Characters of a name, and of the first column where names are short.
    private static let (mostCharacters, width) = (60, 36)

    var lines: [String] {
        var lines = head
        if statistics.records > 0 {
            lines += visits + door + hours
            lines += table("reason, of visits that were rejected; a visit may have several", statistics.reasons)
            lines += table("issuer, of visits whose credential it had signed", statistics.issuers)
            lines += table("form", statistics.forms)
            lines += times
        }
        return (lines + doubts).map(printable)
    }

    // MARK: what it is about

    private var head: [String] {
        let gate = [statistics.gateName, statistics.gateID].filter { !$0.isEmpty }.joined(separator: ", ")
        let segments = "\(statistics.segments) segment" + (statistics.segments == 1 ? "" : "s")
        let read = "\(segments), \(statistics.octets) octets" + (gate.isEmpty ? "" : "; gate \(Self.cut(gate))")
        guard statistics.records > 0 else { return ["no records in \(read)"] }
        let times = [statistics.earliest, statistics.latest].compactMap { $0.flatMap(Timestamp.text) }
        return [
            "\(statistics.records) records, \(statistics.firstRecord) to \(statistics.lastRecord), in \(read)",
            "from \(times.first ?? "?") to \(times.last ?? "?"). All times are UTC, as in the log, by the gate's clock",
        ]
    }

    private var visits: [String] {
        var lines = ["", Self.row("visits", [("\(statistics.visits)", 10)])]
        for row in statistics.outcomes.rows { lines.append(share("  " + Self.cut(row.name), row.count)) }
        if statistics.outcomes.others > 0 { lines.append(share("  with another outcome, or none", statistics.outcomes.others)) }
        lines.append(share("ended without a verdict", statistics.withoutVerdict))
        lines += list("  deadline missed", statistics.deadlines) + list("  error of the transfer", statistics.errors)
        let kinds = statistics.linkKinds.filter { $0.count > 0 }.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        lines.append(Self.row("links that came to nothing", [("\(statistics.links)", 10)]) + (kinds.isEmpty ? "" : "  " + kinds))
        lines.append(Self.row("starts of the gate", [("\(statistics.starts)", 10)]))
        return lines + closed
    }

    private var closed: [String] {
        let count = statistics.outagesAfterFull + statistics.outagesAfterFailing
        guard count > 0 else { return [] }
        let length =
            count == statistics.outagesUnknown
            ? "for how long is not on record" : "for at most \(span(of: Int64(clamping: statistics.outageSeconds))) together"
        let rest =
            statistics.outagesUnknown > 0 && count > statistics.outagesUnknown ? ", \(statistics.outagesUnknown) of unknown length" : ""
        return [
            Self.row("closed: no record could be written", [("\(count)", 10)])
                + "  full \(statistics.outagesAfterFull), failing \(statistics.outagesAfterFailing); \(length)\(rest)"
        ]
    }

    private var door: [String] {
        let events = statistics.doorEvents
        guard !events.rows.isEmpty || events.others > 0 else { return [] }
        var lines = table("at the door", events)
        for (place, row) in events.rows.prefix(Self.mostRows).enumerated() {
            if let more = more(of: row) { lines[place + 2] += "  " + more }
        }
        if statistics.doorUnrecorded > 0 {
            lines.append(Self.row("  of these without a record each", [("\(statistics.doorUnrecorded)", 10)]))
        }
        return lines
    }

    /// What else is known of a row: for whom it opened, and for how long.
    private func more(of row: AuditStatistics.Count) -> String? {
        switch row.name {
        case "opened":
            let causes = statistics.doorCauses.rows.prefix(Self.mostRows).map { "\(Self.cut($0.name)) \($0.count)" }
            return causes.isEmpty ? nil : causes.joined(separator: ", ")
        case "emergency":
            let (ended, unknown) = (statistics.emergenciesEnded, statistics.emergenciesUnknown)
            guard ended > 0 else { return "for how long is not on record" }
            let together = span(of: Int64(clamping: statistics.emergencySeconds))
            let longest = ended > 1 ? ", the longest \(span(of: Int64(clamping: statistics.longestEmergency)))" : ""
            return together + " together" + longest + (unknown > 0 ? "; \(unknown) of unknown length" : "")
        default: return nil
        }
    }

    // MARK: tables

    private var hours: [String] {
        let hours = statistics.hours
        guard !hours.isEmpty else { return [] }
        var lines = [""]
        if hours.count <= Self.mostHours {
            lines.append(Self.columns("date and hour"))
            for hour in hours { lines.append(Self.cells(Self.date(hour) + "  " + Self.clock(hour.hour % 24), hour)) }
        } else {
            lines.append(Self.columns("date"))
            for (name, sum) in Self.sums(hours, by: Self.date) { lines.append(Self.cells(name, sum)) }
            lines += ["", Self.columns("hour of the day")]
            for (name, sum) in Self.sums(hours, by: { Self.clock($0.hour % 24) }).sorted(by: { $0.0 < $1.0 }) {
                lines.append(Self.cells(name, sum))
            }
        }
        let rest = statistics.elsewhere
        if rest.visits > 0 || rest.links > 0 { lines.append(Self.cells("without a usable time", [rest])) }
        return lines
    }

    private static func sums(_ hours: [AuditHour], by key: (AuditHour) -> String) -> [(String, [AuditHour])] {
        var groups: [(String, [AuditHour])] = [], places: [String: Int] = [:]
        for hour in hours {
            let name = key(hour)
            if let place = places[name] {
                groups[place].1.append(hour)
            } else {
                places[name] = groups.count
                groups.append((name, [hour]))
            }
        }
        return groups
    }

    private static func columns(_ name: String) -> String {
        row(name, [("accepted", 10), ("rejected", 10), ("no verdict", 12), ("links", 10)])
    }

    private static func cells(_ name: String, _ hour: AuditHour) -> String { cells(name, [hour]) }

    private static func cells(_ name: String, _ hours: [AuditHour]) -> String {
        func sum(_ number: (AuditHour) -> UInt64) -> String {
            "\(Self.sum(hours.map(number)))"
        }
        return row(name, [(sum(\.accepted), 10), (sum(\.rejected), 10), (sum(\.withoutVerdict), 12), (sum(\.links), 10)])
    }

    /// What records say may be any number.
    private static func sum(_ counts: [UInt64]) -> UInt64 {
        counts.reduce(0) { total, count in
            let sum = total.addingReportingOverflow(count)
            return sum.overflow ? .max : sum.partialValue
        }
    }

    private func table(_ name: String, _ table: AuditStatistics.Table) -> [String] {
        let shown = table.rows.prefix(Self.mostRows).map { (name: "  " + Self.cut($0.name), count: $0.count) }
        guard !shown.isEmpty else { return [] }
        var lines = ["", name]
        let width = max(Self.width, shown.map(\.name.count).max() ?? 0)
        for row in shown { lines.append(Self.row(row.name, [("\(row.count)", 10)], width)) }
        let rest = Self.sum(table.rows.dropFirst(Self.mostRows).map(\.count))
        if rest > 0 { lines.append(Self.row("  \(table.rows.count - Self.mostRows) more (--json)", [("\(rest)", 10)], width)) }
        if table.others > 0 { lines.append(Self.row("  others, which are not told apart", [("\(table.others)", 10)], width)) }
        return lines
    }

    private func list(_ name: String, _ table: AuditStatistics.Table) -> [String] {
        guard !table.rows.isEmpty else { return [] }
        return ["\(name): " + table.rows.prefix(Self.mostRows).map { "\(Self.cut($0.name)) \($0.count)" }.joined(separator: ", ")]
    }

    private var times: [String] {
        let times = statistics.times.filter { $0.visits > 0 }
        guard !times.isEmpty else { return [] }
        let head = ["", Self.row("ms since the wallet connected", [("visits", 10), ("median", 10), ("95 %", 10)])]
        return head
            + times.map { time in
                let name = time.name == "face" ? "  face (of the comparison alone)" : "  " + time.name
                return Self.row(name, [("\(time.visits)", 10), ("\(time.median ?? 0)", 10), ("\(time.p95 ?? 0)", 10)])
            }
    }

    // MARK: what is doubtful

    private var doubts: [String] {
        var lines = [""]
        if statistics.damagedLines > 0 {
            lines.append("! lines that are no records, and are in no count: \(statistics.damagedLines)")
            lines += statistics.damage.map { "!   line \($0.line) of \($0.file) \($0.fault.sentence)" }
        }
        for name in statistics.unreadable { lines.append("! \(name) cannot be read to its end") }
        if !statistics.setAside.isEmpty {
            lines.append("set aside as damaged, and counted: segment \(statistics.setAside.map(String.init).joined(separator: ", "))")
        }
        if statistics.lostSegments > 0 { lines.append("! \(statistics.lostSegments) segments are lost, as records say") }
        if statistics.droppedTo > 0 { lines.append("let go, as records say: up to segment \(statistics.droppedTo)") }
        if statistics.missing > 0 { lines.append("! \(statistics.missing) numbers between these records have none") }
        if statistics.repeated > 0 { lines.append("! \(statistics.repeated) records have the number of an earlier one, or a lower one") }
        if statistics.void > 0 { lines.append("not counted: \(statistics.void) visits that did not happen, as records say") }
        if statistics.clockWentBack > 0 {
            lines.append("! the gate's clock went back \(statistics.clockWentBack) times: hours may be wrong")
        }
        lines.append("The chain was not checked here: gatehouse audit verify \(folder)")
        return lines
    }

    // MARK: words

    private func share(_ name: String, _ count: UInt64) -> String {
        let tenths = statistics.visits > 0 ? UInt64((Double(count) * 1000 / Double(statistics.visits)).rounded()) : 0
        return Self.row(name, [("\(count)", 10), ("\(tenths / 10).\(tenths % 10) %", 9)])
    }

    private static func row(_ name: String, _ cells: [(text: String, width: Int)], _ width: Int = width) -> String {
        let first = name + String(repeating: " ", count: max(0, width - name.count))
        return cells.reduce(first) { $0 + String(repeating: " ", count: max(1, $1.width - $1.text.count)) + $1.text }
    }

    private static func cut(_ name: String) -> String {
        name.count > mostCharacters ? String(name.prefix(mostCharacters - 1)) + "…" : name
    }

    private static func date(_ hour: AuditHour) -> String { Timestamp.text(hour.hour * 3600).map { String($0.prefix(10)) } ?? "?" }

    private static func clock(_ hour: Int64) -> String { (hour < 10 ? "0" : "") + "\(hour):00" }
}
