import BoardTestSupport
import Foundation
import Testing

@testable import Audit

/// A disk whose blocks under one file take nothing any more, from some moment on.
private final class BadBlocks {
    var names: Set<String> = []
    var watch: AuditFolder.Watch {
        { [self] (step, name) throws(AuditError) in
            if step == .sync, names.contains(name) { throw .system(errno: EIO) }
        }
    }
}

private let limits = AuditLimits(segment: 65_536, total: 20 * 65_536)

private func visit(_ number: Int64) -> AuditRecord {
    var record = AuditRecord(event: "visit")
    record.add("number", .number(number))
    return record
}

private func lines(_ stage: Stage) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: stage.folder).sorted().filter { $0.hasSuffix(".jsonl") }.flatMap { name in
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: stage.path(name))), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }
}

private func append(_ text: String, to path: String) throws {
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    file.seekToEndOfFile()
    file.write(Data(text.utf8))
    file.closeFile()
}

/// Five visits, and a sixth that the current file does not take. The preallocated spare lies elsewhere: only this file is bad, whatever its
/// name becomes.
private func fill(_ log: AuditLog, until disk: BadBlocks) throws {
    for number in 0..<5 { try log.append(visit(Int64(number))) }
    disk.names = ["audit.jsonl"]
    #expect(throws: AuditError.system(errno: EIO)) { try log.append(visit(5)) }
}

@Test func aBlockThatTakesNothingIsLeftWhileTheGateRuns() throws {
    let stage = Stage(), disk = BadBlocks()
    let path = stage.path("audit.jsonl")
    let log = try AuditLog(path, limits: limits, watch: disk.watch)
    try fill(log, until: disk)
    #expect(log.state == .failing(.system(errno: EIO)))
    var attendances = 0
    while log.segment == 1, attendances < 5 {
        log.attend()
        attendances += 1
    }
    disk.names = []
    log.attend()
    #expect(log.segment == 2 && log.state == .writable, "\(log.state) in \(log.segment)")
    try log.append(visit(6))
    let report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.sequence == log.sequence && report.setAside.isEmpty)
}

@Test func aRecordThatFailedAndIsThereAllTheSameIsCalledVoid() throws {
    let stage = Stage(), disk = BadBlocks()
    let path = stage.path("audit.jsonl")
    let log = try AuditLog(path, limits: limits, watch: disk.watch)
    try log.append(visit(1))
    disk.names = ["audit.jsonl"]
    #expect(throws: AuditError.system(errno: EIO)) { try log.append(visit(2)) }
    disk.names = []
    try log.append(visit(3))
    let all = try lines(stage)
    #expect(
        all.count == 4 && all[1].contains("\"number\":2") && all[2].hasSuffix("\"event\":\"void\",\"of\":2}")
            && all[3].contains("\"number\":3"), "\(all)")
    // A call that fails itself is not called void: it says what is so.
    disk.names = ["audit.jsonl"]
    #expect(throws: AuditError.system(errno: EIO)) { try log.append(visit(4)) }
    #expect(throws: AuditError.system(errno: EIO)) { try log.append(visit(5)) }
    disk.names = []
    try log.append(visit(6))
    let voids = try lines(stage).filter { $0.contains("\"event\":\"void\"") }
    #expect(voids.count == 2 && voids[1].hasSuffix("\"of\":5}"), "\(voids)")
    #expect(try lines(stage).filter { $0.contains("\"number\":5") }.isEmpty)
    #expect(try AuditReport(checking: path).fault == nil)
}

@Test func aChainThatBreaksWhileTheGateRunsIsSetAside() throws {
    let stage = Stage(), disk = BadBlocks()
    let path = stage.path("audit.jsonl")
    let log = try AuditLog(path, limits: limits, watch: disk.watch)
    try fill(log, until: disk)
    try append("noise\nnoise\nnoise\n", to: path)
    disk.names = []
    log.attend()
    #expect(log.state == .writable && log.segment == 2)
    #expect(log.takeNews().contains(.setAside("audit-00000001.damaged")))
    try log.append(visit(6))
    let report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.setAside == [1])
}

@Test(arguments: [0, 100]) func aDoubtfulFileThatHasLostWhatWasPromisedIsSetAside(length: Int) throws {
    let stage = Stage(), disk = BadBlocks()
    let path = stage.path("audit.jsonl")
    let log = try AuditLog(path, limits: limits, watch: disk.watch)
    for number in 0..<400 { try log.append(visit(Int64(number))) }
    try Data().write(to: URL(fileURLWithPath: stage.path("audit.seal")))
    log.attend()
    let segment = log.segment
    for number in 0..<5 { try log.append(visit(Int64(number))) }
    // As it was called when it was opened.
    disk.names = ["audit.next"]
    #expect(throws: AuditError.system(errno: EIO)) { try log.append(visit(5)) }
    truncate(path, off_t(length))
    disk.names = []
    log.attend()
    #expect(log.state == .writable && log.segment == segment + 1)
    try log.append(visit(6))
    let report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.setAside == [segment] && report.sequence == log.sequence, "\(report)")
}

/// What the attempt to repair it has left is part of what was set aside.
@Test func aRepairThatFailsLeavesADigestThatHolds() throws {
    let stage = Stage(), disk = BadBlocks()
    let path = stage.path("audit.jsonl")
    var log = try AuditLog(path, limits: limits, watch: disk.watch)
    for number in 0..<5 { try log.append(visit(Int64(number))) }
    log.close()
    try append("{\"seq\"", to: path)
    disk.names = ["audit.jsonl"]
    log = try AuditLog(path, limits: limits, watch: disk.watch)
    disk.names = []
    log.attend()
    #expect(log.state == .writable)
    try log.append(visit(6))
    let report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.sequence == log.sequence, "\(report)")
}

@Test func anOlderSegmentInPlaceOfTheCurrentOneDoesNotTurnTheNumbersBack() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    var log = try AuditLog(path, limits: limits)
    for number in 0..<1500 { try log.append(visit(Int64(number))) }
    let last = log.segment, sequence = log.sequence
    #expect(last > 3)
    log.close()
    let sealed =
        try lines(stage).count
        - String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self).split(separator: "\n").count
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: stage.path("audit-00000002.jsonl"), toPath: path)
    log = try AuditLog(path, limits: limits)
    #expect(log.segment == last + 1 && log.sequence == UInt64(sealed) + 1 && log.sequence <= sequence + 1)
    try log.append(visit(1))
    #expect(try AuditReport(checking: path).fault == nil)
}

@Test func aSealThatCannotBeRemovedOrDoneIsNoFailure() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let log = try AuditLog(path, limits: limits)
    try log.append(visit(1))
    mkdir(stage.path("audit.seal"), 0o700)
    for _ in 0..<4 {
        log.attend()
        #expect(log.state == .writable)
    }
    #expect(log.segment == 2 && log.takeNews().filter { if case .stuckRequest = $0 { true } else { false } }.count == 1)
    #expect(try !lines(stage).contains { $0.contains("resumed") })
    // Another one is met again.
    rmdir(stage.path("audit.seal"))
    try log.append(visit(2))
    try Data().write(to: URL(fileURLWithPath: stage.path("audit.seal")))
    log.attend()
    #expect(log.segment == 3 && !FileManager.default.fileExists(atPath: stage.path("audit.seal")))
}

@Test func aFullLogLeavesTheRequestToSealInItsPlace() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let log = try AuditLog(path, limits: AuditLimits(segment: 65_536, total: 4 * 65_536))
    while log.state == .writable { try log.append(visit(1)) }
    try Data().write(to: URL(fileURLWithPath: stage.path("audit.seal")))
    log.attend()
    #expect(FileManager.default.fileExists(atPath: stage.path("audit.seal")))
}

@Test func aDamagedSegmentCanBeExportedAndThenGoes() throws {
    let stage = Stage(), stick = Stage()
    let path = stage.path("audit.jsonl")
    try Data([UInt8](repeating: UInt8(ascii: "x"), count: 300_000) + Array("\nnoise\nnoise\n".utf8)).write(to: URL(fileURLWithPath: path))
    let small = AuditLimits(segment: 65_536, total: 4 * 65_536)
    let log = try AuditLog(path, limits: small)
    #expect(log.segment == 2)
    while log.state == .writable { try log.append(visit(1)) }
    #expect(log.state == .full(.logFull))
    let export = try AuditExport(of: path, into: stick.path("gate"))
    #expect(export.copies.map(\.name) == ["audit-00000001.damaged"] && export.marked == 1)
    log.attend()
    #expect(log.state == .writable)
    for number in 0..<300 { try log.append(visit(Int64(number))) }
    #expect(!FileManager.default.fileExists(atPath: stage.path("audit-00000001.damaged")))
    #expect(try AuditReport(checking: path).fault == nil)
    // A mark of another damage is none of this one.
    #expect(AuditReport.exported(AuditMark(segment: 1, isDamaged: true, digest: "unreadable"), AuditFolder(of: path), []) == 0)
}

@Test(arguments: AuditLimits.WhenFull.allCases) func nothingThatNobodyHasACopyOfGoesForANinthDamage(whenFull: AuditLimits.WhenFull) throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    for number in 0..<12 {
        try Data("noise \(number)\nnoise\n".utf8).write(to: URL(fileURLWithPath: path))
        let log = try AuditLog(path, limits: AuditLimits(segment: 65_536, total: 100 * 65_536, whenFull: whenFull))
        try log.append(visit(Int64(number)))
        let dropped = log.takeNews().contains { if case .dropped(_, _, isExported: false) = $0 { true } else { false } }
        #expect(dropped == (whenFull == .dropOldest && number >= AuditLimits.mostSetAside))
        log.close()
    }
    let kept = try FileManager.default.contentsOfDirectory(atPath: stage.folder).filter { $0.hasSuffix(".damaged") }.count
    #expect(kept == (whenFull == .stop ? 12 : AuditLimits.mostSetAside))
}

@Test(arguments: ["audit-4294967295.jsonl", "audit-99999999.jsonl", "audit-100000000.jsonl"]) func aHostileNumberIsNoTrap(name: String)
    throws
{
    let stage = Stage()
    let zeros = AuditLine.firstPrevious
    for segment in ["4294967295", "4294967294", "99999999", "18446744073709551615"] {
        let line =
            "{\"seq\":9223372036854775807,\"prev\":\"\(zeros)\",\"at\":1,\"up\":1,\"event\":\"segment\",\"segment\":\(segment),\"damaged\":\(segment)}\n"
        try Data(line.utf8).write(to: URL(fileURLWithPath: stage.path(name)))
        try Data(line.utf8).write(to: URL(fileURLWithPath: stage.path("audit.jsonl")))
        _ = try AuditReport(checking: stage.path("audit.jsonl"))
        do throws(AuditError) { _ = try AuditLog(stage.path("audit.jsonl")) } catch {}
    }
}

@Test func aStickWithAPipeInPlaceOfACopyHoldsNobody() throws {
    let stage = Stage(), stick = Stage()
    let path = stage.path("audit.jsonl")
    let log = try AuditLog(path, limits: limits)
    for number in 0..<600 { try log.append(visit(Int64(number))) }
    mkfifo(stick.path("audit-00000001.jsonl.partial"), 0o600)
    #expect(throws: AuditExportError.self) { try AuditExport(of: path, into: stick.folder) }
    let reader = open(stick.path("audit-00000001.jsonl.partial"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(throws: AuditExportError.self) { try AuditExport(of: path, into: stick.folder) }
    log.attend()
    #expect(log.exported == 0)
}

@Test func whatIsSoIsWrittenBeforeTheNextVisit() throws {
    let stage = Stage(), disk = BadBlocks()
    let path = stage.path("audit.jsonl")
    let log = try AuditLog(path, limits: limits, watch: disk.watch)
    try log.append(visit(1))
    disk.names = ["audit.jsonl"]
    for number in 0..<20 {
        var record = AuditRecord(event: "trust")
        record.add("bundle", .number(Int64(number)))
        log.begin(record)
        #expect(log.state != .writable || log.segment > 1)
    }
    disk.names = []
    try log.append(visit(2))
    let last = try lines(stage).filter { !$0.contains("resumed") && !$0.contains("void") }.suffix(2)
    #expect(last.first?.contains("\"bundle\":19") == true && last.last?.contains("\"number\":2") == true, "\(last)")
    #expect(try AuditReport(checking: path).fault == nil)
}
