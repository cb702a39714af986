import Glibc

/// How the days at a gate went, by its audit log: counts, and how long things took.
///
/// The log is read once, from its first segment to its last line, in a room that does not grow with it. A damaged line is counted and said,
/// and the rest goes on: an operator with a damaged log wants to know all the more. So the chain is not checked here. `AuditReport` does
/// that, which has to stop at the first line that does not chain; there is one judge of it.
public struct AuditStatistics: Sendable {
    /// How often something occurs.
    public struct Count: Hashable, Sendable {
        public let name: String
        public let count: UInt64
    }

    /// How long a step took, in milliseconds, of the visits that have it on record.
    public struct Time: Hashable, Sendable {
        public let name: String
        public let visits: UInt64
        /// Nil where no visit has it. Both are times of visits (nearest rank), with the resolution of `AuditHistogram`.
        public let median: Int64?
        public let p95: Int64?
    }

    /// A line that is no record.
    public struct Damage: Hashable, Sendable {
        public let file: String
        /// From 1.
        public let line: UInt64
        /// `torn`, `tooLong` or `malformed`.
        public let fault: AuditReport.Fault
    }

    /// Damaged lines that are named; all are counted.
    public static let mostNamed = 16

    /// Segments that were read, and their octets.
    public private(set) var segments = 0
    public private(set) var octets: UInt64 = 0
    /// Segments of these that were set aside as damaged.
    public private(set) var setAside: [UInt32] = []
    /// Names of segments that could not be read to their end.
    public private(set) var unreadable: [String] = []
    public private(set) var damagedLines: UInt64 = 0
    /// The first of them.
    public private(set) var damage: [Damage] = []

    private(set) var tally: AuditTally

    /// Reads the log whose current segment is at `path`. Takes no lock, so a running gate is not disturbed; a line it is just writing may
    /// look torn.
    public init(of path: String, in window: AuditWindow = AuditWindow()) throws(AuditError) {
        let segments = try AuditSegments(of: path)
        tally = AuditTally(window)
        for part in segments.parts {
            let name = segments.folder.name(of: part)
            do throws(AuditError) {
                guard let descriptor = try segments.open(part) else { continue }
                defer { Glibc.close(descriptor) }
                if part.isSetAside { setAside.append(part.number) }
                read(descriptor, name)
            } catch {
                unreadable.append(name)
            }
        }
        if let current = segments.current { read(current, segments.folder.current) }
        tally.end()
    }

    /// What cannot be read ends a segment, and nothing else.
    private mutating func read(_ descriptor: Int32, _ name: String) {
        segments += 1
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        var reader = AuditReader(descriptor: descriptor)
        var line: UInt64 = 0
        do throws(AuditError) {
            while let next = try reader.next() {
                line += 1
                switch next {
                case .whole(let range):
                    octets += UInt64(range.count) + 1
                    if !tally.take(reader.buffer.span.extracting(range)) { blame(.malformed, name, line) }
                case .tooLong(let count):
                    octets += UInt64(count) + 1
                    blame(.tooLong, name, line)
                case .torn(let count):
                    octets += UInt64(count)
                    blame(.torn, name, line)
                }
            }
        } catch {
            unreadable.append(name)
        }
    }

    private mutating func blame(_ fault: AuditReport.Fault, _ name: String, _ line: UInt64) {
        damagedLines += 1
        if damage.count < Self.mostNamed { damage.append(Damage(file: name, line: line, fault: fault)) }
    }
}

/// What was counted. Of what is on record, and inside the window.
extension AuditStatistics {
    public var records: UInt64 { tally.records }
    /// The lowest number is that of the first record; 0 where there is none.
    public var firstRecord: UInt64 { tally.firstRecord }
    public var lastRecord: UInt64 { tally.lastRecord }
    /// Seconds since 1970, by the gate's clock.
    public var earliest: Int64? { tally.earliest }
    public var latest: Int64? { tally.latest }
    public var missing: UInt64 { tally.missing }
    public var repeated: UInt64 { tally.repeated }
    public var clockWentBack: UInt64 { tally.clockWentBack }
    /// The gate's name and id, as it said them when it last started.
    public var gateName: String { String(decoding: tally.gateName, as: UTF8.self) }
    public var gateID: String { String(decoding: tally.gateID, as: UTF8.self) }

    /// Visits that have a record of their own.
    public var visits: UInt64 { tally.visits }
    public var accepted: UInt64 { tally.accepted }
    public var rejected: UInt64 { tally.rejected }
    public var withoutVerdict: UInt64 { visits - accepted - rejected }
    public var void: UInt64 { tally.void }

    public var events: Table { Table(tally.events) }
    public var outcomes: Table { Table(tally.outcomes) }
    public var deadlines: Table { Table(tally.deadlines) }
    public var errors: Table { Table(tally.errors) }
    public var reasons: Table { Table(tally.reasons) }
    public var forms: Table { Table(tally.forms) }
    public var issuers: Table { Table(tally.issuers) }

    /// What happened at the door, and for whom it opened. What had no record of its own is in the counts.
    public var doorEvents: Table { Table(tally.door.happened) }
    public var doorCauses: Table { Table(tally.door.causes) }
    /// How much of it had none.
    public var doorUnrecorded: UInt64 { tally.door.unrecorded }
    /// Emergencies that ended on record, how many seconds they lasted together, and the longest; of the others no length is known.
    public var emergenciesEnded: UInt64 { tally.door.emergencies.ended }
    public var emergencySeconds: UInt64 { tally.door.emergencies.seconds }
    public var longestEmergency: UInt64 { tally.door.emergencies.longest }
    public var emergenciesUnknown: UInt64 { tally.door.emergencies.unknown }

    /// Names with their counts, the most frequent first, and what is counted under none of them.
    public struct Table: Hashable, Sendable {
        public let rows: [Count]
        public let others: UInt64

        init(_ names: AuditNames) { (rows, others) = (names.rows, names.others) }
    }

    /// Hours in which there was a visit, or a link that came to nothing, in their order.
    public var hours: [AuditHour] { tally.hours.rows }
    /// What has no hour there.
    public var elsewhere: AuditHour { tally.hours.elsewhere }
    public var times: [Time] {
        zip(AuditTally.times, tally.histograms).map { time, histogram in
            Time(name: time.name, visits: histogram.count, median: histogram.percentile(50), p95: histogram.percentile(95))
        }
    }

    /// Links that came to nothing and have no record of their own, and what became of them.
    public var links: UInt64 { tally.links }
    public var linkKinds: [Count] { zip(AuditTally.kinds, tally.linkKinds).map { Count(name: $0.text, count: $1) } }

    public var starts: UInt64 { events.rows.first { $0.name == "started" }?.count ?? 0 }
    public var lostSegments: UInt64 { tally.lostSegments }
    /// Up to this segment records say that the oldest went.
    public var droppedTo: Int64 { tally.droppedTo }

    /// How often the log could not be written because something was full, and because it failed.
    public var outagesAfterFull: UInt64 { tally.outages.afterFull }
    public var outagesAfterFailing: UInt64 { tally.outages.afterFailing }
    /// Seconds they lasted together at most: from the last visit on record, as no record says when one began.
    public var outageSeconds: UInt64 { tally.outages.atMost }
    /// Of how many even that is not known.
    public var outagesUnknown: UInt64 { tally.outages.unknown }
}
