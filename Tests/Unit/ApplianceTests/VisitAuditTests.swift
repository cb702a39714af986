import Audit
import BoardTestSupport
import Foundation
import Testing

@testable import Appliance
@testable import Visit

@Test("a visit that is refused for one reason a thousand times over still has its record")
func aReasonIsRecordedOnce() throws {
    var visit = VisitRecord(visit: 1, outcome: .rejected)
    visit.reasons = (0..<1000).flatMap { _ in [.credential(.credentialRule(.missing(.evidenceType))), .credential(.expired)] }
    let record = AuditRecord(visit)
    let position = try #require(record.names.firstIndex(of: "reasons"))
    #expect(record.values[position] == .codes(["credential-rule", "expired"]))
    let stage = Stage()
    try AuditLog(stage.path("audit.jsonl")).append(record)
}

@Test("links that came to nothing are recorded by their number and kind, and nothing else")
func fruitlessLinksAreCounts() throws {
    var fruitless = AbandonedLinks()
    (fruitless.left, fruitless.refused, fruitless.step, fruitless.milliseconds) = (2, 10, 3, 31_500)
    let record = AuditRecord(fruitless)
    #expect(record.event == "fruitless")
    #expect(record.names == ["links", "left", "refused", "shortened", "overMs"])
    #expect(record.values == [.number(12), .number(2), .number(10), .number(3), .number(31_500)])
    #expect(fruitless.line == "12 links came to nothing in 31 s: left 2, refused 10")
    let stage = Stage()
    let log = try AuditLog(stage.path("audit.jsonl"))
    try log.append(record)
    (fruitless.left, fruitless.silent, fruitless.failed, fruitless.visits, fruitless.rejected, fruitless.refused) = (
        1 << 50, 1 << 50, 1 << 50, 1 << 50, 1 << 50, 1 << 50
    )
    (fruitless.step, fruitless.milliseconds) = (.max, .max)
    try log.append(AuditRecord(fruitless))
}

@Test("the record of a visit that was too slow names the deadline")
func aSlowVisitsRecordNamesTheDeadline() {
    var visit = VisitRecord(visit: 1, outcome: .timedOut)
    visit.deadline = .pace
    visit.step = 2
    let record = AuditRecord(visit)
    #expect(record.names == ["visit", "outcome", "deadline", "shortened"])
    #expect(record.values == [.number(1), .code("timed-out"), .code("pace"), .number(2)])
    #expect(visit.line == "visit 1 timed-out: pace")
}
