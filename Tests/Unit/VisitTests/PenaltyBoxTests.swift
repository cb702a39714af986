import Bluetooth
import Testing

@testable import Visit

/// Who is remembered, for how long, and what it costs them: to the millisecond.
@Suite struct PenaltyBoxTests {
    /// A memory and a clock.
    final class Memory {
        private let entries = UnsafeMutableBufferPointer<PenaltyBox.Entry>.allocate(capacity: PenaltyBox.capacity)
        var box: PenaltyBox
        var now = Instant(nanoseconds: 1_000_000_000)

        init() {
            entries.initialize(repeating: PenaltyBox.Entry())
            box = PenaltyBox(entries)
        }

        deinit { entries.deallocate() }

        func wait(_ milliseconds: UInt64) { now = now.adding(milliseconds: milliseconds) }
        func inVain(_ address: UInt64, held: UInt64 = 0) {
            box.countAbandoned(DeviceAddress(value: address), held: held, at: now)
        }
        func welcomed(_ address: UInt64) { box.welcome(DeviceAddress(value: address)) }
        func isRefused(_ address: UInt64) -> Bool { box.isRefused(DeviceAddress(value: address), at: now) }
        var step: UInt8 { box.step(at: now) }
    }

    // MARK: by address

    @Test func aPhoneThatFailedThreeTimesIsServed() {
        let memory = Memory()
        for _ in 0..<3 {
            memory.inVain(7)
            #expect(!memory.isRefused(7))
        }
    }

    @Test func oneMoreCostsTwoSecondsAndEachFurtherOneTwiceAsMuch() {
        let memory = Memory()
        for _ in 0..<3 { memory.inVain(7) }
        for milliseconds in [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000] as [UInt64] {
            // The minute before the last one is forgiven again when it is over.
            memory.inVain(7)
            #expect(memory.isRefused(7))
            #expect(!memory.isRefused(8))
            memory.wait(milliseconds - 1)
            #expect(memory.isRefused(7), "\(milliseconds)")
            memory.wait(1)
            #expect(!memory.isRefused(7), "\(milliseconds)")
        }
    }

    @Test(arguments: 0...255 as ClosedRange<UInt8>)
    func noCountRefusesForLongerThanAMinute(_ count: UInt8) {
        #expect(PenaltyBox.refusalMilliseconds(count) <= 60_000)
        #expect((PenaltyBox.refusalMilliseconds(count) == 0) == (count <= 3))
    }

    @Test func oneIsForgottenEachMinute() {
        let memory = Memory()
        for _ in 0..<4 { memory.inVain(7) }
        memory.wait(59_999)
        memory.inVain(7)
        // The fifth: nothing was forgotten yet.
        memory.wait(3_999)
        #expect(memory.isRefused(7))
        memory.wait(56_001)
        // A minute: four are left, and the next makes five again.
        memory.inVain(7)
        memory.wait(3_999)
        #expect(memory.isRefused(7))
        memory.wait(1)
        #expect(!memory.isRefused(7))
        // Five minutes: none is left, three are free.
        memory.wait(5 * 60_000)
        for _ in 0..<3 { memory.inVain(7) }
        #expect(!memory.isRefused(7))
        memory.inVain(7)
        #expect(memory.isRefused(7))
    }

    @Test func tryingAgainWhileRefusedLengthensNothing() {
        let memory = Memory()
        for _ in 0..<4 { memory.inVain(7) }
        for _ in 0..<19 {
            memory.wait(100)
            #expect(memory.isRefused(7))
        }
        memory.wait(100)
        #expect(!memory.isRefused(7))
    }

    @Test func whoeverComesBackStaysRememberedUnderAFloodOfFreshAddresses() {
        let memory = Memory()
        for _ in 0..<9 { memory.inVain(7) }
        for stranger in 100..<1100 as Range<UInt64> { memory.inVain(stranger) }
        #expect(memory.isRefused(7))
    }

    @Test func amongThoseWhoCameOnceTheOldestIsForgotten() {
        let memory = Memory()
        // 32 places: the first two strangers have lost theirs when the 34th has come.
        for stranger in 1...34 as ClosedRange<UInt64> {
            memory.wait(1)
            memory.inVain(stranger)
        }
        // Three more each: with the one remembered that makes four.
        for _ in 0..<3 { memory.inVain(34) }
        #expect(memory.isRefused(34))
        for _ in 0..<3 { memory.inVain(1) }
        #expect(!memory.isRefused(1))
        for _ in 0..<3 { memory.inVain(20) }
        #expect(memory.isRefused(20))
    }

    @Test func anAddressOfZeroIsAnAddress() {
        let memory = Memory()
        #expect(!memory.isRefused(0))
        for _ in 0..<4 { memory.inVain(0) }
        #expect(memory.isRefused(0))
    }

    // MARK: by progress

    @Test func threeInARowShortenByAStepUpToTheFloor() {
        let memory = Memory()
        var steps: [UInt8] = [memory.step]
        for stranger in 1...14 as ClosedRange<UInt64> {
            memory.inVain(stranger)
            steps.append(memory.step)
        }
        #expect(steps == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3])
    }

    @Test func timeHeldCountsLikeLinksDo() {
        let memory = Memory()
        memory.inVain(1, held: 29_999)
        memory.inVain(2, held: 59_999)
        #expect(memory.step == 1)
        // One alone, however long, takes little; a second and a third make it the least.
        let endless = Memory()
        var steps: [UInt8] = []
        for stranger in 1...4 as ClosedRange<UInt64> {
            endless.inVain(stranger, held: .max)
            steps.append(endless.step)
        }
        #expect(steps == [1, 2, 3, 3])
    }

    @Test func timeHeldForgivesNothing() {
        let memory = Memory()
        var steps: [UInt8] = []
        for stranger in 1...3 as ClosedRange<UInt64> {
            memory.wait(630_000)
            memory.inVain(stranger, held: 630_000)
            steps.append(memory.step)
        }
        #expect(steps == [1, 2, 3])
    }

    @Test func aLinkInNobodysNameCountsAgainstNoAddress() {
        let memory = Memory()
        for _ in 0..<12 { memory.box.countAbandoned(nil, held: 0, at: memory.now) }
        #expect(memory.step == 3)
        #expect(!memory.isRefused(0))
    }

    @Test func patienceComesBackStepByStep() {
        let memory = Memory()
        for stranger in 1...50 as ClosedRange<UInt64> { memory.inVain(stranger) }
        var steps: [UInt8] = []
        for _ in 0..<12 {
            memory.wait(29_999)
            steps.append(memory.step)
            memory.wait(1)
        }
        #expect(steps == [3, 3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0])
        #expect(memory.step == 0)
        memory.wait(3_600_000)
        #expect(memory.step == 0)
    }

    @Test func whoIsLetInBringsPatienceBackForEverybody() {
        let memory = Memory()
        for _ in 0..<5 { memory.inVain(7) }
        for _ in 0..<5 { memory.inVain(8) }
        memory.welcomed(7)
        #expect(memory.step == 0)
        #expect(!memory.isRefused(7))
        // But not for an address that kept coming in vain.
        #expect(memory.isRefused(8))
        memory.welcomed(99)
        #expect(memory.isRefused(8))
    }

    @Test func aClockThatStandsOrJumpsIsSurvived() {
        let memory = Memory()
        memory.now = Instant(nanoseconds: .max)
        for _ in 0..<300 { memory.inVain(7, held: .max) }
        #expect(memory.isRefused(7))
        memory.now = Instant(nanoseconds: 0)
        #expect(memory.isRefused(7))
        memory.inVain(7)
        #expect(memory.step == 3)
    }

    // MARK: records

    @Test func theBudgetHasABurstAndThenSoManyAnHour() {
        var budget = RecordBudget(burst: 128, milliseconds: 1000)
        #expect(budget.nextAt.nanoseconds == 0)
        var now = Instant(nanoseconds: 500_000_000_000)

        func take(_ most: Int) -> Int {
            for taken in 0..<most where !budget.take(at: now) { return taken }
            return most
        }

        #expect(take(1000) == 128)
        for _ in 0..<20 {
            now = now.adding(milliseconds: 999)
            #expect(take(10) == 0)
            now = now.adding(milliseconds: 1)
            #expect(take(10) == 1)
        }
        now = now.adding(milliseconds: 10_000_000)
        #expect(take(1000) == 128)
        #expect(budget.nextAt == now.adding(milliseconds: 1000))
        // What a stranger can do in a day, and what is kept for who has a genuine credential.
        budget = RecordBudget.strangers
        now = Instant(nanoseconds: 500_000_000_000)
        var taken = 0
        for _ in 0..<8_640 {
            now = now.adding(milliseconds: 10_000)
            taken += take(2)
        }
        #expect((64 + 479...64 + 480).contains(taken))
    }
}
