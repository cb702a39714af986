import Audit
import BoardTestSupport
import Devices
import Door
import Foundation
import Linux
import SelfTest
import Testing
import Trust

@testable import Appliance
@testable import Visit

/// Everything that people see, hear and walk through, in the order in which it happens.
final class DoorJournal {
    var lines: [String] = []
    func note(_ line: String) { lines.append(line) }
}

private final class JournalLights: Lights {
    let journal: DoorJournal
    init(_ journal: DoorJournal) { self.journal = journal }
    var fitted: LampSet { .all }
    func set(_ lit: LampSet) throws(LightsError) {
        if lit == .accept { journal.note("lamp accept") }
        if lit == .reject { journal.note("lamp reject") }
    }
    func close() {}
}

private final class JournalScreen: Screen {
    let journal: DoorJournal
    init(_ journal: DoorJournal) { self.journal = journal }
    func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) { journal.note("screen code") }
    func clearCode() throws(ScreenError) {}
    func tell(_ sign: Sign, language: Int) throws(ScreenError) { journal.note("screen") }
    func list(_ verdicts: [VerdictLine]) throws(ScreenError) { journal.note("screen list") }
    func clear() throws(ScreenError) {}
    func close() {}
}

private final class JournalSounder: Sounder {
    let journal: DoorJournal
    init(_ journal: DoorJournal) { self.journal = journal }
    func set(_ frequency: UInt32) throws(SounderError) { if frequency > 0 { journal.note("sound \(frequency)") } }
    func close() {}
}

/// A gate with a door, and visits through its whole loop.
final class DoorGate {
    let journal = DoorJournal()
    let lines = TestDoorLines()
    let stage = Stage()
    let audit: AuditLog
    let socket: ControllerSocket
    let loop: MainLoop
    private let credential: DemoCredential
    private let folder: TemporaryFolder

    init(feed: LiveFeed? = nil) throws {
        folder = try TemporaryFolder()
        socket = try ControllerSocket(folder: folder.path)
        credential = try DemoCredential(portrait: 100)
        audit = try AuditLog(stage.path("audit.jsonl"))
        let trust = try TrustStore(files: [("demo.json", credential.trust)])
        var policy = Policy()
        // A test does not wait for a light.
        (policy.verdictLight, policy.verdictPause) = (0, 0)
        let name = Array("DOOR".utf8), lines = lines, journal = journal
        let gate = try Gatekeeper(name: .init(deviceName: name.span), version: .v05, trust: trust, policy: policy)
        loop = try MainLoop(
            gate: gate, link: StreamLink(.unix(path: socket.path)), lights: LightsPanel(JournalLights(journal), report: { _ in }),
            screen: ScreenPanel(JournalScreen(journal)), audit: audit,
            door: DoorPanel(DoorSettings(), report: { _ in }) { () throws(DoorLinesError) in lines },
            sound: SoundPanel(report: { _ in }) { () throws(SounderError) in JournalSounder(journal) }, feed: feed, signals: nil,
            report: { _ in }, entry: EntryWatch(trust))
        lines.journal = { [journal] in journal.note($0) }
        try loop.turn(until: 0)
        socket.accept()
    }

    func settle() throws {
        repeat { try loop.turn(until: 0) } while socket.exchange()
    }

    func visit(isGenuine: Bool = true) throws {
        try settle()
        let wallet = ScriptedWallet()
        let key = ScriptedWallet.gateKey(socket.controller.advertisingData, socket.controller.scanResponse)
        try #require(socket.controller.isAdvertising && key.count == 32)
        let (identify, message) = try wallet.seal(ScriptedWallet.gzip(isGenuine ? credential.text : credential.tampered), for: key)
        let size = UInt32(message.count)
        socket.controller.connect()
        try settle()
        socket.controller.send([0x02, UInt8(wallet.mtu & 0xFF), UInt8(wallet.mtu >> 8)])
        socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.identify, identify))
        try settle()
        socket.controller.send(
            ScriptedWallet.writeCommand(
                wallet.handles.size, [UInt8(size >> 24), UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]))
        for chunk in wallet.chunks(message) { socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.submit, chunk)) }
        try settle()
        journal.lines = []
        socket.controller.send(ScriptedWallet.writeCommand(wallet.handles.reportRequest, [1]))
        try settle()
    }
}

extension SoundPattern {
    fileprivate var first: UInt32 { steps[0].frequency }
}

@Suite("Door and visits") struct DoorVisitTests {
    @Test("the lamp first, then the lock, then the sound; the screen is drawn after all of it")
    func order() throws {
        let gate = try DoorGate()
        try gate.visit()
        let seen = gate.journal.lines
        let lamp = try #require(seen.firstIndex(of: "lamp accept"))
        #expect(Array(seen[lamp...].prefix(3)) == ["lamp accept", "lock open", "sound \(SoundPattern.accepted.first)"], "\(seen)")
        #expect(seen[lamp...].contains { $0.hasPrefix("screen") }, "\(seen)")
        #expect(gate.lines.isOpen == .lock)
    }

    @Test("a reject is seen and heard, and opens nothing")
    func rejected() throws {
        let gate = try DoorGate()
        try gate.visit(isGenuine: false)
        #expect(gate.journal.lines.contains("sound \(SoundPattern.rejected.first)"))
        #expect(gate.lines.asked.isEmpty)
    }

    @Test("an accepted visitor whose record cannot be kept does not enter; an emergency opens all the same")
    func unrecorded() throws {
        let gate = try DoorGate()
        gate.audit.close()
        try gate.visit()
        #expect(gate.journal.lines.contains("sound \(SoundPattern.rejected.first)") && !gate.journal.lines.contains("lamp accept"))
        #expect(gate.lines.asked.isEmpty)
        // The loop's own clock says when this has lasted; the level is there, and no edge has been.
        let now = Clock.monotonic()
        let panel = try DoorPanel(DoorSettings(), now: now, clock: { now }, report: { _ in }) { () throws(DoorLinesError) in gate.lines }
        let records = VisitRecords(gate.audit, now: now, report: { _ in })
        let desk = DoorDesk(panel, sound: nil, records: records)
        gate.lines.edge(.emergency, true, at: now)
        desk.serve(now)
        desk.passTime(now + 30_000_000)
        desk.keepRecords { now + 30_000_000 }
        #expect(gate.lines.isOpen == .lock)
    }

    @Test("what happens at the door is recorded, each by its own word")
    func records() throws {
        let stage = Stage()
        let log = try AuditLog(stage.path("audit.jsonl"))
        let records = VisitRecords(log, now: 0, report: { _ in })
        let events: [DoorEvent] = [
            .opened(.visit), .opened(.exit), .emergency, .emergencyEnded, .held, .heldEnded, .forced, .tamper, .tamperEnded,
            .supervisorArmed, .supervisorUsed, .supervisorExpired, .linesLost, .linesBack, .more(7, of: .heldEnded),
        ]
        for event in events { records.keep(event) }
        log.close()
        let text = try String(contentsOfFile: stage.path("audit.jsonl"), encoding: .utf8)
        for event in events { #expect(text.contains(#""event":"door""#) && text.contains("\"what\":\"\(event.code)\""), "\(event)") }
        #expect(text.contains(#""what":"opened","by":"exit""#) && text.contains(#""what":"more","kind":"held-ended","count":7"#))
    }

    @Test("what others may have to answer for is owed, also the count of it; a supervisor's key has its budget with all else of the door")
    func graveRecords() throws {
        for event in [DoorEvent.emergency, .emergencyEnded, .supervisorArmed, .supervisorUsed, .supervisorExpired] { #expect(event.isOwed) }
        #expect(DoorEvent.more(1, of: .emergency).isOwed && DoorEvent.more(1, of: .supervisorArmed).isOwed)
        #expect(!DoorEvent.more(1, of: .forced).isOwed && !DoorEvent.forced.isOwed)
        var said: [String] = []
        let records = VisitRecords(nil, now: 0, report: { said.append($0) }), lines = TestDoorLines()
        let panel = try DoorPanel(DoorSettings(), now: 0, clock: { 0 }, report: { _ in }) { () throws(DoorLinesError) in lines }
        let desk = DoorDesk(panel, sound: nil, records: records)
        for _ in 0..<1000 {
            desk.keep(.armed) { 5 }
            desk.keep(.used) { 5 }
        }
        #expect(said.count == 128 && said.first == "door supervisor-armed" && said.last == "door supervisor-used")
    }

    @Test("a gate that ends records what it has only counted at its door")
    func countsAtTheEnd() throws {
        let gate = try DoorGate()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        gate.lines.descriptor = ends[0]
        for _ in 0..<20 {
            for isOpen in [true, false] {
                gate.lines.edge(.tamper, isOpen, at: Clock.monotonic())
                try gate.loop.turn(until: 0)
                usleep(40_000)
                try gate.loop.turn(until: 0)
            }
        }
        gate.loop.stop()
        while gate.loop.isRunning {
            try gate.loop.turn(until: 0)
            _ = gate.socket.exchange()
        }
        try gate.loop.run()
        let text = try String(contentsOfFile: gate.stage.path("audit.jsonl"), encoding: .utf8)
        for kind in ["tamper", "tamper-ended"] { #expect(text.contains("\"what\":\"more\",\"kind\":\"\(kind)\",\"count\":4")) }
    }

    @Test("what is recorded at the end takes no line again: the lock is closed by then")
    func nothingIsTakenAtTheEnd() throws {
        let lines = TestDoorLines()
        var opened = 0, said: [String] = []
        let panel = try DoorPanel(DoorSettings(), now: 0, clock: { 0 }, report: { _ in }) { () throws(DoorLinesError) in
            opened += 1
            return lines
        }
        let desk = DoorDesk(panel, sound: nil, records: VisitRecords(nil, now: 0, report: { said.append($0) }))
        panel.note(.tamper, now: 0)
        desk.close()
        desk.end()
        #expect(opened == 1 && lines.isClosed && said == ["door tamper"])
    }

    @Test("a forced door is heard each time, recorded or not, and one alarm is over before the next")
    func alarms() throws {
        let journal = DoorJournal(), lines = TestDoorLines()
        let panel = try DoorPanel(DoorSettings(), now: 0, clock: { 0 }, report: { _ in }) { () throws(DoorLinesError) in lines }
        var looked: UInt64 = 0
        let sound = try SoundPanel(now: 0, clock: { looked }, report: { _ in }) { () throws(SounderError) in JournalSounder(journal) }
        let desk = DoorDesk(panel, sound: sound, records: VisitRecords(nil, now: 0, report: { _ in }))
        let millisecond: UInt64 = 1_000_000
        var now = 1000 * millisecond
        func force(every pause: UInt64, _ count: Int) {
            journal.lines = []
            for _ in 0..<count {
                for step in UInt64(0)..<4 {
                    let time = now + step * 40 * millisecond
                    if step < 2 { lines.edge(.contact, step == 0, at: time) }
                    looked = time
                    desk.serve(time)
                    desk.passTime(time)
                }
                desk.keepRecords { now }
                // The pattern runs to its end, where there is time for it.
                for step in 4...(pause / 40) {
                    looked = now + step * 40 * millisecond
                    desk.passTime(looked)
                }
                now += pause * millisecond
            }
        }
        // Far more than have a record of their own; two tones each.
        force(every: 2000, 100)
        #expect(journal.lines == Array(repeating: "sound \(SoundPattern.attention.first)", count: 200))
        force(every: 200, 100)
        #expect(24...28 ~= journal.lines.count, "twenty seconds; a second of alarm, half a second of silence")
    }

    @Test("the status text says whether there is a door to open")
    func status() {
        #expect(GateStatus(isControllerUp: true, isScreenUp: nil, areLampsUp: true).text == "controller up; lamps up")
        #expect(
            GateStatus(isControllerUp: true, isScreenUp: nil, areLampsUp: true, isDoorUp: true).text == "controller up; lamps up; door up")
        #expect(
            GateStatus(isControllerUp: true, isScreenUp: nil, areLampsUp: true, isDoorUp: false).text == "controller up; lamps up; no door")
    }
}
