import BoardTestSupport
import Foundation
import Testing

@testable import Appliance
@testable import Audit

private let segment: Int64 = 65_536

private func limits(_ total: Int64, _ whenFull: AuditLimits.WhenFull = .stop) -> AuditLimits {
    AuditLimits(segment: segment, total: total, whenFull: whenFull)
}

/// A log whose last segment has just begun.
private func opened(_ stage: Stage, _ limits: AuditLimits, before: AuditLimits? = nil) throws -> AuditLog {
    for _ in 0..<1000 {
        do { return try AuditLog(stage.path("audit.jsonl"), limits: limits, before: before) } catch AuditError.lockedByAnother {
            usleep(1000)
        }
    }
    return try AuditLog(stage.path("audit.jsonl"), limits: limits, before: before)
}

private func large() -> AuditRecord {
    var record = AuditRecord(event: "visit")
    record.add("reasons", .codes([String](repeating: "issuer-unknown", count: 170)))
    return record
}

/// Segments that nobody has a copy of, and how many octets are sealed.
private func filled(_ stage: Stage, segments: UInt32) throws -> Int64 {
    let log = try opened(stage, limits(100 * segment))
    while log.segment <= segments { try log.append(large()) }
    log.close()
    return log.sealedOctets
}

private func parts(_ stage: Stage) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: stage.folder).count { $0.hasPrefix("audit-") }
}

private func seal(_ log: AuditLog, _ stage: Stage) throws {
    try log.append(large())
    try Data().write(to: URL(fileURLWithPath: stage.path("audit.seal")))
    log.attend()
    #expect(!FileManager.default.fileExists(atPath: stage.path("audit.seal")))
}

@Suite struct AuditTrialTests {
    @Test("nothing goes because of a bound on trial; it does once the file is kept")
    func held() throws {
        let stage = Stage()
        _ = try filled(stage, segments: 8)
        let log = try opened(stage, limits(4 * segment, .dropOldest), before: limits(20 * segment))
        try seal(log, stage)
        #expect(try parts(stage) == 9 && !log.isTooLongForTrial && log.state == .writable)
        log.endTrial()
        #expect(log.limits == limits(4 * segment, .dropOldest))
        try seal(log, stage)
        #expect(try parts(stage) < 5 && AuditReport(checking: log.path).fault == nil)
        // A start with the file proven has it at once.
        log.close()
        #expect(try opened(stage, limits(5 * segment, .dropOldest)).limits.total == 5 * segment)
    }

    @Test("what was let go before is let go on trial, above the bound of both")
    func goesOn() throws {
        let stage = Stage()
        _ = try filled(stage, segments: 8)
        let log = try opened(stage, limits(4 * segment, .dropOldest), before: limits(6 * segment, .dropOldest))
        for _ in 0..<100 { try log.append(large()) }
        #expect(log.state == .writable)
        #expect(try (3...5).contains(parts(stage)))
    }

    @Test("a log that is too long for a bound on trial is known at once, one that fits exactly is not too long")
    func tooLong() throws {
        let stage = Stage()
        let sealed = try filled(stage, segments: 8)
        func isTooLong(_ total: Int64, _ whenFull: AuditLimits.WhenFull = .stop, before: AuditLimits? = limits(100 * segment)) throws
            -> Bool
        {
            let log = try opened(stage, limits(total, whenFull), before: before)
            defer { log.close() }
            #expect(log.state == .writable && log.limits.total >= total)
            return log.isTooLongForTrial
        }
        let fitting = sealed + 3 * segment - AuditLog.lastWords
        #expect(try isTooLong(4 * segment) && isTooLong(fitting - 1) && !isTooLong(fitting) && !isTooLong(100 * segment))
        // No file's doing: it is let go, or there was no more room before.
        #expect(
            try !isTooLong(4 * segment, .dropOldest) && !isTooLong(fitting - 1, before: limits(fitting - 1))
                && !isTooLong(4 * segment, before: nil))
        // What used to go has to stay.
        #expect(
            try isTooLong(fitting - 1, before: limits(fitting - 1, .dropOldest))
                && !isTooLong(fitting, before: limits(fitting, .dropOldest)))
    }

    @Test("what was copied before a seal was asked for is on record as copied, whenever the gate looks")
    func copiedBefore() throws {
        let stage = Stage(), stick = Stage()
        _ = try filled(stage, segments: 8)
        let log = try opened(stage, limits(4 * segment, .dropOldest))
        try log.append(large())
        log.attend()
        _ = try AuditExport(of: log.path, into: stick.path("gate"))
        try Data().write(to: URL(fileURLWithPath: stage.path("audit.seal")))
        // An attendance that had looked for the mark before it was made.
        try log.sealAsAsked()
        let dropped = log.takeNews().compactMap { if case .dropped(_, _, let isExported) = $0 { isExported } else { nil } }
        #expect(dropped == [true] && !FileManager.default.fileExists(atPath: stage.path("audit.seal")))
    }

    @Test("an export during the trial makes room")
    func exported() throws {
        let stage = Stage(), stick = Stage()
        _ = try filled(stage, segments: 8)
        let log = try opened(stage, limits(4 * segment), before: limits(20 * segment))
        let records = VisitRecords(log, now: 0) { _ in }
        #expect(records.closedSoon == ClosedCauses(.recordsFull) && log.state == .writable)
        _ = try AuditExport(of: log.path, into: stick.path("gate"))
        log.attend()
        #expect(records.closedSoon == [])
        records.endTrial()
        #expect(log.limits.total == 4 * segment && log.state == .writable)
    }
}
