import BoardTestSupport
import Foundation
import Testing

@testable import Audit

/// A morning at a gate: two segments, one visit of each kind, a restart, and a last line that was cut short.
private func morning() throws -> MadeLog {
    var log = MadeLog()
    try log.add(
        "started", at: 21_601, ["version": .code("7"), "name": .code("NORTH"), "gate": .code("10000000abcdef01"), "face": .code("off")])
    for (number, time) in [10, 20, 30].enumerated() {
        try log.add(
            "visit", at: 22_000 + UInt64(number),
            [
                "visit": .number(Int64(number)), "outcome": .code("accepted"), "form": .code("sd_jwt"),
                "issuer": .code("https://a.example"),
                "bundle": .number(3), "holder": .code("bound"), "faceMs": .number(500), "notes": .codes(["status-stale"]),
                "identifiedMs": .number(Int64(time)), "receivedMs": .number(Int64(10 * time)), "decidedMs": .number(Int64(20 * time)),
            ])
    }
    try log.add(
        "visit", at: 22_800,
        [
            "outcome": .code("rejected"), "reasons": .codes(["issuer-unknown", "expired"]), "form": .code("ldp_vc"),
            "decidedMs": .number(9000),
        ])
    try log.seal(at: 25_000)
    try log.add("visit", at: 25_200, ["outcome": .code("left"), "identifiedMs": .number(40)])
    try log.add("visit", at: 25_800, ["outcome": .code("timed-out"), "deadline": .code("pick")])
    try log.add("visit", at: 26_400, ["outcome": .code("failed"), "error": .code("too-many-missing")])
    try log.add("fruitless", at: 27_000, ["links": .number(12), "left": .number(2), "refused": .number(10), "overMs": .number(31_000)])
    try log.add("visit", at: 28_800, ["outcome": .code("accepted"), "form": .code("cwt"), "issuer": .code("https://b.example")])
    try log.add("void", at: 28_801, ["of": .number(Int64(log.sequence))])
    try log.add("resumed", at: 28_920, ["after": .code("full")])
    try log.add("started", at: 33_000, ["name": .code("NORTH"), "gate": .code("10000000abcdef01")])
    log.damage(#"{"seq":15,"prev":"00"#)
    try log.close()
    return log
}

@Test func statisticsCountEachRecordOnce() throws {
    let log = try morning()
    let found = try AuditStatistics(of: log.path)
    #expect(found.records == 14 && found.firstRecord == 1 && found.lastRecord == 14 && found.segments == 2)
    #expect(found.missing == 0 && found.repeated == 0 && found.clockWentBack == 0)
    let midnight = Int64(MadeLog.midnight)
    #expect(found.earliest == midnight + 21_601 && found.latest == midnight + 33_000)
    #expect(found.visits == 7 && found.accepted == 3 && found.rejected == 1 && found.withoutVerdict == 3)
    #expect(found.outcomes.texts == ["accepted 3", "failed 1", "left 1", "rejected 1", "timed-out 1"])
    #expect(found.reasons.texts == ["expired 1", "issuer-unknown 1"])
    #expect(found.forms.texts == ["sd_jwt 3", "ldp_vc 1"])
    #expect(found.issuers.texts == ["https://a.example 3"])
    #expect(found.deadlines.texts == ["pick 1"] && found.errors.texts == ["too-many-missing 1"])
    #expect(found.links == 12)
    #expect(found.linkKinds.map { "\($0.name) \($0.count)" } == ["left 2", "silent 0", "failed 0", "visits 0", "rejected 0", "refused 10"])
    #expect(found.starts == 2 && found.gateName == "NORTH" && found.gateID == "10000000abcdef01")
    #expect(found.events.texts == ["visit 8", "started 2", "fruitless 1", "resumed 1", "segment 1", "void 1"])
}

@Test func statisticsKnowTheHoursAndTheTimes() throws {
    let log = try morning()
    let found = try AuditStatistics(of: log.path)
    let hours = found.hours.map { [UInt64($0.hour * 3600) - MadeLog.midnight, $0.accepted, $0.rejected, $0.withoutVerdict, $0.links] }
    #expect(hours == [[21_600, 3, 1, 0, 0], [25_200, 0, 0, 3, 12]])
    #expect(found.elsewhere.visits == 0 && found.elsewhere.links == 0)
    let times = found.times.map { "\($0.name) \($0.visits) \($0.median ?? -1) \($0.p95 ?? -1)" }
    #expect(times == ["identified 4 20 40", "received 3 200 300", "opened 0 -1 -1", "decided 4 400 9000", "face 3 500 500"])
}

/// Nobody wrote down when the log could not be written any more: the last visit before is a bound.
@Test func aVoidVisitIsNotCountedAndAnOutageHasABound() throws {
    let log = try morning()
    let found = try AuditStatistics(of: log.path)
    #expect(found.void == 1 && found.outagesAfterFull == 1 && found.outagesAfterFailing == 0)
    #expect(found.outageSeconds == 120 && found.outagesUnknown == 0)
    var unknown = MadeLog()
    try unknown.add("started", at: 1)
    try unknown.add("resumed", at: 2, ["after": .code("failing")])
    try unknown.close()
    let other = try AuditStatistics(of: unknown.path)
    #expect(other.outagesAfterFailing == 1 && other.outagesUnknown == 1 && other.outageSeconds == 0)
    // One after the other, without a visit in between.
    try unknown.add("started", at: 30)
    try unknown.add("resumed", at: 32, ["after": .code("full")])
    try unknown.close()
    let again = try AuditStatistics(of: unknown.path)
    #expect(again.outagesAfterFull == 1 && again.outagesUnknown == 1 && again.outageSeconds == 30)
}

@Test func aTornLastLineIsCountedAndSaid() throws {
    let log = try morning()
    let found = try AuditStatistics(of: log.path)
    #expect(found.damagedLines == 1 && found.unreadable.isEmpty)
    #expect(found.damage == [AuditStatistics.Damage(file: "audit.jsonl", line: 10, fault: .torn)])
}

/// Of a segment that was set aside, what stands behind the damage is counted too; the numbers of those lines were given again.
@Test func aDamagedSegmentIsReadToItsEnd() throws {
    var log = MadeLog()
    try log.add("visit", at: 1, ["outcome": .code("accepted")])
    log.damage("no record\n" + String(repeating: "x", count: 300_000) + "\n{}\n\n")
    try log.add("visit", at: 2, ["outcome": .code("rejected")])
    try log.seal(at: 3, isDamaged: true)
    try log.add("visit", at: 4, ["outcome": .code("accepted")])
    try log.close()
    let found = try AuditStatistics(of: log.path)
    #expect(found.visits == 3 && found.accepted == 2 && found.rejected == 1 && found.segments == 2 && found.setAside == [1])
    #expect(found.damagedLines == 4 && found.damage.map(\.fault) == [.malformed, .tooLong, .malformed, .malformed])
    #expect(found.damage.map(\.line) == [2, 3, 4, 5] && found.damage.allSatisfy { $0.file == "audit-00000001.damaged" })
    var facts = stat()
    var octets: UInt64 = 0
    for name in ["audit-00000001.damaged", "audit.jsonl"] where stat(log.stage.path(name), &facts) == 0 { octets += UInt64(facts.st_size) }
    #expect(found.octets == octets)
}

@Test func everyDamagedLineIsCountedAndTheFirstAreNamed() throws {
    var log = MadeLog()
    log.damage(String(repeating: "?\n", count: 1000))
    try log.add("visit", at: 1, ["outcome": .code("left")])
    try log.close()
    let found = try AuditStatistics(of: log.path)
    #expect(found.damagedLines == 1000 && found.damage.count == AuditStatistics.mostNamed && found.visits == 1)
}

@Test func aSegmentThatCannotBeReadIsNamed() throws {
    // Where no page is mapped this file cannot be read, as a disk that fails.
    let found = try AuditStatistics(of: "/proc/self/mem")
    #expect(found.unreadable == ["mem"] && found.records == 0)
}

@Test func anEmptyLogHasNothingToCount() throws {
    let log = MadeLog()
    #expect(throws: AuditError.notFound) { try AuditStatistics(of: log.path) }
    try log.close()
    let found = try AuditStatistics(of: log.path)
    #expect(found.records == 0 && found.visits == 0 && found.hours.isEmpty && found.damagedLines == 0 && found.earliest == nil)
    #expect(found.times.allSatisfy { $0.median == nil && $0.p95 == nil })
}

/// Members and events that this program does not know are no damage, and a visit without an outcome is a visit.
@Test func aLogWithOtherMembersIsCounted() throws {
    var log = MadeLog()
    try log.add("visit", at: 10, ["number": .number(3), "verdict": .code("accept"), "bound": .flag(true)])
    try log.add("visit", at: 20, ["outcome": .code("blessed"), "form": .number(3), "decidedMs": .code("soon"), "reasons": .code("none")])
    try log.add("opened", at: 30, ["door": .flag(false)])
    try log.close()
    let found = try AuditStatistics(of: log.path)
    #expect(found.records == 3 && found.visits == 2 && found.withoutVerdict == 2 && found.damagedLines == 0)
    #expect(found.outcomes.texts == ["blessed 1"] && found.outcomes.others == 1)
    #expect(found.events.texts == ["visit 2", "opened 1"] && found.forms.rows.isEmpty && found.reasons.rows.isEmpty)
}

@Test(
    arguments: [
        (AuditWindow(since: .number(4)), 4...14), (AuditWindow(until: .number(4)), 1...4),
        (AuditWindow(since: .number(3), until: .number(3)), 3...3),
        (AuditWindow(since: .time(Int64(MadeLog.midnight) + 25_200)), 7...14),
        (AuditWindow(until: .time(Int64(MadeLog.midnight) + 22_800)), 1...5),
        (AuditWindow(since: .time(Int64(MadeLog.midnight) + 22_001), until: .number(6)), 3...6),
    ] as [(AuditWindow, ClosedRange<UInt64>)])
func bothEndsOfAWindowBelongToIt(window: AuditWindow, numbers: ClosedRange<UInt64>) throws {
    let log = try morning()
    let found = try AuditStatistics(of: log.path, in: window)
    #expect(found.firstRecord == numbers.lowerBound && found.lastRecord == numbers.upperBound && found.records == UInt64(numbers.count))
    #expect(found.missing == 0)
}

/// What a credential's issuer calls itself is counted as it is, and is nobody's markup.
@Test func hostileNamesAreNamesAndNothingElse() throws {
    let names = ["\u{1B}[2J\r\nvisit 1 accepted", "</text><script>&\"'", "\u{202E}gpj.exe", "a\\\"b\\u0000", "日本 \u{7F}", ""]
    var log = MadeLog()
    try log.add("started", at: 0, ["name": .code("</text><script src=\"http://x\"/>\u{1B}\u{202E}")])
    for name in names { try log.add("visit", at: 1, ["outcome": .code("accepted"), "issuer": .code(name)]) }
    try log.close()
    let found = try AuditStatistics(of: log.path)
    #expect(found.damagedLines == 0 && found.issuers.rows.allSatisfy { $0.count == 1 })
    #expect(Set(found.issuers.rows.map(\.name)) == Set(names))
    let picture = AuditChart(found).svg
    #expect(!picture.contains("<script") && !picture.contains("http://x\"") && !picture.unicodeScalars.contains("\u{202E}"))
    #expect(picture.contains("&lt;/text&gt;&lt;script"))
}

/// Whoever makes names up gets the rows there are, and the rest is counted together.
@Test func aHundredThousandIssuersTakeNoMoreRoomThanSome() throws {
    let stage = Stage(), count = 100_000, zeros = AuditLine.firstPrevious
    var octets: [UInt8] = []
    octets.reserveCapacity(count * 220)
    for number in 1...count {
        octets +=
            "{\"seq\":\(number),\"prev\":\"\(zeros)\",\"at\":\(number * 3600),\"up\":1,\"event\":\"visit\",\"outcome\":\"accepted\",".utf8
        octets += "\"issuer\":\"https://\(number).example\",\"reasons\":[\"r\(number)\"]}\n".utf8
    }
    try stage.put(octets, "audit.jsonl")
    let found = try AuditStatistics(of: stage.path("audit.jsonl"))
    #expect(found.visits == UInt64(count) && found.damagedLines == 0)
    #expect(found.issuers.rows.count == AuditTally.mostIssuers && found.issuers.others == UInt64(count - AuditTally.mostIssuers))
    #expect(found.issuers.rows.allSatisfy { $0.count == 1 })
    #expect(found.reasons.rows.count == AuditTally.mostCodes && found.reasons.others == UInt64(count - AuditTally.mostCodes))
    #expect(found.hours.count == AuditHours.capacity && found.elsewhere.accepted == UInt64(count - AuditHours.capacity))
}

@Test func numbersThatAreMissingOrComeAgainAreSaid() throws {
    let stage = Stage(), zeros = AuditLine.firstPrevious
    let lines = [3, 4, 9, 9, 2, 9_000_000_000_000_000_000].map { number in
        "{\"seq\":\(number),\"prev\":\"\(zeros)\",\"at\":\(100 - number % 7),\"event\":\"fruitless\",\"links\":9223372036854775807}\n"
    }
    try stage.put(lines.joined().utf8, "audit.jsonl")
    let found = try AuditStatistics(of: stage.path("audit.jsonl"))
    #expect(found.records == 6 && found.firstRecord == 3 && found.lastRecord == 9_000_000_000_000_000_000)
    #expect(found.missing == 4 + 9_000_000_000_000_000_000 - 10 && found.repeated == 2)
    // What a record claims is added up to the most there can be.
    #expect(found.links == .max && found.hours.map(\.links) == [.max])
    #expect(found.clockWentBack == 1)
}

/// A segment that is sealed between two looks at the folder has two names for a moment, and is read once.
@Test func aSegmentUnderTwoNamesIsReadOnce() throws {
    let log = try morning()
    link(log.path, log.stage.path("audit-00000002.jsonl"))
    let found = try AuditStatistics(of: log.path)
    #expect(found.records == 14 && found.segments == 2 && found.repeated == 0)
}
