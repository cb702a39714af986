import BoardTestSupport
import Testing

@testable import Audit

/// A log of nothing but a door: what happened, when, and the record's other members.
private func counted(_ happened: [(what: String, at: UInt64, more: KeyValuePairs<String, AuditValue>)]) throws -> AuditStatistics {
    var log = MadeLog()
    for (what, at, more) in happened {
        guard what != "started", what != "void" else {
            try log.add(what, at: at, more)
            continue
        }
        var members = [("what", AuditValue.code(what))]
        for (name, value) in more { members.append((name, value)) }
        try log.add("door", at: at, pairs: members)
    }
    try log.close()
    let found = try AuditStatistics(of: log.path)
    #expect(found.damagedLines == 0)
    return found
}

/// Ended, seconds together, the longest, and of how many nothing is known.
private func emergencies(_ found: AuditStatistics) -> [UInt64] {
    [found.emergenciesEnded, found.emergencySeconds, found.longestEmergency, found.emergenciesUnknown]
}

@Test func whatHappenedAtTheDoorIsCounted() throws {
    let found = try counted([
        ("opened", 10, ["by": .code("visit")]), ("opened", 20, ["by": .code("visit")]), ("opened", 30, ["by": .code("exit")]),
        ("held", 40, [:]), ("held-ended", 50, [:]), ("forced", 60, [:]), ("lines-lost", 70, [:]), ("lines-back", 80, [:]),
        ("supervisor-armed", 90, [:]), ("supervisor-expired", 100, [:]), ("burst-open", 110, [:]),
    ])
    #expect(
        found.doorEvents.texts == [
            "opened 3", "burst-open 1", "forced 1", "held 1", "held-ended 1", "lines-back 1", "lines-lost 1", "supervisor-armed 1",
            "supervisor-expired 1",
        ])
    #expect(found.doorCauses.texts == ["visit 2", "exit 1"] && found.doorUnrecorded == 0)
    #expect(found.events.texts == ["door 11"] && found.visits == 0 && emergencies(found) == [0, 0, 0, 0])
}

/// What a record `more` counts belongs to its kind, whichever it is; only the exit button opens without a record each.
@Test(arguments: [
    "opened", "held", "held-ended", "forced", "tamper", "tamper-ended", "lines-lost", "lines-back", "emergency", "emergency-ended",
    "supervisor-armed", "supervisor-used", "supervisor-expired", "of-another-year",
])
func whatHadNoRecordIsInItsKind(kind: String) throws {
    let found = try counted([(kind, 10, [:]), ("more", 20, ["kind": .code(kind), "count": .number(41)])])
    #expect(found.doorEvents.texts == ["\(kind) 42"] && found.doorUnrecorded == 41)
    #expect(found.doorCauses.texts == (kind == "opened" ? ["exit 41"] : []))
}

@Test func aCountThatIsNoneStopsNothing() throws {
    let found = try counted([
        ("more", 10, [:]), ("more", 20, ["kind": .code("held")]), ("more", 30, ["kind": .code("held"), "count": .number(-3)]),
        ("more", 40, ["kind": .code("forced"), "count": .number(.max)]), ("more", 50, ["kind": .code("forced"), "count": .number(.max)]),
        ("more", 60, ["kind": .code("forced"), "count": .number(.max)]), ("more", 70, ["kind": .number(3), "count": .code("many")]),
    ])
    #expect(found.doorEvents.rows.map(\.name) == ["forced", "more"] && found.doorEvents.rows.map(\.count) == [.max, 2])
    #expect(found.doorUnrecorded == .max && found.damagedLines == 0)
}

@Test func anEmergencyLastsFromItsRecordToThatOfItsEnd() throws {
    let found = try counted([
        ("emergency", 100, [:]), ("opened", 110, ["by": .code("exit")]), ("emergency-ended", 160, [:]), ("emergency", 200, [:]),
        ("emergency-ended", 205, [:]),
    ])
    #expect(emergencies(found) == [2, 65, 60, 0])
}

/// A length is said only where it is sure.
@Test func anEmergencyWithoutItsEndHasNoLength() throws {
    #expect(emergencies(try counted([("emergency", 100, [:])])) == [0, 0, 0, 1])
    // The log was asked from the middle on.
    #expect(emergencies(try counted([("emergency-ended", 100, [:])])) == [0, 0, 0, 0])
    // A gate that was killed closed nothing, and the next one finds it again.
    #expect(
        emergencies(try counted([("emergency", 100, [:]), ("started", 900, [:]), ("emergency", 901, [:]), ("emergency-ended", 911, [:])]))
            == [1, 10, 10, 1])
    #expect(emergencies(try counted([("emergency", 100, [:]), ("started", 900, [:]), ("emergency-ended", 911, [:])])) == [0, 0, 0, 1])
    // The clock was set in between.
    #expect(emergencies(try counted([("emergency", 100, [:]), ("emergency-ended", 99, [:])])) == [0, 0, 0, 1])
    // Its end may be among those that have no record.
    let more: KeyValuePairs<String, AuditValue> = ["kind": .code("emergency-ended"), "count": .number(4)]
    #expect(emergencies(try counted([("emergency", 100, [:]), ("more", 110, more), ("emergency-ended", 120, [:])])) == [0, 0, 0, 1])
    let begun: KeyValuePairs<String, AuditValue> = ["kind": .code("emergency"), "count": .number(4)]
    #expect(emergencies(try counted([("more", 110, begun), ("emergency", 115, [:]), ("emergency-ended", 120, [:])])) == [1, 5, 5, 4])
}

/// A record whose way to the disk failed, and which is written once more.
@Test func whatDidNotHappenAtTheDoorIsNotCounted() throws {
    let found = try counted([
        ("forced", 10, [:]), ("emergency", 20, [:]), ("void", 30, ["of": .number(2)]), ("emergency", 31, [:]), ("emergency-ended", 41, [:]),
        ("held", 50, [:]), ("void", 60, ["of": .number(6)]),
    ])
    #expect(found.doorEvents.texts == ["emergency 1", "emergency-ended 1", "forced 1"] && emergencies(found) == [1, 10, 10, 0])
    #expect(found.void == 0)
}

@Test func tenThousandKindsTakeNoMoreRoomThanSome() throws {
    let stage = Stage(), zeros = AuditLine.firstPrevious
    var octets: [UInt8] = []
    for number in 1...10_000 {
        octets += "{\"seq\":\(number),\"prev\":\"\(zeros)\",\"at\":\(number),\"event\":\"door\",\"what\":\"w\(number)\",".utf8
        octets += "\"by\":\"b\(number)\"}\n".utf8
    }
    try stage.put(octets, "audit.jsonl")
    let found = try AuditStatistics(of: stage.path("audit.jsonl"))
    // Names that a gate has keep their rows.
    #expect(found.doorEvents.rows.count == AuditTally.mostCodes - 14 && found.doorCauses.rows.count == AuditTally.mostCodes - 1)
    #expect(found.doorEvents.others == 10_000 - 114 && found.doorCauses.others == 10_000 - 127)
}

@Test func thePictureSaysWhatSomebodyMayAskAbout() throws {
    let found = try counted([
        ("opened", 10, ["by": .code("visit")]), ("held", 20, [:]), ("held-ended", 25, [:]), ("forced", 30, [:]), ("forced", 31, [:]),
    ])
    #expect(AuditChart(found).svg.contains(">at the door: forced 2, held 1<"))
    #expect(!AuditChart(try counted([("opened", 10, ["by": .code("visit")])])).svg.contains("at the door"))
}
