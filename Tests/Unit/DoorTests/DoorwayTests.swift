import Testing

@testable import Door

private let millisecond: UInt64 = 1_000_000

/// These levels are active.
func on(_ signals: DoorSignal...) -> DoorSignals { signals.reduce(into: []) { $0.formUnion(DoorSignals($1)) } }

/// A door whose lines are there, and a clock in milliseconds.
struct TestDoor {
    var doorway: Doorway
    var now: UInt64 = 100_000

    /// - Parameter age: for how many milliseconds the lines have been there; a second, where nothing is active that counts from then on.
    init(_ levels: DoorSignals = [], hasSecond: Bool = false, _ settings: DoorSettings = DoorSettings(), age: UInt64? = nil) {
        doorway = Doorway(settings)
        let age = age ?? (levels.isDisjoint(with: on(.contact, .tamper, .emergency)) ? 1000 : 0)
        doorway.begin(levels, hasSecond: hasSecond, at: (100_000 - age) * millisecond)
        doorway.advance(to: at)
    }

    var at: UInt64 { now * millisecond }
    var openings: DoorOpenings { doorway.openings }

    mutating func wait(_ milliseconds: UInt64) {
        now += milliseconds
        doorway.advance(to: at)
    }

    /// A level begins, and lasts.
    mutating func set(_ signal: DoorSignal, _ isActive: Bool) {
        doorway.see(signal, isActive: isActive, at: at, now: at)
        wait(30)
    }

    mutating func takePresses() -> DoorSignals { doorway.takePresses() }

    mutating func takeEvents() -> [DoorEvent] {
        var events: [DoorEvent] = []
        while let event = doorway.takeEvent() { events.append(event) }
        return events
    }
}

@Suite("Door: what opens the lock")
struct DoorOpeningTests {
    @Test("A visit opens it for one pulse")
    func visit() {
        var door = TestDoor()
        door.doorway.admit(at: door.at)
        #expect(door.openings == .entry)
        #expect(door.doorway.deadline == (door.now + 3000) * millisecond)
        door.wait(2999)
        #expect(door.openings == .entry)
        door.wait(1)
        #expect(door.openings == [])
        #expect(door.takeEvents() == [.opened(.visit)])
    }

    @Test("A lock that was switched late is open for a whole pulse all the same, one that is closed stays so")
    func switchedLate() {
        var door = TestDoor()
        door.doorway.delay(by: 7 * millisecond)
        #expect(door.openings.isEmpty && door.doorway.deadline == nil)
        door.doorway.admit(at: door.at)
        door.doorway.delay(by: 7 * millisecond)
        #expect(door.doorway.deadline == door.at + 3007 * millisecond)
        door.wait(3006)
        #expect(door.openings == .entry)
        door.wait(1)
        #expect(door.openings.isEmpty)
        // Of an emergency there is nothing to lengthen but the pulse below it.
        door.set(.emergency, true)
        door.doorway.admit(at: door.at)
        door.doorway.delay(by: UInt64.max)
        door.set(.emergency, false)
        #expect(door.openings == .entry)
    }

    @Test("A second visit within the pulse makes it longer; nothing makes it shorter")
    func second() {
        var settings = DoorSettings()
        settings.pulse = 5000
        var door = TestDoor([], settings)
        door.doorway.admit(at: door.at)
        door.wait(2000)
        door.doorway.admit(at: door.at)
        door.wait(4999)
        #expect(door.openings == .entry)
        // A clock that stands still, or is asked for a moment that has passed.
        door.doorway.advance(to: 0)
        door.doorway.admit(at: 1)
        #expect(door.openings == .entry)
        door.wait(1)
        #expect(door.openings == [])
    }

    @Test("The exit button opens for a pulse, once for each press, from a press that lasts")
    func exit() {
        var door = TestDoor()
        door.doorway.see(.exit, isActive: true, at: door.at, now: door.at)
        door.wait(29)
        #expect(door.openings == [])
        door.wait(1)
        #expect(door.openings == .entry)
        door.wait(3000)
        #expect(door.openings == [], "somebody leans on it")
        door.set(.exit, false)
        door.set(.exit, true)
        #expect(door.openings == .entry)
        #expect(door.takeEvents() == [.opened(.exit), .opened(.exit)])
    }

    @Test("What lasts for less than the debounce is nothing")
    func glitches() {
        for signal in DoorSignal.allCases {
            var door = TestDoor()
            for _ in 0..<50 {
                door.doorway.see(signal, isActive: true, at: door.at, now: door.at)
                door.wait(29)
                door.doorway.see(signal, isActive: false, at: door.at, now: door.at)
                door.wait(1)
            }
            #expect(door.openings == [])
            #expect(door.takeEvents() == [], "\(signal)")
            #expect(door.takePresses() == [])
        }
    }

    @Test("An exit button that is told not to open only excuses the door")
    func exitExcuses() {
        var settings = DoorSettings()
        settings.exitOpens = false
        var door = TestDoor([], settings)
        door.set(.exit, true)
        #expect(door.openings == [])
        door.set(.contact, true)
        #expect(door.takeEvents() == [])
    }

    @Test("A press that a slow disk kept from being seen opens for what is left of its time, and then not at all")
    func latePress() {
        for (late, isOpen) in [(UInt64(2000), true), (3030, false), (60_000, false)] {
            var door = TestDoor()
            let pressed = door.at
            door.now += late
            door.doorway.see(.exit, isActive: true, at: pressed, now: door.at)
            door.doorway.see(.exit, isActive: false, at: pressed + 200 * millisecond, now: door.at)
            door.doorway.advance(to: door.at)
            #expect(door.openings == (isOpen ? .entry : []), "\(late) ms late")
            #expect(door.takeEvents() == (isOpen ? [.opened(.exit)] : []))
            if isOpen { #expect(door.doorway.deadline == pressed + 3030 * millisecond) }
        }
    }

    @Test("An emergency opens for as long as it lasts; a pulse that runs meanwhile keeps its rest")
    func emergency() {
        var door = TestDoor()
        door.set(.emergency, true)
        #expect(door.openings == .entry)
        door.wait(3_600_000)
        #expect(door.openings == .entry)
        door.set(.emergency, false)
        #expect(door.openings == [])
        #expect(door.takeEvents() == [.emergency, .emergencyEnded])
        door.doorway.admit(at: door.at)
        door.set(.emergency, true)
        door.set(.emergency, false)
        #expect(door.openings == .entry)
        door.wait(2940)
        #expect(door.openings == [])
    }

    @Test("A turnstile: visits one way, the exit button the other, an emergency both")
    func turnstile() {
        var door = TestDoor(hasSecond: true)
        door.doorway.admit(at: door.at)
        #expect(door.openings == .entry)
        door.wait(1000)
        door.set(.exit, true)
        #expect(door.openings == [.entry, .exit])
        door.wait(1970)
        #expect(door.openings == .exit)
        door.wait(1030)
        #expect(door.openings == [])
        door.set(.emergency, true)
        #expect(door.openings == [.entry, .exit])
        door.set(.emergency, false)
        #expect(door.openings == [])
    }

    @Test("A start opens nothing, whatever is active, but an emergency that has lasted")
    func start() {
        for bits in UInt8(0)..<64 {
            let levels = DoorSignals(rawValue: bits)
            var door = TestDoor(levels)
            #expect(door.openings == [], "\(bits)")
            door.doorway.see(levels, at: door.at)
            door.wait(29)
            #expect(door.openings == [], "\(bits)")
            door.wait(1)
            #expect(door.openings == (levels.contains(.emergency) ? .entry : []), "\(bits)")
            door.wait(10_000)
            #expect(door.openings == (levels.contains(.emergency) ? .entry : []), "\(bits)")
            #expect(door.takePresses() == [])
        }
        var waiting = Doorway(DoorSettings())
        waiting.see(on(.exit, .emergency), at: 1)
        waiting.advance(to: 1000 * millisecond)
        #expect(waiting.openings == [] && waiting.deadline == nil)
        let isAdmitted = waiting.admit(at: 1001 * millisecond)
        #expect(!isAdmitted)
        #expect(waiting.openings == [])
    }

    @Test("A pull-up that has just been switched on is no emergency and no tamper: only what lasts from the start on is")
    func startingLines() {
        for (last, isReal) in [(UInt64(29), false), (30, true)] {
            var door = TestDoor(on(.emergency, .tamper))
            #expect(door.doorway.deadline == door.at + 30 * millisecond, "the loop is to look then")
            #expect(door.doorway.awaitsEmergency)
            let begun = door.at
            door.now += 5000
            // Read late, with the times they came at.
            for signal in [DoorSignal.emergency, .tamper] {
                door.doorway.see(signal, isActive: false, at: begun + last * millisecond, now: door.at)
            }
            door.doorway.see([], at: door.at)
            door.wait(30)
            #expect(!door.doorway.awaitsEmergency)
            #expect(door.openings == [])
            #expect(door.takeEvents() == (isReal ? [.tamper, .emergency, .tamperEnded, .emergencyEnded] : []), "\(last) ms")
        }
        // A spike that comes again counts from its last edge on.
        var door = TestDoor(on(.emergency))
        door.wait(20)
        door.doorway.see(.emergency, isActive: false, at: door.at, now: door.at)
        door.doorway.see(.emergency, isActive: true, at: door.at + 1, now: door.at + 1)
        door.wait(29)
        #expect(door.openings == [])
        door.wait(2)
        #expect(door.openings == .entry)
    }

    @Test("Nor is it a press or a forced door: a cable that only finds its level at a start opens nothing and alarms nobody")
    func startingButtons() {
        for (late, isReal) in [(UInt64(0), false), (29, false), (30, true)] {
            var door = TestDoor(age: 0)
            let begun = door.at
            for signal in [DoorSignal.exit, .supervisor, .list] {
                door.doorway.see(signal, isActive: true, at: begun + late * millisecond, now: begun + late * millisecond)
            }
            door.wait(100)
            #expect(door.openings == (isReal ? .entry : []), "\(late) ms")
            #expect(door.takePresses() == (isReal ? on(.supervisor, .list) : []))
            #expect(door.takeEvents() == (isReal ? [.opened(.exit)] : []))
        }
        for (late, isForced) in [(UInt64(0), false), (29, false), (30, true)] {
            var door = TestDoor(age: 0)
            door.wait(late)
            door.set(.contact, true)
            #expect(door.doorway.takeAlarm() == isForced)
            door.wait(60_000)
            // It stood open.
            #expect(door.takeEvents() == [isForced ? .forced : .held], "\(late) ms")
        }
        // Lines that come back, too; and who leans on a button since then has not pressed it.
        var door = TestDoor()
        door.doorway.lose(at: door.at)
        door.doorway.begin([], hasSecond: false, at: door.at)
        door.set(.exit, true)
        door.wait(1000)
        #expect(door.openings == [])
        door.set(.exit, false)
        door.set(.exit, true)
        #expect(door.openings == .entry)
    }

    @Test("The key and the guard's button are told once a press")
    func presses() {
        var door = TestDoor(on(.supervisor))
        door.set(.list, true)
        #expect(door.takePresses() == DoorSignals(.list))
        #expect(door.takePresses() == [])
        door.set(.code, true)
        door.set(.code, false)
        #expect(door.takePresses() == DoorSignals(.code))
        door.set(.supervisor, false)
        door.set(.supervisor, true)
        #expect(door.takePresses() == DoorSignals(.supervisor))
        #expect(door.openings == [])
        #expect(door.takeEvents() == [])
    }
}

@Suite("Door: lost lines")
struct LostLinesTests {
    @Test("Lines that go end a pulse, and nothing opens when they are back")
    func pulse() {
        var door = TestDoor()
        door.doorway.admit(at: door.at)
        door.doorway.lose(at: door.at)
        #expect(door.openings == [])
        let isAdmitted = door.doorway.admit(at: door.at)
        #expect(!isAdmitted, "no lock could open")
        door.wait(100)
        door.doorway.begin(on(.exit, .supervisor), hasSecond: false, at: door.at)
        door.wait(100)
        #expect(door.openings == [])
        #expect(door.takeEvents() == [.opened(.visit), .linesLost, .linesBack])
        #expect(door.takePresses() == [])
    }

    @Test("An emergency neither begins nor ends by a lost line; what the line says when it is back counts once it has lasted")
    func emergency() {
        var door = TestDoor()
        door.set(.emergency, true)
        door.doorway.lose(at: door.at)
        door.wait(5000)
        #expect(door.openings == .entry)
        door.doorway.begin(on(.emergency), hasSecond: true, at: door.at)
        #expect(door.openings == [.entry, .exit])
        door.wait(1000)
        #expect(door.takeEvents() == [.emergency, .linesLost, .linesBack])
        door.doorway.lose(at: door.at)
        door.doorway.begin([], hasSecond: false, at: door.at)
        #expect(door.openings == .entry && door.doorway.deadline == door.at + 30 * millisecond)
        door.wait(29)
        #expect(door.openings == .entry)
        door.wait(1)
        #expect(door.openings == [])
        #expect(door.takeEvents() == [.linesLost, .linesBack, .emergencyEnded])
    }

    @Test("A line that comes back with the wrong level for a moment neither ends an emergency nor begins one")
    func comingBack() {
        var door = TestDoor()
        door.set(.emergency, true)
        door.doorway.lose(at: door.at)
        door.doorway.begin([], hasSecond: false, at: door.at)
        door.wait(29)
        door.doorway.see(.emergency, isActive: true, at: door.at, now: door.at)
        door.wait(1000)
        #expect(door.openings == .entry)
        #expect(door.takeEvents() == [.emergency, .linesLost, .linesBack])
        // Lost once more while the other level had not lasted.
        for _ in 0..<10 {
            door.doorway.lose(at: door.at)
            door.wait(100)
            door.doorway.begin([], hasSecond: false, at: door.at)
            door.wait(20)
        }
        #expect(door.openings == .entry)
        door.wait(10)
        #expect(door.openings == [])
        _ = door.takeEvents()
        for _ in 0..<10 {
            door.doorway.lose(at: door.at)
            door.doorway.begin(on(.emergency), hasSecond: false, at: door.at)
            door.wait(29)
        }
        #expect(door.openings == [])
        door.wait(1)
        #expect(door.openings == .entry)
    }

    @Test("A level that had not lasted when the lines went is nothing")
    func unsettled() {
        var door = TestDoor()
        for signal in [DoorSignal.exit, .emergency] { door.doorway.see(signal, isActive: true, at: door.at, now: door.at) }
        door.doorway.lose(at: door.at)
        door.wait(1000)
        #expect(door.openings == [])
        door.doorway.begin(on(.exit), hasSecond: false, at: door.at)
        door.wait(1000)
        #expect(door.openings == [])
    }

    @Test("Lines that stay away are one event, also from the start")
    func once() {
        var doorway = Doorway(DoorSettings())
        doorway.lose(at: 1)
        doorway.lose(at: 2)
        let first = doorway.takeEvent(), second = doorway.takeEvent()
        #expect(first == .linesLost && second == nil)
    }
}
