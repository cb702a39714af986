import Testing

@testable import Door

@Suite("Door: what is told of it")
struct DoorEventTests {
    @Test("A door opened by whom was let through is nothing, up to a moment after the lock has closed")
    func allowed() {
        for wait: UInt64 in [0, 2999, 3000, 4000] {
            var door = TestDoor()
            door.doorway.admit(at: door.at)
            door.wait(wait)
            door.set(.contact, true)
            door.set(.contact, false)
            #expect(door.takeEvents() == [.opened(.visit)], "\(wait)")
        }
    }

    @Test("A door opened otherwise is forced, once until it closes")
    func forced() {
        var door = TestDoor()
        door.set(.contact, true)
        #expect(door.takeEvents() == [.forced])
        door.wait(3_600_000)
        #expect(door.takeEvents() == [])
        door.set(.contact, false)
        #expect(door.takeEvents() == [])
        door.doorway.admit(at: door.at)
        door.wait(4001)
        door.set(.contact, true)
        #expect(door.takeEvents() == [.opened(.visit), .forced])
    }

    @Test("A door that an emergency opened is not forced, nor in the moment after it")
    func emergency() {
        var door = TestDoor()
        door.set(.emergency, true)
        door.set(.contact, true)
        door.set(.contact, false)
        door.set(.emergency, false)
        door.wait(500)
        door.set(.contact, true)
        #expect(door.takeEvents() == [.emergency, .emergencyEnded])
    }

    @Test("A door that stands open is held, from the lock's end on, and that ends")
    func held() {
        var door = TestDoor()
        door.doorway.admit(at: door.at)
        door.set(.contact, true)
        door.wait(2970 + 14_999)
        #expect(door.takeEvents() == [.opened(.visit)])
        #expect(door.doorway.deadline == door.at + 1_000_000)
        door.wait(1)
        #expect(door.takeEvents() == [.held])
        door.set(.contact, false)
        #expect(door.takeEvents() == [.heldEnded])
    }

    @Test("Whoever comes next gives an open door its time anew; an emergency has none")
    func heldLater() {
        var door = TestDoor()
        door.doorway.admit(at: door.at)
        door.set(.contact, true)
        door.wait(14_000)
        door.doorway.admit(at: door.at)
        door.wait(17_999)
        #expect(door.takeEvents() == [.opened(.visit), .opened(.visit)])
        door.set(.emergency, true)
        door.wait(3_600_000)
        // It had been held for 30 ms of debounce before the emergency counted.
        #expect(door.takeEvents() == [.held, .emergency])
    }

    @Test("A door found open is nobody's doing, and held after its time; one found closed again is not")
    func found() {
        var door = TestDoor(on(.contact))
        #expect(door.takeEvents() == [])
        door.wait(15_000)
        #expect(door.takeEvents() == [.held])
        door.doorway.lose(at: door.at)
        door.doorway.begin([], hasSecond: false, at: door.at)
        #expect(door.takeEvents() == [.linesLost, .linesBack, .heldEnded])
    }

    @Test("Tamper begins and ends, also before the start and while the lines were away")
    func tamper() {
        var door = TestDoor(on(.tamper))
        #expect(door.takeEvents() == [])
        door.wait(30)
        #expect(door.takeEvents() == [.tamper])
        door.set(.tamper, false)
        door.set(.tamper, true)
        door.doorway.lose(at: door.at)
        door.doorway.begin([], hasSecond: false, at: door.at)
        door.wait(30)
        #expect(door.takeEvents() == [.tamperEnded, .tamper, .linesLost, .linesBack, .tamperEnded])
    }

    @Test("Events that are late come in the order in which they were due")
    func late() {
        var door = TestDoor()
        door.doorway.admit(at: door.at)
        let since = door.at
        door.now += 60_000
        door.doorway.see(.contact, isActive: true, at: since + 1_000_000_000, now: door.at)
        door.doorway.see(.contact, isActive: false, at: since + 30_000_000_000, now: door.at)
        door.doorway.see(.contact, isActive: true, at: since + 40_000_000_000, now: door.at)
        door.doorway.see(on(.contact), at: door.at)
        #expect(door.takeEvents() == [.opened(.visit), .held, .heldEnded, .forced])
    }

    @Test("Whoever rattles at the door fills no log, and uses up no other kind's records")
    func rattled() {
        var door = TestDoor()
        for _ in 0..<1000 {
            door.set(.contact, true)
            door.set(.contact, false)
            door.set(.tamper, true)
            door.set(.tamper, false)
        }
        let events = door.takeEvents()
        #expect(events.filter { $0 == .forced }.count == Int(DoorEventKind.forced.burst))
        #expect(events.filter { $0 == .tamper }.count == Int(DoorEventKind.tamper.burst))
        door.set(.emergency, true)
        door.set(.emergency, false)
        #expect(door.takeEvents() == [.emergency, .emergencyEnded])
        let due = door.doorway.deadline
        #expect(due != nil)
        door.wait(DoorEventKind.forced.pause)
        let counts = door.takeEvents()
        #expect(counts.contains(.more(1000 - Int(DoorEventKind.forced.burst), of: .forced)))
        #expect(counts.count == 3)
        #expect(door.doorway.deadline == nil)
        // At most ten an hour from then on.
        for _ in 0..<36_000 {
            door.doorway.see(.contact, isActive: true, at: door.at, now: door.at)
            door.wait(50)
            door.doorway.see(.contact, isActive: false, at: door.at, now: door.at)
            door.wait(50)
        }
        #expect(door.takeEvents().count <= 11)
    }

    @Test("Whoever plays with the emergency release fills no log; what is recorded has its end, and the last word is how it is")
    func emergencies() {
        var door = TestDoor()
        let burst = 64
        for _ in 0..<1000 {
            door.set(.emergency, true)
            #expect(door.openings == .entry, "it opens, recorded or not")
            door.set(.emergency, false)
        }
        door.set(.emergency, true)
        let events = door.takeEvents()
        #expect(events == Array(repeating: [DoorEvent.emergency, .emergencyEnded], count: burst).flatMap { $0 })
        // It goes on: the log says so as soon as there is room, and that it ends.
        door.wait(180_000)
        #expect(door.takeEvents() == [.more(1000 - burst, of: .emergency), .emergency])
        #expect(door.doorway.deadline == nil)
        door.set(.emergency, false)
        #expect(door.takeEvents() == [.emergencyEnded])
        // One that ends before there is room is counted, its end with it.
        door.set(.emergency, true)
        door.set(.emergency, false)
        #expect(door.takeEvents() == [])
        door.wait(180_000)
        #expect(door.takeEvents() == [.more(1, of: .emergency)])
        // Of one alone that goes on there is nothing to count.
        door.set(.emergency, true)
        #expect(door.takeEvents() == [])
        door.wait(180_000)
        #expect(door.takeEvents() == [.emergency])
        door.set(.emergency, false)
        #expect(door.takeEvents() == [.emergencyEnded])
    }

    @Test("All day long, an emergency release is twenty pairs an hour, and never an end without a beginning")
    func emergenciesAllDay() {
        var door = TestDoor()
        for _ in 0..<18_000 {
            door.set(.emergency, true)
            door.wait(970)
            door.set(.emergency, false)
            door.wait(2970)
        }
        let events = door.takeEvents()
        #expect(events.count { $0 == .emergency } <= 64 + 20 * 20 + 1)
        var isOpen = false
        for event in events {
            if event == .emergency { #expect(!isOpen) }
            if event == .emergencyEnded { #expect(isOpen) }
            if event == .emergency || event == .emergencyEnded { isOpen = event == .emergency }
        }
        #expect(!isOpen)
    }

    @Test("A supervisor's key that is turned all day long has a budget too, and each record of it its outcome")
    func supervisors() {
        var door = TestDoor()
        for turn in 0..<200 {
            door.doorway.note(.supervisorArmed, at: door.at)
            door.doorway.note(turn % 2 == 0 ? .supervisorUsed : .supervisorExpired, at: door.at)
        }
        let events = door.takeEvents()
        #expect(events.count == 128 && events.count { $0 == .supervisorArmed } == 64 && events.last == .supervisorExpired)
        door.doorway.note(.supervisorArmed, at: door.at)
        door.wait(180_000)
        #expect(door.takeEvents() == [.more(136, of: .supervisorArmed), .supervisorArmed])
        door.doorway.note(.supervisorUsed, at: door.at)
        #expect(door.takeEvents() == [.supervisorUsed])
    }

    @Test("A gate that ends tells what it has only counted, and that an emergency goes on")
    func ends() {
        var door = TestDoor()
        for _ in 0..<100 {
            door.set(.emergency, true)
            door.set(.emergency, false)
            door.set(.tamper, true)
            door.set(.tamper, false)
        }
        door.set(.emergency, true)
        _ = door.takeEvents()
        door.doorway.end()
        #expect(
            Set(door.takeEvents()) == [.more(84, of: .tamper), .more(84, of: .tamperEnded), .more(36, of: .emergency), .emergency])
        door.doorway.end()
        #expect(door.takeEvents() == [] && door.doorway.deadline == nil)
    }

    @Test("Every event has a word of its own")
    func codes() {
        let events: [DoorEvent] = [
            .opened(.visit), .emergency, .emergencyEnded, .held, .heldEnded, .forced, .tamper, .tamperEnded, .supervisorArmed,
            .supervisorUsed, .supervisorExpired, .linesLost, .linesBack, .more(1, of: .forced),
        ]
        #expect(Set(events.map(\.code)).count == events.count)
        for event in events { #expect(event.kind == nil || event.kind?.rawValue == event.code) }
        // Only a visit's opening has its bounds elsewhere, and an end goes with its beginning.
        #expect(events.filter { $0.kind == nil && $0.beginning == nil } == [.opened(.visit), .more(1, of: .forced)])
    }
}
