import BoardTestSupport
import Foundation
import Testing

@testable import Audit

private func visit(_ number: Int64) -> AuditRecord {
    var record = AuditRecord(event: "visit")
    record.add("number", .number(number))
    record.add("verdict", .code(number % 2 == 0 ? "accept" : "reject"))
    record.add("reasons", .codes(["issuerUnknown", "quote\"d"]))
    record.add("bound", .flag(true))
    return record
}

private func octets(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
}

private func put(_ octets: [UInt8], at path: String) throws {
    try Data(octets).write(to: URL(fileURLWithPath: path))
}

/// A log of `count` visits.
private func write(_ count: Int, to path: String) throws {
    let log = try reopened(path)
    for number in 0..<count { try log.append(visit(Int64(number))) }
    log.close()
}

/// Opens a log that may still be open: a process that another test starts has every open file of this one for an instant, and the lock with
/// it.
private func reopened(_ path: String) throws -> AuditLog {
    for _ in 0..<1000 {
        do { return try AuditLog(path) } catch AuditError.lockedByAnother { usleep(1000) }
    }
    return try AuditLog(path)
}

/// A child has the lock's descriptor for an instant, until it is another program: whoever closes the log lets go of the lock all the same.
@Test func aLogThatIsClosedIsOpenedAnewWhileAChildHasItsDescriptors() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl"), log = try reopened(path)
    try log.append(visit(0))
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
        guard let number = Int32(name), let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"),
            file.hasPrefix(stage.folder)
        else { continue }
        // As fork does: the same open file.
        copies.append(dup(number))
    }
    #expect(copies.count >= 2, "the segment and the lock")
    log.close()
    #expect(try AuditLog(path).state == .writable)
}

@Test func aLogIsChainedLinesOfMode0600() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    try write(3, to: path)
    let lines = String(decoding: try octets(path), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 3)
    var previous = String(repeating: "0", count: 64)
    for (index, line) in lines.enumerated() {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["seq"] as? Int == index + 1)
        #expect(object["prev"] as? String == previous)
        #expect(object["event"] as? String == "visit")
        #expect(object["reasons"] as? [String] == ["issuerUnknown", "quote\"d"])
        previous = try AuditLine.digest([UInt8](line.utf8)[...])
    }
    let report = try AuditReport(checking: path)
    #expect(report.records == 3 && report.repairs == 0 && report.fault == nil && report.badLine == nil)
    #expect(report.digest == previous)
    var facts = stat()
    stat(path, &facts)
    #expect(facts.st_mode & 0o777 == 0o600)
    // Known answer (FIPS 180-4).
    #expect(try AuditLine.digest(Array("abc".utf8)[...]) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
}

@Test func openingAgainGoesOn() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    for _ in 0..<5 { try write(2, to: path) }
    #expect(try AuditReport(checking: path).records == 10)
    chmod(path, 0o644)
    let log = try reopened(path)
    #expect(log.sequence == 10 && log.removedOctets == 0)
    var facts = stat()
    stat(path, &facts)
    #expect(facts.st_mode & 0o777 == 0o600)
}

@Test func aSecondWriterIsRefused() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let first = try AuditLog(path)
    #expect(throws: AuditError.lockedByAnother) { try AuditLog(path) }
    first.close()
    #expect(throws: AuditError.closed) { try first.append(visit(1)) }
    try reopened(path).append(visit(1))
}

@Test func placesALogCannotBe() throws {
    let stage = Stage()
    symlink(stage.path("target"), stage.path("link"))
    #expect(throws: AuditError.notRegularFile) { try AuditLog(stage.path("link")) }
    #expect(throws: AuditError.notRegularFile) { try AuditLog(stage.folder) }
    #expect(throws: AuditError.notFound) { try AuditLog(stage.path("no/audit")) }
    mkfifo(stage.path("fifo"), 0o600)
    #expect(throws: AuditError.notRegularFile) { try AuditLog(stage.path("fifo")) }
    #expect(throws: AuditError.notFound) { try AuditReport(checking: stage.path("absent")) }
}

/// A gate that starts on a full disk says so, and goes on when there is room.
@Test func aLogThatCannotBeWrittenHasAState() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    symlink("/dev/full", path)
    #expect(throws: AuditError.notRegularFile) { try AuditLog(path) }
    unlink(path)
    let log = try reopened(path)
    #expect(log.state == .writable)
    log.close()
    log.attend()
    #expect(throws: AuditError.closed) { try log.append(visit(1)) }
    #expect(AuditState(.diskFull) == .full(.diskFull))
    #expect(AuditState(.readOnly) == .failing(.readOnly))
}

/// What a kill leaves: the good file, cut at every octet of its last two records.
@Test func cutAtEveryOctetOfTheLastTwoRecords() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    try write(4, to: path)
    let whole = try octets(path)
    let ends = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    for cut in ends[1]...whole.count {
        try put(Array(whole[..<cut]), at: path)
        let kept = ends.last { $0 <= cut } ?? 0
        let torn = cut - kept
        let before = try AuditReport(checking: path)
        #expect((before.fault == .torn) == (torn > 0))
        let log = try reopened(path)
        #expect(log.removedOctets == torn)
        try log.append(visit(99))
        log.close()
        let now = try octets(path)
        #expect(Array(now[..<kept]) == Array(whole[..<kept]))
        let report = try AuditReport(checking: path)
        let records = UInt64(ends.filter { $0 <= cut }.count)
        #expect(report.fault == nil && report.repairs == (torn > 0 ? 1 : 0))
        #expect(report.records == records + 1 + report.repairs)
        if torn > 0 {
            let repair = String(decoding: now[kept...], as: UTF8.self).split(separator: "\n")[0]
            #expect(repair.hasSuffix("\"event\":\"repaired\",\"removed\":\(torn)}"))
        }
    }
}

/// A kill in the middle of a repair: the repair record lies, whole or in part, over a longer torn line.
@Test func cutInTheMiddleOfARepair() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    try write(2, to: path)
    let good = try octets(path)
    let torn = [UInt8](repeating: UInt8(ascii: "x"), count: 600)
    try put(good + torn, at: path)
    try reopened(path).close()
    let repair = Array(try octets(path)[good.count...])
    for length in stride(from: 0, through: repair.count, by: 5) + [repair.count - 1, repair.count] {
        try put(good + repair[..<length] + torn[length...], at: path)
        let log = try reopened(path)
        #expect(log.removedOctets > 0)
        log.close()
        let report = try AuditReport(checking: path)
        #expect(report.fault == nil && report.repairs >= 1)
        #expect(report.records >= 3)
    }
}

@Test func aWholeButWrongLastLineIsRepairedAndTwoAreNot() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    try write(4, to: path)
    let whole = try octets(path)
    let ends = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    // Zeros in the last line, as when one block of it never reached the disk.
    var zeros = whole
    for index in ends[2] + 20..<ends[3] - 1 { zeros[index] = 0 }
    try put(zeros, at: path)
    #expect(try AuditReport(checking: path).badLine == 4)
    let log = try reopened(path)
    #expect(log.removedOctets == ends[3] - ends[2])
    log.close()
    #expect(try AuditReport(checking: path).records == 4)
    // The line before too: not one torn write.
    for index in ends[1] + 20..<ends[2] - 1 { zeros[index] = 0 }
    try put(zeros, at: path)
    try expectSetAside(path, zeros, goodLines: 2)
}

/// A log that is not understood is kept as it is under another name, and the next segment says so and goes on.
private func expectSetAside(_ path: String, _ damaged: [UInt8], goodLines: UInt64) throws {
    let log = try reopened(path)
    #expect(log.state == .writable && log.segment == 2)
    let aside = path.replacing(".jsonl", with: "-00000001.damaged")
    #expect(log.takeNews() == [.setAside(String(aside.split(separator: "/").last ?? ""))])
    #expect(try octets(aside) == damaged)
    try log.append(visit(1))
    log.close()
    let first = String(decoding: try octets(path).prefix { $0 != 10 }, as: UTF8.self)
    let digest = try AuditLine.digest(damaged[...])
    #expect(first.hasPrefix("{\"seq\":\(goodLines + 1),"))
    #expect(first.hasSuffix("\"event\":\"segment\",\"segment\":2,\"damaged\":1,\"octets\":\(damaged.count),\"sha256\":\"\(digest)\"}"))
    var report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.setAside == [1] && report.setAsideMissing == [] && report.sequence == goodLines + 2)
    // Changed afterwards: the record says what it was.
    try put(damaged + [10], at: aside)
    report = try AuditReport(checking: path)
    #expect(report.fault == .otherDamage && report.badLine == 1)
    // Taken away to be looked at.
    unlink(aside)
    report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.setAsideMissing == [1] && report.records == 2)
    let again = try reopened(path)
    #expect(again.segment == 2 && again.takeNews() == [])
}

/// Somebody changed the line before the last: the last one is genuine, and cutting it off would hide the change.
@Test func aWholeLineThatDoesNotChainIsNotCutOff() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    try write(4, to: path)
    var changed = try octets(path)
    let ends = changed.indices.filter { changed[$0] == UInt8(ascii: "\n") }
    let at = try #require(changed[ends[1]..<ends[2]].lastIndex { (UInt8(ascii: "0")...UInt8(ascii: "8")).contains($0) })
    changed[at] += 1
    try put(changed, at: path)
    // The first bad line is the one behind the change.
    try expectSetAside(path, changed, goodLines: 3)
}

@Test func aFileThatIsNoLogIsSetAside() throws {
    for foreign in [
        Array("one\ntwo\nthree\n".utf8), [UInt8](repeating: 0, count: 100_000), Array(String(repeating: "{}\n", count: 20_000).utf8),
    ] {
        let stage = Stage()
        let path = stage.path("audit.jsonl")
        try put(foreign, at: path)
        try expectSetAside(path, foreign, goodLines: 0)
    }
}

@Test func checkingNamesTheFirstBadLine() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    try write(6, to: path)
    let whole = try octets(path)
    let ends = [0] + whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    // A changed digit in a member: the line itself still reads, the next one no longer chains.
    var changed = whole
    let at = try #require(whole[..<ends[3]].lastIndex(of: UInt8(ascii: "2")))
    #expect(at > ends[2])
    changed[at] = UInt8(ascii: "7")
    try put(changed, at: path)
    var report = try AuditReport(checking: path)
    #expect(report.badLine == 4 && report.fault == .broken && report.records == 3)
    // A line taken out, a line twice, two lines swapped.
    try put(Array(whole[..<ends[2]] + whole[ends[3]...]), at: path)
    report = try AuditReport(checking: path)
    #expect(report.badLine == 3 && report.fault == .outOfSequence)
    try put(Array(whole[..<ends[2]] + whole[ends[1]...]), at: path)
    #expect(try AuditReport(checking: path).badLine == 3)
    try put(Array(whole[..<ends[1]] + whole[ends[2]..<ends[3]] + whole[ends[1]..<ends[2]] + whole[ends[3]...]), at: path)
    #expect(try AuditReport(checking: path).badLine == 2)
    try put(whole + [UInt8](repeating: UInt8(ascii: "a"), count: 5000) + [10], at: path)
    report = try AuditReport(checking: path)
    #expect(report.badLine == 7 && report.fault == .tooLong)
    try put(whole + Array("{}\n".utf8), at: path)
    #expect(try AuditReport(checking: path).fault == .malformed)
}

@Test func aRecordTooLongIsRefusedAndNothingIsWritten() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let log = try reopened(path)
    var record = AuditRecord(event: "visit")
    record.add("reasons", .codes([String](repeating: "issuerUnknown", count: 400)))
    #expect(throws: AuditError.recordTooLong) { try log.append(record) }
    record = AuditRecord(event: "visit")
    record.add("seq", .number(7))
    record.add("a", .number(1))
    record.add("a", .number(2))
    try log.append(record)
    let line = String(decoding: try octets(path), as: UTF8.self)
    #expect(line.hasSuffix("\"event\":\"visit\",\"a\":1}\n"))
}

/// After a sync that failed, the disk may hold the record, a part of it, or nothing: the log reads its end again and goes on.
@Test(arguments: [0, 1, 50, 1_000_000]) func aDoubtfulEndIsReadAgain(kept: Int) throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let log = try reopened(path)
    try log.append(visit(1))
    let first = try octets(path).count, promised = log.chain
    try log.append(visit(2))
    let whole = try octets(path)
    truncate(path, min(first + kept, whole.count))
    // What was not promised to anybody.
    log.chain = promised
    try #require(log.file).isDoubtful = true
    try log.append(visit(3))
    let report = try AuditReport(checking: path)
    #expect(report.fault == nil)
    #expect(report.repairs == (kept == 1 || kept == 50 ? 1 : 0))
    #expect(report.records == (kept == 0 ? 2 : 3))
    #expect(log.sequence == report.records)
}
