import Synchronization
import Testing

@testable import Appliance

private let second: UInt64 = 1_000_000_000
private let well = GateStatus(isControllerUp: true, isScreenUp: true, areLampsUp: true)

/// A trial, and what it did.
private final class Run {
    var confirmed = 0, takenBack = 0
    var confirmation = SiteTrial.Confirmation.kept
    private(set) var trial: SiteTrial?

    init(_ change: (inout SiteTrial.Changes) -> Void = { _ in }) {
        var changes = SiteTrial.Changes()
        change(&changes)
        trial = SiteTrial(
            changes, now: 0,
            confirm: { [unowned self] in
                confirmed += 1
                return confirmation
            }, takeBack: { [unowned self] in takenBack += 1 })
    }

    func pass(_ seconds: UInt64, _ status: GateStatus) -> String? { trial?.pass(seconds * second, status) }
}

@Suite struct SiteTrialTests {
    private func status(_ change: (inout GateStatus) -> Void) -> GateStatus {
        var status = well
        change(&status)
        return status
    }

    @Test("a file is kept after a full minute with the controller up, and not as soon as it comes up")
    func minute() {
        let run = Run()
        for seconds in [0, 1, 59] as [UInt64] { #expect(run.pass(seconds, well) == nil && run.confirmed == 0) }
        #expect(run.trial?.due == 60 * second)
        // The minute is one: a controller that comes and goes proves nothing.
        #expect(run.pass(60, status { $0.isControllerUp = false }) == nil && run.confirmed == 0)
        #expect(run.pass(61, well) == nil && run.pass(120, well) == nil && run.confirmed == 0)
        #expect(run.trial?.isKept == false)
        #expect(run.pass(121, well) == nil && run.confirmed == 1 && run.trial?.due == nil && run.trial?.isKept == true)
        #expect(run.pass(999, status { $0.isControllerUp = false }) == nil && run.confirmed == 1)
    }

    @Test("what cannot be confirmed now is confirmed later")
    func again() {
        let run = Run()
        run.confirmation = .later
        _ = run.pass(0, well)
        for (seconds, count) in [(60, 1), (61, 1), (119, 1), (120, 2)] as [(UInt64, Int)] {
            #expect(run.pass(seconds, well) == nil && run.confirmed == count)
        }
        run.confirmation = .kept
        #expect(run.trial?.due == 180 * second && run.pass(180, well) == nil && run.confirmed == 3 && run.trial?.due == nil)
    }

    @Test("a file that another one took the place of is over, and nothing it set was proven")
    func replaced() {
        let run = Run()
        run.confirmation = .replaced
        _ = run.pass(0, well)
        #expect(
            run.pass(60, well) == nil && run.confirmed == 1 && run.trial?.isOpen == false && run.trial?.isKept == false
                && run.trial?.due == nil)
    }

    @Test(
        "nobody shut out by what the file sets: such a file is never kept, and the gate ends",
        arguments: [
            ClosedCause.noScreen, .noCamera, .noMatcher, .noThreshold, .recordsFull,
        ])
    func closed(_ cause: ClosedCause) {
        let shut = status { $0.closed = ClosedCauses(cause) }
        let run = Run { $0.causes.insert(cause) }
        for seconds in [0, 60, 179] as [UInt64] { #expect(run.pass(seconds, shut) == nil && run.confirmed == 0) }
        #expect(run.pass(180, shut)?.contains(cause.code) == true && run.confirmed == 0 && run.trial?.isKept == false)
        run.trial?.end(isBroken: true)
        #expect(run.takenBack == 0)
        // The same where the file did not touch it, and others that no file causes.
        let other = Run()
        _ = other.pass(0, shut)
        #expect(other.pass(60, status { $0.closed = [ClosedCauses(cause), ClosedCauses(.trustExpired)] }) == nil && other.confirmed == 1)
    }

    @Test("a controller or lamps elsewhere have to come up within three minutes; where the file leaves them alone, they are waited for")
    func elsewhere() {
        let lost = status { $0.isControllerUp = false }, dark = status { $0.areLampsUp = false }
        let controller = Run { $0.controller = true }, lamps = Run { $0.lamps = true }, neither = Run()
        _ = (controller.pass(0, lost), lamps.pass(0, dark), neither.pass(0, lost))
        #expect(controller.pass(180, lost) != nil && lamps.pass(180, dark) != nil)
        #expect(neither.pass(1000, lost) == nil && neither.confirmed == 0)
        #expect(neither.pass(1001, dark) == nil && neither.pass(1061, dark) == nil && neither.confirmed == 1)
    }

    @Test("which ends count against the file")
    func ends() {
        let lost = status { $0.isControllerUp = false }
        func counts(
            _ isBroken: Bool, _ status: GateStatus, after seconds: UInt64 = 30, _ change: (inout SiteTrial.Changes) -> Void = { _ in }
        ) -> Bool {
            let run = Run(change)
            _ = (run.pass(0, status), run.pass(seconds, status))
            run.trial?.end(isBroken: isBroken)
            return run.takenBack == 0
        }
        #expect(!counts(false, well), "somebody ended it")
        #expect(!counts(false, lost), "and there was no controller where there always was one")
        #expect(!counts(true, lost), "which is what it ended of")
        #expect(counts(true, well), "what starts matchers is gone, perhaps by the camera the file names")
        #expect(counts(true, lost) { $0.controller = true })
        #expect(counts(false, lost) { $0.controller = true }, "whoever ends it did so because it did not come up")
        #expect(!counts(false, lost, after: 2) { $0.controller = true }, "too early to tell")
    }
}
