import Devices
import Door
import Testing

@testable import Appliance

private let millisecond: UInt64 = 1_000_000
private let second: UInt64 = 1_000_000_000

/// A door's lines as the loop has them: lost, slow, refused.
@Suite("Door panel") struct DoorPanelTests {
    final class Site {
        var lines: TestDoorLines? = TestDoorLines()
        var said: [String] = []
        var opened = 0
        /// What a call of the system takes.
        var call: UInt64 = 0
        private var clock: UInt64 = 0

        func ticks() -> UInt64 {
            clock += call
            return clock
        }

        func panel(now: UInt64 = 0) throws -> DoorPanel {
            try DoorPanel(DoorSettings(), now: now, clock: { self.ticks() }, report: { self.said.append($0) }) {
                () throws(DoorLinesError) in
                guard let lines = self.lines else { throw .noSuchChip("gpiochip9") }
                self.opened += 1
                return lines
            }
        }
    }

    func events(_ panel: DoorPanel) -> [DoorEvent] {
        var events: [DoorEvent] = []
        while let event = panel.takeEvent() { events.append(event) }
        return events
    }

    @Test("the lines of the device and the signals of the door are the same, in the same order")
    func names() {
        #expect(DoorInput.allCases.map { "\($0)" } == DoorSignal.allCases.map { "\($0)" })
        #expect(DoorOutputs([.entry, .exit] as DoorOpenings) == [.lock, .second])
        #expect(DoorOutputs(.entry) == .lock && DoorOutputs(.exit) == .second && DoorOutputs([] as DoorOpenings) == [])
    }

    @Test("a visitor has a pulse, and the loop is told when it ends")
    func pulse() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.canVanish = false
        #expect(lines.asked.isEmpty && panel.nextChange == nil && panel.isUp)
        panel.admit(now: second)
        #expect(lines.isOpen == .lock && panel.nextChange == 4 * second)
        panel.passTime(4 * second - 1)
        #expect(lines.isOpen == .lock)
        panel.passTime(4 * second)
        #expect(lines.isOpen == [] && lines.asked == [.lock, []])
        #expect(events(panel) == [.opened(.visit)])
    }

    @Test("a call that takes its time shortens nobody's pulse")
    func slowCall() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.canVanish = false
        site.call = 7 * millisecond
        panel.admit(now: second)
        #expect(panel.nextChange == 4 * second + 7 * millisecond)
        // Open already: the second visitor's begins at once.
        panel.admit(now: 2 * second)
        #expect(panel.nextChange == 5 * second)
        panel.passTime(5 * second)
        #expect(lines.isOpen == [])
    }

    @Test("whatever is active at the start opens nothing but an emergency, which opens once it has lasted")
    func start() throws {
        let site = Site()
        let lines = try #require(site.lines)
        lines.now = DoorInputs(rawValue: 0x7F & ~DoorInputs(.emergency).rawValue)
        let panel = try site.panel()
        panel.serve(1)
        panel.passTime(10 * second)
        #expect(!lines.asked.contains(.lock) && panel.takePresses() == [])
        let other = Site()
        try #require(other.lines).now = DoorInputs(.emergency)
        let burning = try other.panel()
        #expect(other.lines?.isOpen == [] && burning.nextChange == 30 * millisecond)
        #expect(burning.isBusy && !burning.isOpen, "no controller is opened before it is known")
        burning.passTime(30 * millisecond)
        #expect(other.lines?.isOpen == .lock && burning.isBusy)
        #expect(events(burning) == [.emergency])
    }

    @Test("lines that are missing at the start are said once, looked for every second, and open nothing when they come")
    func missing() throws {
        let site = Site()
        let lines = try #require(site.lines)
        site.lines = nil
        let panel = try site.panel()
        #expect(!panel.isUp && site.said.count == 1 && panel.nextChange == second)
        panel.admit(now: second / 2)
        panel.passTime(second)
        #expect(site.said.count == 2, "once, and that a visitor stands before a closed door")
        site.lines = lines
        panel.passTime(second + 1)
        #expect(site.opened == 0, "not before its time")
        panel.passTime(2 * second)
        #expect(panel.isUp && lines.asked.isEmpty)
        #expect(events(panel) == [.linesLost, .linesBack])
    }

    @Test("a chip that goes within a pulse ends it; when it is back the lock is closed, and opens for the next visitor")
    func lost() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        panel.admit(now: 0)
        lines.failure = .chipGone
        panel.passTime(second)
        #expect(!panel.isUp && lines.isClosed && site.said.count == 1)
        let next = TestDoorLines()
        site.lines = next
        panel.passTime(2 * second)
        #expect(panel.isUp && next.asked.isEmpty)
        panel.admit(now: 3 * second)
        #expect(next.isOpen == .lock)
        #expect(events(panel) == [.opened(.visit), .linesLost, .linesBack, .opened(.visit)])
    }

    @Test("an emergency outlasts lines that go, where they still say so when they are back")
    func emergency() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.edge(.emergency, true, at: 5)
        panel.serve(10)
        #expect(lines.asked.isEmpty)
        panel.passTime(30 * millisecond + 5)
        #expect(lines.isOpen == .lock)
        for stillBurns in [true, false] {
            site.lines?.failure = .chipGone
            panel.passTime(panel.nextChange ?? 0)
            #expect(!panel.isUp)
            let next = TestDoorLines()
            next.now = stillBurns ? DoorInputs(.emergency) : []
            site.lines = next
            let back = panel.nextChange ?? 0
            panel.passTime(back)
            panel.passTime(back + 29 * millisecond)
            #expect(next.isOpen == .lock, "it goes on until the line has said otherwise for long enough")
            panel.passTime(back + 30 * millisecond)
            #expect(next.isOpen == (stillBurns ? .lock : []) && next.asked == (stillBurns ? [.lock] : [.lock, []]))
        }
        #expect(events(panel) == [.emergency, .linesLost, .linesBack, .linesLost, .linesBack, .emergencyEnded])
    }

    @Test("in an emergency, lines that cannot be read for once stay as they are")
    func unreadInAnEmergency() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.edge(.emergency, true, at: 5)
        panel.serve(10)
        panel.passTime(30 * millisecond + 5)
        lines.failure = .system(errno: 5)
        for seconds in 1...5 { panel.passTime(UInt64(seconds) * second) }
        panel.serve(5 * second + 1)
        #expect(!panel.isUp && !lines.isClosed && lines.isOpen == .lock && site.said.count == 1)
        lines.failure = nil
        panel.passTime(6 * second)
        #expect(!panel.isUp, "a second after the last try")
        panel.passTime(6 * second + 1)
        #expect(panel.isUp && lines.isOpen == .lock)
        lines.edge(.emergency, false, at: 6 * second + 1)
        panel.serve(6 * second + 2)
        panel.passTime(7 * second)
        #expect(lines.isOpen == [])
        #expect(events(panel) == [.emergency, .emergencyEnded])
        // Without one they are lost, as ever.
        lines.failure = .system(errno: 5)
        panel.passTime(8 * second)
        #expect(lines.isClosed)
    }

    @Test("what came while the loop was busy keeps the time it came at, also where time passes before it is read")
    func behindASlowStep() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        (lines.descriptor, lines.canVanish) = (0, false)
        panel.admit(now: second)
        lines.edge(.contact, true, at: 2 * second)
        // The disk took five seconds; the pulse and its grace are over by now.
        panel.passTime(6 * second)
        panel.serve(6 * second)
        #expect(events(panel) == [.opened(.visit)])
        #expect(lines.isOpen == [])
    }

    @Test("a lock that does not close is told so and tried again, four times a second")
    func stuck() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        panel.admit(now: 0)
        lines.refusesToSwitch = .system(errno: 5)
        panel.passTime(3 * second)
        #expect(!panel.isUp && site.said.count == 1 && site.said[0].hasPrefix("THE LOCK CANNOT BE CLOSED"))
        #expect(panel.nextChange == 3 * second + DoorPanel.retry)
        let tries = lines.asked.count
        panel.passTime(3 * second + 1)
        #expect(lines.asked.count == tries, "the loop does not spin")
        panel.passTime(3 * second + DoorPanel.retry)
        #expect(lines.asked.count == tries + 1 && lines.isOpen == .lock && site.said.count == 1)
        lines.refusesToSwitch = nil
        panel.passTime(3 * second + 2 * DoorPanel.retry)
        #expect(lines.isOpen == [] && panel.isUp)
    }

    @Test("a lock that could not be opened is not opened after its pulse")
    func late() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.refusesToSwitch = .system(errno: 5)
        panel.admit(now: 0)
        panel.passTime(10 * second)
        lines.refusesToSwitch = nil
        panel.passTime(11 * second)
        #expect(lines.isOpen == [] && lines.asked.last == [])
    }

    @Test("a loop that comes late closes at once, and a press from long ago opens nothing")
    func slow() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        panel.admit(now: 0)
        lines.edge(.exit, true, at: second)
        lines.edge(.exit, false, at: 2 * second)
        panel.serve(60 * second)
        panel.passTime(60 * second)
        #expect(lines.isOpen == [] && lines.asked.first == .lock && !lines.asked.dropFirst().contains(.lock))
        #expect(events(panel) == [.opened(.visit)])
    }

    @Test("edges of two inputs that come in no order are taken in that of their times")
    func order() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.edge(.contact, true, at: 1200 * millisecond)
        lines.edge(.exit, true, at: 1000 * millisecond)
        lines.edge(.exit, false, at: 1100 * millisecond)
        panel.serve(1300 * millisecond)
        #expect(lines.isOpen == .lock)
        #expect(events(panel) == [.opened(.exit)], "whoever opened the door had pressed the button")
    }

    @Test("a line that hums keeps nobody from their turn")
    func humming() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        for edge in 0..<1000 { lines.edge(.exit, edge % 2 == 0, at: UInt64(edge) * millisecond) }
        panel.serve(second)
        #expect(lines.edges.count == 1000 - 128)
        for _ in 0..<20 { panel.serve(second) }
        panel.passTime(2 * second)
        #expect(!lines.asked.contains(.lock))
    }

    @Test("a lock whose lines are given up is closed first, and tried until it is")
    func givenUpOpen() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        panel.admit(now: 0)
        lines.failure = .system(errno: 5)
        panel.passTime(second)
        #expect(!panel.isUp && !lines.isClosed && panel.isOpen && lines.asked.last == [])
        #expect(site.said.contains { $0.hasPrefix("THE LOCK CANNOT BE CLOSED") })
        #expect(panel.nextChange == second + DoorPanel.retry)
        let tries = lines.asked.count
        lines.failure = nil
        panel.passTime(second + DoorPanel.retry)
        #expect(lines.asked.count == tries + 1 && lines.isOpen == [] && lines.isClosed && !panel.isOpen)
        // Then they are looked for again.
        panel.passTime(3 * second)
        #expect(site.opened == 2 && panel.isUp)
    }

    @Test("an emergency on lines that stay away holds nothing open that there is")
    func emergencyWithoutLines() throws {
        let site = Site(), panel = try site.panel()
        let lines = try #require(site.lines)
        lines.edge(.emergency, true, at: 5)
        panel.serve(10)
        panel.passTime(30 * millisecond + 5)
        #expect(panel.isOpen)
        lines.failure = .chipGone
        site.lines = nil
        panel.passTime(2 * second)
        #expect(!panel.isOpen && !panel.isUp)
    }

    @Test("a gate that ends leaves the lock closed")
    func closed() throws {
        let site = Site(), panel = try site.panel()
        panel.admit(now: 0)
        panel.close()
        #expect(site.lines?.isOpen == [] && site.lines?.isClosed == true)
        #expect(!panel.isUp)
    }
}
