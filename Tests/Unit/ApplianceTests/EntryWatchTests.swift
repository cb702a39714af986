import Audit
import BoardTestSupport
import Credentials
import Testing
import Trust

@testable import Appliance

private let second: UInt64 = 1_000_000_000
private let day: Int64 = 86_400

private func store(endsIn seconds: Int64, highWater: Int64 = 0) throws -> TrustStore {
    var bundle = TestBundle()
    bundle.notAfter = TestBundle.now + seconds
    let made = try bundle.bundle()
    return try made.store().under(TrustTerms(made, highWater: highWater))
}

@Test func aBundleThatEndsClosesTheGateAtThatSecond() throws {
    var watch = EntryWatch(try store(endsIn: 12))
    _ = watch.pass(0, wall: TestBundle.now, uptime: 0)
    #expect(watch.causes == [] && watch.nextLook == 5 * second)
    _ = watch.pass(10 * second, wall: TestBundle.now + 10, uptime: 10)
    // Two seconds before the end: not five later.
    #expect(watch.causes == [] && watch.nextLook == 12 * second)
    _ = watch.pass(12 * second, wall: TestBundle.now + 12, uptime: 12)
    #expect(watch.causes == ClosedCauses(.trustExpired))
    watch.believe(try store(endsIn: 100 * day))
    _ = watch.pass(12 * second + 1, wall: TestBundle.now + 12, uptime: 12)
    #expect(watch.causes == [] && watch.warning == nil)
}

@Test func aClockThatIsSetWhileTheGateRunsIsSeen() throws {
    var watch = EntryWatch(try store(endsIn: 100 * day, highWater: TestBundle.now))
    _ = watch.pass(0, wall: 0, uptime: 0)
    #expect(watch.causes == ClosedCauses(.clockInDoubt))
    _ = watch.pass(5 * second, wall: TestBundle.now + 5, uptime: 5)
    #expect(watch.causes == [])
    _ = watch.pass(10 * second, wall: TestBundle.now + 101 * day, uptime: 10)
    #expect(watch.causes == ClosedCauses(.trustExpired))
}

@Test(
    arguments: [(15, nil), (13, "trust ends in 13 days"), (1, "trust ends in 1 day"), (0, "trust ends within a day")] as [(Int64, String?)])
func anEndIsToldInDaysBeforeItComes(days: Int64, warning: String?) throws {
    var watch = EntryWatch(try store(endsIn: days * day + 3600))
    let said = watch.pass(0, wall: TestBundle.now, uptime: 0)
    #expect(watch.warning == warning && said.count == (warning == nil ? 0 : 1))
    // Once a day.
    #expect(watch.pass(86_399 * second, wall: TestBundle.now + 60, uptime: 60).isEmpty)
    #expect(watch.pass(86_410 * second, wall: TestBundle.now + 60, uptime: 60).count == said.count)
}

@Test(arguments: [(90, nil), (89, "the update root ends in 89 days"), (-1, "the update root has ended")] as [(Int64, String?)])
func theEndOfUpdatesIsToldLongBeforeWhoeverIsBelieved(days: Int64, warning: String?) throws {
    let end = TrustEnd(part: .updateRoot, time: TestBundle.now + days * day + 60)
    var watch = EntryWatch(.nobody, others: [end])
    #expect(watch.pass(0, wall: TestBundle.now, uptime: 0).count == (warning == nil ? 0 : 1))
    #expect(watch.warning == warning)
    watch.believe(try store(endsIn: 20 * day))
    let said = watch.pass(1, wall: TestBundle.now, uptime: 0)
    #expect(
        watch.warning == warning
            && said.allSatisfy {
                $0.hasPrefix("the certificate of updates") && $0.hasSuffix("an image \(days < 0 ? "that has" : "with") a newer one")
            })
    // What closes the gate comes first, also where updates have ended before.
    watch.believe(try store(endsIn: 10 * day))
    _ = watch.pass(5 * second + 2, wall: TestBundle.now, uptime: 5)
    #expect(watch.warning == ["trust ends in 10 days", warning].compactMap(\.self).joined(separator: ", "))
}

@Test func anEndIsToldByTheTimeItIsNowAlsoWhereTheClockIsSet() throws {
    let end = TrustEnd(part: .updateRoot, time: TestBundle.now + 300 * day)
    var watch = EntryWatch(try store(endsIn: 250 * day, highWater: TestBundle.now), others: [end])
    #expect(watch.pass(0, wall: 0, uptime: 0).isEmpty && watch.warning == nil)
    // A time server that lies by a year, for ten seconds.
    let said = watch.pass(5 * second, wall: TestBundle.now + 365 * day, uptime: 5)
    #expect(said.count == 2 && watch.warning == "trust has ended, the update root has ended")
    #expect(watch.pass(10 * second, wall: TestBundle.now + 365 * day, uptime: 10).isEmpty)
    #expect(watch.pass(15 * second, wall: TestBundle.now + 15, uptime: 15).isEmpty && watch.warning == nil)
    // And what comes near afterwards is told at once, but not twice a day.
    #expect(
        watch.pass(20 * second, wall: TestBundle.now + 240 * day, uptime: 20).isEmpty
            && watch.warning == "trust ends in 10 days, the update root ends in 60 days")
}

@Test func whatEndsIsToldWhenTheVisitorIsGone() throws {
    var watch = EntryWatch(try store(endsIn: 10 * day + 60))
    #expect(watch.pass(4000 * second, wall: TestBundle.now, uptime: 0).count == 1 && watch.warning == "trust ends in 10 days")
    // Another day begins during a visit: the gate closes in time all the same.
    #expect(watch.pass(4005 * second, wall: TestBundle.now + 61, uptime: 5, isServing: true).isEmpty)
    #expect(watch.warning == "trust ends in 10 days" && watch.causes == [])
    _ = watch.pass(4006 * second, wall: TestBundle.now + 62, uptime: 6)
    #expect(watch.warning == "trust ends in 10 days", "it is looked every five seconds")
    _ = watch.pass(4010 * second, wall: TestBundle.now + 66, uptime: 10)
    #expect(watch.warning == "trust ends in 9 days")
    _ = watch.pass(4015 * second, wall: TestBundle.now + 11 * day, uptime: 15, isServing: true)
    #expect(watch.causes == ClosedCauses(.trustExpired) && watch.warning == "trust ends in 9 days")
}

@Test func whoStandsThereAllDayKeepsNoWarningFromBeingTold() throws {
    var watch = EntryWatch(try store(endsIn: 10 * day + 60))
    _ = watch.pass(4000 * second, wall: TestBundle.now, uptime: 0)
    _ = watch.pass(7599 * second, wall: TestBundle.now + 3599, uptime: 3599, isServing: true)
    #expect(watch.warning == "trust ends in 10 days")
    _ = watch.pass(7604 * second, wall: TestBundle.now + 3604, uptime: 3604, isServing: true)
    #expect(watch.warning == "trust ends in 9 days")
}

@Test func aBundleThatComesDuringAVisitIsLookedAtAtOnce() throws {
    var watch = EntryWatch(try store(endsIn: 10 * day + 60))
    _ = watch.pass(100 * second, wall: TestBundle.now, uptime: 0)
    watch.believe(try store(endsIn: 100 * day))
    _ = watch.pass(101 * second, wall: TestBundle.now, uptime: 1, isServing: true)
    #expect(watch.warning == nil)
}

@Test func whatIsSoForGoodStaysWhateverIsBelieved() throws {
    var watch = EntryWatch(.nobody, standing: ClosedCauses(.noCamera))
    #expect(watch.causes == ClosedCauses(.noCamera))
    _ = watch.pass(0, wall: TestBundle.now, uptime: 0)
    #expect(watch.causes == [ClosedCauses(.noCamera), ClosedCauses(.noTrust)])
    watch.believe(try store(endsIn: 100 * day))
    _ = watch.pass(1, wall: TestBundle.now, uptime: 0)
    #expect(watch.causes == ClosedCauses(.noCamera))
}

@Test func recordsThatCannotBeWrittenCloseTheGate() {
    #expect(ClosedCauses(AuditState.writable) == [])
    #expect(ClosedCauses(.full(.diskFull)).codes == "records-full" && ClosedCauses(.full(.logFull)).codes == "records-full")
    #expect(ClosedCauses(.failing(.readOnly)).codes == "records-failing")
}

@Test func everyCauseHasACodeAndSaysWhatToDo() {
    #expect(Set(ClosedCause.allCases.map(\.code)).count == ClosedCause.allCases.count)
    for cause in ClosedCause.allCases {
        #expect(cause.sentence.contains(": "), "a cause, a colon, a remedy")
        #expect(ClosedCauses(cause).list == [cause])
    }
}

@Test func theStatusIsOneLine() {
    #expect(GateStatus(isControllerUp: true, isScreenUp: nil, areLampsUp: true).text == "controller up; lamps up")
    #expect(GateStatus(isControllerUp: false, isScreenUp: false, areLampsUp: false).text == "no controller; no screen; no lamps")
}
