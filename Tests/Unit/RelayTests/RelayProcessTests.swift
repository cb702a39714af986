import Audit
import BoardTestSupport
import Glibc
import Linux
import RelayState
import Testing

@testable import Relay

/// An outlet whose other side does what a test says.
private final class ScriptedOutlet: Outlet {
    var needs = OutletNeeds()
    var start = OutletStart.cursor
    var isConnected = false
    var room: Int { isConnected ? limit : 0 }
    var limit = 10
    /// What `open`, `send` of a number and `turn` throw.
    var refusal: OutletTrouble?
    var refused: [UInt64: OutletTrouble] = [:]
    var ended: OutletTrouble?
    var sent: [UInt64] = []
    var flight = RecordsInFlight(waitsForConfirmation: false)
    var acknowledges = true
    var opened = 0, closed = 0
    var complaint: OutletTrouble?
    var health = FeedHealth()

    func open() throws(OutletTrouble) {
        opened += 1
        flight = RecordsInFlight(waitsForConfirmation: false)
        if let refusal { throw refusal }
        isConnected = true
    }
    func close() {
        closed += 1
        isConnected = false
    }
    func forget() { flight.forget() }
    func send(_ record: FeedRecord) throws(OutletTrouble) {
        if let trouble = refused[record.last] { throw trouble }
        sent.append(record.last)
        flight.add(Int32(record.last), record.place)
    }
    func turn(until deadline: UInt64) throws(OutletTrouble) {
        if let ended { throw ended }
        guard acknowledges else { return }
        for number in sent { flight.acknowledge(Int32(number)) }
    }
    var delivered: AuditPlace? { flight.delivered }
    func note(_ health: FeedHealth) { self.health = health }
}

/// Queue, cursor and back-off together, over a log that a gate's own code writes.
@Suite(.serialized) struct RelayProcessTests {
    private let stage = Stage()
    private let outlet = ScriptedOutlet()
    private var log: String { stage.path("log/audit.jsonl") }

    private func makeLog() throws -> AuditLog {
        try File.makeFolder("log", in: stage.folder)
        try File.makeFolder("state", in: stage.folder)
        return try AuditLog(log)
    }

    private func visits(_ count: Int, in log: AuditLog) throws {
        for _ in 0..<count { try log.append(AuditRecord(event: "visit")) }
    }

    private func process(say: @escaping (String) -> Void = { _ in }) throws -> RelayProcess {
        try RelayProcess(
            outlet, FeedSettings(gate: "east-1", detail: .all), .init(log: log, state: stage.path("state")), signals: Signals(), say: say)
    }

    @Test func eachRecordOnceAndTheCursorBehindTheLast() throws {
        let log = try makeLog()
        try visits(25, in: log)
        let process = try process()
        for _ in 0..<4 { process.turn() }
        try visits(5, in: log)
        for _ in 0..<3 { process.turn() }
        process.end()
        #expect(outlet.sent == Array(1...30) && outlet.closed == 1 && outlet.health.sequence == 30)
        #expect(try OutletCursor(folder: stage.path("state")).sequence == 30)
        let status = try #require(OutletStatus(folder: stage.path("state")))
        #expect(status.state == .stopped && status.sent == 30 && status.delivered == 30 && status.again == 0)
        // Started again it goes on there.
        try visits(2, in: log)
        outlet.sent = []
        let next = try self.process()
        for _ in 0..<2 { next.turn() }
        #expect(outlet.sent == [31, 32])
    }

    @Test func whatIsNotDeliveredComesAgain() throws {
        let log = try makeLog()
        try visits(8, in: log)
        outlet.refused = [4: OutletTrouble(.quota, pause: .seconds(0), staysConnected: true)]
        let process = try process()
        // The first three are delivered at once, or when they are met again.
        for _ in 0..<3 { process.turn() }
        #expect(process.status.trouble == "quota" && process.status.state == .waiting)
        #expect(outlet.closed == 0 && !outlet.sent.contains(4))
        outlet.refused = [:]
        for _ in 0..<4 { process.turn() }
        #expect(process.cursor.sequence == 8 && process.status.state == .connected && process.status.trouble == nil)
        #expect(process.status.again > 0)
        #expect(Array(outlet.sent.suffix(5)) == [4, 5, 6, 7, 8])
    }

    @Test func nothingIsTriedBeforeItsPauseIsOver() throws {
        let log = try makeLog()
        try visits(1, in: log)
        outlet.refusal = OutletTrouble(.credentials, pause: .minute)
        let process = try process()
        for _ in 0..<3 { process.turn() }
        #expect(outlet.opened == 1 && process.status.trouble == "credentials" && process.cursor.sequence == 0)
        outlet.refusal = OutletTrouble(.gone, pause: .forever)
        let other = try self.process()
        for _ in 0..<3 { other.turn() }
        #expect(outlet.opened == 2 && other.status.state == .stopped)
    }

    @Test func aConnectionThatEndsAfterARefusalDoesNotHideIt() throws {
        let log = try makeLog()
        try visits(1, in: log)
        outlet.refused = [1: OutletTrouble(.notAuthorized, pause: .minute, staysConnected: true)]
        let process = try process()
        process.turn()
        outlet.ended = OutletTrouble(.closed)
        for _ in 0..<3 { process.turn() }
        #expect(process.status.trouble == "not-authorized" && process.status.state == .waiting)
        // It waits as long as the refusal says.
        #expect(outlet.opened == 1 && outlet.closed == 1 && !outlet.isConnected)
        // Without one it is what is wrong.
        outlet.refused = [:]
        let other = try self.process()
        for _ in 0..<2 { other.turn() }
        #expect(other.status.trouble == "closed" && other.status.state == .waiting)
    }

    @Test func aDamagedCursorIsForAPersonToDecide() throws {
        _ = try makeLog()
        for text in ["", "{}", #"{"seq":1}"#, #"{"seq":-1,"digest":"","prev":""}"#, String(repeating: "x", count: 5000)] {
            try stage.put(Array(text.utf8), "state/cursor")
            #expect(throws: OutletStateError.badCursor) { try process() }
        }
        try stage.put(OutletCursor.beginning.octets, "state/cursor")
        #expect(try process().cursor == .beginning)
    }

    @Test func aLogThatWasExchangedIsSentFromItsFirstRecord() throws {
        let log = try makeLog()
        try visits(3, in: log)
        let digest = String(repeating: "a", count: 64)
        let foreign = OutletCursor(AuditPlace(sequence: 2, digest: digest, previous: digest))
        try stage.put(foreign.octets, "state/cursor")
        let process = try process()
        for _ in 0..<14 where process.cursor.sequence != 3 { process.turn() }
        #expect(outlet.sent == [1, 2, 3] && process.status.exchanged == 1)
    }

    @Test func aFullDiskStopsNothing() throws {
        let log = try makeLog()
        try visits(3, in: log)
        let process = try process()
        try stage.remove("state")
        for _ in 0..<3 { process.turn() }
        #expect(outlet.sent == [1, 2, 3] && process.cursor.sequence == 3)
    }

    @Test func aDiskThatIsFullForLongIsSaidOnce() throws {
        let log = try makeLog()
        var said: [String] = []
        let process = try process { said.append($0) }
        try stage.remove("state")
        for _ in 0..<3 {
            try visits(1, in: log)
            for _ in 0..<3 { process.turn() }
            // Longer than from one attempt to the next.
            usleep(250_000)
        }
        #expect(said.count == 1 && said[0].hasPrefix("the cursor cannot be stored"), "\(said)")
        try File.makeFolder("state", in: stage.folder)
        process.end()
        #expect(try said.count == 2 && OutletCursor(folder: stage.path("state")).sequence == 3, "\(said)")
    }

    @Test func whatDoesNotWorkBesidesIsSaidAndNothingStops() throws {
        let log = try makeLog()
        var said: [String] = []
        let process = try process { said.append($0) }
        try visits(2, in: log)
        for _ in 0..<2 { process.turn() }
        #expect(process.status.state == .connected && process.status.trouble == nil && said.isEmpty)
        outlet.complaint = OutletTrouble(.system, "no room")
        try visits(2, in: log)
        for _ in 0..<4 { process.turn() }
        #expect(process.status.state == .connected && process.status.trouble == "system" && said == ["system (no room)"])
        #expect(outlet.sent == [1, 2, 3, 4] && outlet.closed == 0)
        outlet.complaint = nil
        process.turn()
        #expect(process.status.trouble == nil && said.count == 1)
    }
}
