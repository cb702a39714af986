import Audit
import Door
import Visit

/// What the gate wants recorded, on its way to the audit log and to whoever reads the gate's words.
final class VisitRecords {
    /// When `passTime` wants to be called, in nanoseconds of the monotonic clock; nil where nothing is recorded.
    private(set) var nextLook: UInt64?

    /// Of the last visit that was kept.
    private var kept: Kept?
    private let audit: AuditLog?
    private let report: (String) -> Void

    /// Nanoseconds from one look after the audit log to the next.
    private static let pause: UInt64 = 5_000_000_000

    /// What of a record goes to others with its verdict.
    struct Kept: Hashable {
        var isAccepted: Bool
        var visit: UInt64
        /// Of the audit record; 0 where there is no log.
        var sequence: UInt64
        var presentation: VisitRecord.Presentation
        var binding: HolderBinding
        var isHolderBound: Bool?
    }

    /// - Parameter audit: nil records nothing, for tests and benchmarks.
    init(_ audit: AuditLog?, now: UInt64, report: @escaping (String) -> Void) {
        self.audit = audit
        self.report = report
        if audit != nil { nextLook = now + Self.pause }
    }

    /// Of the audit log; nil where nothing is recorded.
    var state: AuditState? { audit?.state }

    /// Why nobody could enter soon with what a site file on trial sets, though somebody still can.
    var closedSoon: ClosedCauses { audit?.isTooLongForTrial == true ? ClosedCauses(.recordsFull) : [] }

    /// The site file is kept.
    func endTrial() { audit?.endTrial() }

    /// Keeps a visit's record. False: it is not kept, and who was accepted must not enter.
    ///
    /// - Parameter lasting: whether what is written outlives a restart. A record that a restart takes away is none.
    func keep(_ record: VisitRecord, lasting: Bool) -> Bool {
        kept = nil
        guard record.outcome == .accepted, !lasting else { return append(record) }
        var rejected = record
        rejected.outcome = .rejected
        rejected.notes.append(ClosedCause.dataNotLasting.code)
        _ = append(rejected)
        return false
    }

    /// The record that this verdict was kept by: of the last visit, if it says the same; nil where it was not kept.
    func takeKept(isAccepted: Bool) -> Kept? {
        defer { kept = nil }
        return kept?.isAccepted == isAccepted ? kept : nil
    }

    /// Keeps a count of links that came to nothing. Nobody waits for it; the next one counts what is then.
    func keep(_ links: AbandonedLinks) {
        if let audit {
            do throws(AuditError) {
                try audit.append(AuditRecord(links))
            } catch {
                report("fruitless links cannot be recorded: \(error)")
            }
        }
        report(links.line)
    }

    /// Keeps what happened at the door. Nothing waits for it: a disk must not keep an emergency from opening.
    func keep(_ event: DoorEvent) {
        report(event.line)
        guard let audit else { return }
        if event.isOwed { return audit.begin(AuditRecord(event)) }
        do throws(AuditError) {
            try audit.append(AuditRecord(event))
        } catch {
            report("what happened at the door cannot be recorded: \(error)")
        }
    }

    /// Gives a log that could not be written another try, and says what became of it.
    func passTime(_ now: UInt64) {
        guard let audit, let due = nextLook, now >= due else { return }
        audit.attend()
        for event in audit.takeNews() { report("\(event)") }
        nextLook = now + Self.pause
    }

    func close() { audit?.close() }

    private func append(_ record: VisitRecord) -> Bool {
        if let audit {
            do throws(AuditError) {
                try audit.append(AuditRecord(record))
            } catch {
                report("visit \(record.visit) cannot be recorded, so it is rejected: \(error)")
                return false
            }
        }
        kept = Kept(
            isAccepted: record.outcome == .accepted, visit: record.visit, sequence: audit?.sequence ?? 0, presentation: record.presentation,
            binding: record.binding ?? HolderBinding.none, isHolderBound: record.isHolderBound)
        report(record.line)
        return true
    }
}
