import Testing

@testable import Devices

@Suite struct HeldButtonTests {
    private static let look: UInt64 = 50_000_000, second: UInt64 = 1_000_000_000

    /// Held for so long and then let go, looked at as the gate does.
    private func outcome(heldFor time: UInt64, every pause: UInt64 = look) -> HeldButton.Outcome {
        var button = HeldButton(), now: UInt64 = 7 * Self.second
        let end = now + time
        while true {
            let outcome = button.next(isPressed: now < end, now: now)
            guard outcome == .waiting else { return outcome }
            now += pause
        }
    }

    @Test("ten seconds, and let go within ten more")
    func held() {
        #expect(outcome(heldFor: 0) == .notHeld)
        #expect(outcome(heldFor: Self.look) == .letGoEarly && outcome(heldFor: 3 * Self.second) == .letGoEarly)
        #expect(outcome(heldFor: 10 * Self.second) == .letGoEarly)
        #expect(outcome(heldFor: 10 * Self.second + 2 * Self.look) == .held && outcome(heldFor: 19 * Self.second) == .held)
        #expect(outcome(heldFor: 21 * Self.second) == .stuck && outcome(heldFor: .max / 2) == .stuck)
    }

    @Test("a machine that stands still makes no hold of a press")
    func late() {
        var button = HeldButton()
        #expect(button.next(isPressed: true, now: 0) == .waiting)
        #expect(button.next(isPressed: true, now: 60 * Self.second) == .waiting)
        #expect(button.next(isPressed: false, now: 61 * Self.second) == .letGoEarly)
        // However slowly it is looked at, whoever holds on comes to it.
        #expect(outcome(heldFor: 60 * Self.second, every: Self.second) == .held)
        var back = HeldButton()
        #expect(back.next(isPressed: true, now: 5) == .waiting && back.next(isPressed: true, now: 0) == .waiting)
    }

    @Test("a moniker of a button names one line")
    func moniker() throws {
        let button = try ButtonMoniker("gpio:/dev/gpiochip-header/button=14:low:pull-up")
        #expect(button.chip == "/dev/gpiochip-header" && button.wired.line == .offset(14))
        #expect(button.wired.isActiveLow && button.wired.bias == .pullUp)
        for text in [
            "log:", "gpio:", "gpio:chip", "gpio:/button=1", "gpio:chip/lock=1", "gpio:chip/button=", "gpio:chip/button=1:high",
            "gpio:chip/button=1,exit=2", "button=1",
        ] {
            #expect(throws: MonikerError.self, "\(text)") { _ = try ButtonMoniker(text) }
        }
    }

    @Test("a profile names one, or none")
    func profile() throws {
        func profile(_ more: String) throws(BoardProfileError) -> BoardProfile {
            let text = #"{"name":"b","hci":"hci:0","lights":"log:","screen":"none:","face":"off"\#(more)}"#
            return try BoardProfile(parsing: Array(text.utf8))
        }
        #expect(try profile("").resetButton == nil)
        #expect(try profile(#","resetButton":"gpio:gpiochip0/button=3""#).resetButton?.wired.line == .offset(3))
        #expect(throws: BoardProfileError.self) { _ = try profile(#","resetButton":"gpio:gpiochip0/lock=3""#) }
    }

    @Test("the panel's button is another line than the reset's")
    func panelButton() throws {
        func profile(_ panel: String) throws(BoardProfileError) -> BoardProfile {
            let text = #"{"name":"b","hci":"hci:0","lights":"log:","screen":"none:","face":"off","resetButton":"gpio:a/button=3:low""#
            return try BoardProfile(parsing: Array((text + #","panelButton":"\#(panel)"}"#).utf8))
        }
        #expect(try profile("gpio:a/button=4").panelButton?.wired.line == .offset(4))
        #expect(try profile("gpio:b/button=3").panelButton?.chip == "b")
        for same in ["gpio:a/button=3", "gpio:a/button=3:low:pull-up"] {
            #expect(throws: BoardProfileError.badMember("panelButton")) { _ = try profile(same) }
        }
    }

    @Test("it is said when it may be let go")
    func longEnough() {
        var button = HeldButton(), now: UInt64 = 0
        while !button.isLongEnough, now < 11 * Self.second {
            #expect(button.next(isPressed: true, now: now) == .waiting)
            now += Self.look
        }
        #expect(now > 10 * Self.second - Self.look && now <= 10 * Self.second + 2 * Self.look)
        #expect(button.next(isPressed: false, now: now) == .held)
    }

    @Test("a button of a chip that is not there is told by its name")
    func noChip() throws {
        let moniker = try ButtonMoniker("gpio:no-such-chip/button=1")
        #expect(throws: DoorLinesError.noSuchChip("no-such-chip")) { _ = try GPIOButton(moniker) }
    }
}
