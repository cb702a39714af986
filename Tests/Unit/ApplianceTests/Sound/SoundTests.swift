import Devices
import Testing

@testable import Appliance

private let millisecond: UInt64 = 1_000_000

@Suite struct SoundPatternTests {
    @Test("each pattern begins with a tone, ends in silence, and lasts less than a verdict's light", arguments: SoundPattern.allCases)
    func bounds(pattern: SoundPattern) {
        var sequencer = SoundSequencer()
        #expect(sequencer.frequency == 0 && sequencer.nextChange == nil)
        sequencer.play(pattern, now: 5)
        #expect(sequencer.frequency > 0)
        var now: UInt64 = 5, tones: [UInt32] = [sequencer.frequency]
        while let next = sequencer.nextChange {
            #expect(next > now)
            now = next
            sequencer.passTime(now)
            tones.append(sequencer.frequency)
        }
        #expect(tones.last == 0 && sequencer.frequency == 0)
        #expect(now <= 5 + 1500 * millisecond)
        // A tone and a pause in turn: a buzzer that has one tone tells them apart by number and length.
        #expect(zip(tones, tones.dropFirst()).allSatisfy { ($0 == 0) != ($1 == 0) })
    }

    @Test("the patterns differ in the number or the length of their tones, for a buzzer that has one tone")
    func distinct() {
        let shapes = Set(SoundPattern.allCases.map { $0.steps.map { "\($0.milliseconds)\($0.frequency > 0)" } })
        // An alarm is an attention that nothing covers.
        #expect(shapes.count == SoundPattern.allCases.count - 1)
    }

    @Test("a pattern replaces the one that sounds")
    func replaced() {
        var sequencer = SoundSequencer()
        sequencer.play(.attention, now: 0)
        sequencer.play(.accepted, now: 100 * millisecond)
        #expect(sequencer.frequency == SoundPattern.accepted.steps.first?.frequency)
        #expect(sequencer.nextChange == 180 * millisecond)
    }

    @Test("however late somebody looks, no step is left out or shortened: accepted stays two tones")
    func late() {
        var sequencer = SoundSequencer()
        sequencer.play(.accepted, now: 0)
        // Tone and pause would both be over.
        var tones = [sequencer.frequency]
        for now in [UInt64(300), 301, 359, 360, 609, 610] {
            sequencer.passTime(now * millisecond)
            tones.append(sequencer.frequency)
        }
        #expect(tones == [1760, 0, 0, 0, 2640, 2640, 0])
    }

    @Test("no verdict covers an alarm; when it is over the next pattern is heard, and a new alarm at once")
    func alarm() {
        var sequencer = SoundSequencer()
        sequencer.play(.alarm, now: 0)
        for pattern in [SoundPattern.rejected, .accepted, .attention] { sequencer.play(pattern, now: 100 * millisecond) }
        #expect(sequencer.frequency == SoundPattern.alarm.steps.first?.frequency && sequencer.nextChange == 400 * millisecond)
        for step in [400, 600, 1000] as [UInt64] { sequencer.passTime(step * millisecond) }
        sequencer.play(.rejected, now: SoundPattern.alarm.length)
        #expect(sequencer.frequency == SoundPattern.rejected.steps.first?.frequency)
        sequencer.play(.alarm, now: SoundPattern.alarm.length + 1)
        #expect(sequencer.frequency == SoundPattern.alarm.steps.first?.frequency)
    }
}

/// A sounder that fails when it is told to, and notes what it sounds.
private final class OddSounder: Sounder {
    var tones: [UInt32] = []
    var failure: SounderError?
    var isClosed = false

    func set(_ frequency: UInt32) throws(SounderError) {
        if let failure { throw failure }
        tones.append(frequency)
    }

    func close() { isClosed = true }
}

/// The panel's clock, moved by hand.
private final class HandClock {
    var now: UInt64 = 0
    /// How long it takes to begin a tone.
    var delay: UInt64 = 0
    func read() -> UInt64 { now + delay }
}

@Suite struct SoundPanelTests {
    private let clock = HandClock()

    private func panel(
        report: @escaping (String) -> Void = { _ in }, open: @escaping () throws(SounderError) -> any Sounder
    ) throws(SounderError) -> SoundPanel {
        try SoundPanel(now: 0, clock: clock.read, report: report, open: open)
    }

    private func pass(_ panel: SoundPanel, _ now: UInt64) {
        clock.now = now
        panel.passTime(now)
    }

    private func play(_ panel: SoundPanel, from: UInt64) -> UInt64 {
        while let next = panel.nextChange, next < from + 5_000 * millisecond { pass(panel, next) }
        return clock.now
    }

    @Test("a pattern sounds to its end, and then nothing is to be woken for")
    func plays() throws {
        let sounder = OddSounder()
        let panel = try self.panel { () throws(SounderError) in sounder }
        #expect(panel.nextChange == nil)
        panel.play(.accepted, now: 0)
        _ = play(panel, from: 0)
        #expect(sounder.tones == [1760, 0, 2640, 0])
        #expect(panel.nextChange == nil)
        panel.close()
        #expect(sounder.isClosed)
    }

    @Test("a tone is as long as in its pattern from when it sounds, and so is the silence between two")
    func delayed() throws {
        let sounder = OddSounder()
        let panel = try self.panel { () throws(SounderError) in sounder }
        clock.delay = 30 * millisecond
        panel.play(.accepted, now: 0)
        #expect(panel.nextChange == 110 * millisecond)
        // The loop was held up for longer than tone and pause take.
        pass(panel, 500 * millisecond)
        #expect(sounder.tones == [1760, 0] && panel.nextChange == 590 * millisecond)
        _ = play(panel, from: 500 * millisecond)
        #expect(sounder.tones == [1760, 0, 2640, 0])
    }

    @Test("one that is missing is said once, looked for every second, and used when it is there")
    func missing() throws {
        var said: [String] = [], isThere = false
        let sounder = OddSounder()
        let panel = try self.panel(report: { said.append($0) }) { () throws(SounderError) in
            guard isThere else { throw .noSuchChannel("/sys/pwm0") }
            return sounder
        }
        panel.play(.rejected, now: 1)
        for second in 1...5 { pass(panel, UInt64(second) * 1000 * millisecond) }
        #expect(said.count == 1 && said.first?.contains("/sys/pwm0") == true)
        isThere = true
        pass(panel, 6000 * millisecond)
        #expect(said.last == "the sounder is there" && sounder.tones.isEmpty)
        panel.play(.rejected, now: 6100 * millisecond)
        #expect(sounder.tones == [440])
    }

    @Test("one that goes away in the middle of a pattern is closed, and looked for")
    func gone() throws {
        var said: [String] = [], opened = 0
        let sounder = OddSounder()
        let panel = try self.panel(report: { said.append($0) }) { () throws(SounderError) in
            opened += 1
            return sounder
        }
        panel.play(.attention, now: 0)
        sounder.failure = .gone
        pass(panel, 400 * millisecond)
        #expect(sounder.isClosed && said.count == 1)
        sounder.failure = nil
        #expect(panel.nextChange == 1400 * millisecond)
        pass(panel, 1400 * millisecond)
        #expect(opened == 2)
        // What was missed is not made up for.
        #expect(sounder.tones == [880])
    }

    @Test("what no waiting cures ends the start")
    func refused() {
        #expect(throws: SounderError.noSuchLine(.offset(3), chip: "chip")) {
            try SoundPanel(now: 0, report: { _ in }) { () throws(SounderError) in throw .noSuchLine(.offset(3), chip: "chip") }
        }
    }
}
