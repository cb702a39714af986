import Audit
import Envelopes
import JSON

/// What `audit stats --json` prints: every row of every table.
struct AuditStatsJSON {
    let statistics: AuditStatistics

    var text: String {
        var writer = JSONWriter(reserving: 16_384)
        writer.object { writer in
            writeLog(to: &writer)
            writeVisits(to: &writer)
            for (name, table) in [
                ("outcomes", statistics.outcomes), ("deadlines", statistics.deadlines), ("errors", statistics.errors),
                ("reasons", statistics.reasons), ("forms", statistics.forms), ("issuers", statistics.issuers),
                ("events", statistics.events),
            ] {
                writer.name(name)
                writer.object { Self.write(table, to: &$0) }
            }
            writeDoor(to: &writer)
            writer.name("hours")
            writer.array { for hour in statistics.hours { Self.write(hour, to: &$0) } }
            writer.name("elsewhere")
            Self.write(statistics.elsewhere, to: &writer)
            writer.name("times")
            writer.array { for time in statistics.times where time.visits > 0 { Self.write(time, to: &$0) } }
            writeDoubts(to: &writer)
        }
        return escaped(writer.text)
    }

    private func writeLog(to writer: inout JSONWriter) {
        writer.member("records", statistics.records)
        writer.member("firstRecord", statistics.firstRecord)
        writer.member("lastRecord", statistics.lastRecord)
        for (name, time) in [("from", statistics.earliest), ("to", statistics.latest)] {
            if let time, let text = Timestamp.text(time) { writer.member(name, text) }
        }
        writer.member("segments", statistics.segments)
        writer.member("octets", statistics.octets)
        if !statistics.gateName.isEmpty { writer.member("gateName", statistics.gateName) }
        if !statistics.gateID.isEmpty { writer.member("gate", statistics.gateID) }
    }

    private func writeVisits(to writer: inout JSONWriter) {
        writer.member("visits", statistics.visits)
        writer.member("withoutVerdict", statistics.withoutVerdict)
        writer.member("starts", statistics.starts)
        writer.name("abandoned")
        writer.object {
            $0.member("links", statistics.links)
            $0.name("kinds")
            Self.write(statistics.linkKinds, to: &$0)
        }
        writer.name("closed")
        writer.object {
            $0.member("full", statistics.outagesAfterFull)
            $0.member("failing", statistics.outagesAfterFailing)
            $0.member("atMostSeconds", statistics.outageSeconds)
            $0.member("unknown", statistics.outagesUnknown)
        }
    }

    private func writeDoor(to writer: inout JSONWriter) {
        writer.name("door")
        writer.object { writer in
            for (name, table) in [("happened", statistics.doorEvents), ("openedBy", statistics.doorCauses)] {
                writer.name(name)
                writer.object { Self.write(table, to: &$0) }
            }
            writer.member("unrecorded", statistics.doorUnrecorded)
            writer.name("emergencies")
            writer.object {
                $0.member("ended", statistics.emergenciesEnded)
                $0.member("seconds", statistics.emergencySeconds)
                $0.member("longestSeconds", statistics.longestEmergency)
                $0.member("unknown", statistics.emergenciesUnknown)
            }
        }
    }

    private func writeDoubts(to writer: inout JSONWriter) {
        writer.member("chainChecked", false)
        writer.member("damagedLines", statistics.damagedLines)
        writer.name("damage")
        writer.array { writer in
            for damage in statistics.damage {
                writer.object {
                    $0.member("file", damage.file)
                    $0.member("line", damage.line)
                    $0.member("fault", damage.fault.rawValue)
                }
            }
        }
        writer.name("unreadable")
        writer.array { for name in statistics.unreadable { $0.string(name) } }
        writer.name("setAside")
        writer.array { for number in statistics.setAside { $0.integer(number) } }
        writer.member("lostSegments", statistics.lostSegments)
        writer.member("droppedTo", statistics.droppedTo)
        writer.member("missing", statistics.missing)
        writer.member("repeated", statistics.repeated)
        writer.member("void", statistics.void)
        writer.member("clockWentBack", statistics.clockWentBack)
    }

    // MARK: rows

    private static func write(_ table: AuditStatistics.Table, to writer: inout JSONWriter) {
        writer.name("rows")
        write(table.rows, to: &writer)
        writer.member("others", table.others)
    }

    private static func write(_ counts: [AuditStatistics.Count], to writer: inout JSONWriter) {
        writer.array { writer in
            for row in counts {
                writer.object {
                    $0.member("name", row.name)
                    $0.member("count", row.count)
                }
            }
        }
    }

    private static func write(_ hour: AuditHour, to writer: inout JSONWriter) {
        writer.object {
            if let text = Timestamp.text(hour.hour * 3600) { $0.member("hour", text) }
            $0.member("accepted", hour.accepted)
            $0.member("rejected", hour.rejected)
            $0.member("withoutVerdict", hour.withoutVerdict)
            $0.member("links", hour.links)
        }
    }

    private static func write(_ time: AuditStatistics.Time, to writer: inout JSONWriter) {
        writer.object {
            $0.member("name", time.name)
            $0.member("visits", time.visits)
            if let median = time.median { $0.member("median", median) }
            if let p95 = time.p95 { $0.member("p95", p95) }
        }
    }
}
