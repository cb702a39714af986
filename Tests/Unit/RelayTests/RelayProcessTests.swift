import Audit
import BoardTestSupport
import Glibc
import Linux
import RelayState
import Testing

@testable import Relay

/// An outlet whose other side does what a test says.
private final class ScriptedOutlet: Outlet {
    var needs: OutletNeeds = {
        var needs = OutletNeeds()
        needs.tellsHealth = true
        return needs
    }()
    var start = OutletStart.cursor
    var isConnected = false
    var room: Int { isConnected ? max(0, limit - flight.count) : 0 }
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

    private final class Said { var words: [String] = [] }
    private let said = Said()

    private func process(_ detail: FeedDetail = .all) throws -> RelayProcess {
        let said = said
        return try RelayProcess(
            outlet, FeedSettings(gate: "east-1", detail: detail, period: 10), .init(log: log, state: stage.path("state")),
            signals: Signals(), say: { said.words.append($0) })
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

    @Test func anExchangeWhileItRunsIsOne() throws {
        var first: AuditLog? = try makeLog()
        try visits(5, in: try #require(first))
        let process = try process()
        for _ in 0..<3 { process.turn() }
        #expect(process.cursor.sequence == 5)
        first?.close()
        first = nil
        try stage.remove("log")
        try File.makeFolder("log", in: stage.folder)
        let other = try AuditLog(log)
        try other.append(AuditRecord(event: "door"))
        try visits(2, in: other)
        outlet.sent = []
        for _ in 0..<200 where process.cursor.sequence != 3 { process.turn() }
        // What the connection of before delivered is of the old log.
        #expect(process.status.exchanged == 1 && outlet.sent == [1, 2, 3] && process.cursor.sequence == 3)
        #expect(outlet.health.sequence == 3 && outlet.health.delivered <= 3)
    }

    @Test func healthIsThereAfterAStartThoughNothingComes() throws {
        let log = try makeLog()
        var tamper = AuditRecord(event: "door"), started = AuditRecord(event: "started")
        started.add("version", .code("9"))
        tamper.add("what", .code("tamper"))
        try log.append(AuditRecord(event: "door"))
        try log.append(started)
        try log.append(tamper)
        try visits(20, in: log)
        let before = try process()
        for _ in 0..<4 { before.turn() }
        before.end()
        #expect(before.cursor.sequence == 23)
        outlet.health = FeedHealth()
        let next = try process()
        next.turn()
        #expect(outlet.health.sequence == 23 && outlet.health.door == ["tamper"] && outlet.health.version == "9")
        #expect(outlet.health.delivered == 23 && outlet.health.hasTrouble(0))
    }

    @Test func healthGoesOnWhileARecordIsRefused() throws {
        let log = try makeLog()
        try visits(1, in: log)
        outlet.refused = [1: OutletTrouble(.refused, pause: .minute, staysConnected: true)]
        let process = try process()
        process.turn()
        var tamper = AuditRecord(event: "door")
        tamper.add("what", .code("tamper"))
        try log.append(tamper)
        process.turn()
        #expect(outlet.health.door == ["tamper"] && outlet.health.sequence == 2 && process.cursor.sequence == 0)
    }

    @Test func ofCountsHealthTellsNoSingleVisit() throws {
        let log = try makeLog()
        try visits(2, in: log)
        let process = try process(.counts)
        process.turn()
        #expect(outlet.health.sequence == 0 && outlet.health.at == 0 && outlet.health.identity == nil)
    }

    @Test func whoRefusesIsNotConnectedBeforeItTakesSomething() throws {
        let log = try makeLog()
        try visits(3, in: log)
        outlet.refused = [2: OutletTrouble(.refused, pause: .seconds(0))]
        outlet.limit = 1
        let process = try process()
        process.turn()
        process.turn()
        #expect(process.cursor.sequence == 1 && process.status.trouble == "refused")
        let since = process.status.since
        // It is open again and again, and says so each time.
        for _ in 0..<20 {
            process.turn()
            #expect(process.status.state != .connected && process.status.trouble == "refused")
        }
        #expect(said.words == ["refused"] && process.status.since == since && outlet.opened > 10)
        outlet.refused = [:]
        for _ in 0..<3 { process.turn() }
        #expect(process.status.state == .connected && process.status.trouble == nil && process.cursor.sequence == 3)
        // Where nothing is left to be sent, a connection is enough.
        outlet.ended = OutletTrouble(.closed, pause: .seconds(0))
        process.turn()
        #expect(process.status.trouble == "closed")
        outlet.ended = nil
        process.turn()
        #expect(process.status.state == .connected && process.status.trouble == nil)
    }

    @Test func aLogThatIsNotThereIsSaidOnce() throws {
        let whole = try makeLog()
        whole.close()
        try stage.remove("log")
        let process = try process()
        for _ in 0..<3 { process.turn() }
        #expect(said.words.count == 1 && said.words.first?.contains(log) == true && process.status.state == .connected)
        // It comes, and is read.
        try File.makeFolder("log", in: stage.folder)
        try visits(1, in: try AuditLog(log))
        for _ in 0..<3 { process.turn() }
        #expect(outlet.sent == [1])
    }

    @Test func aFullDiskStopsNothing() throws {
        let log = try makeLog()
        try visits(3, in: log)
        let process = try process()
        try stage.remove("state")
        for _ in 0..<3 { process.turn() }
        #expect(outlet.sent == [1, 2, 3] && process.cursor.sequence == 3)
        // Each of both is said once.
        #expect(said.words.count == 2 && Set(said.words).count == 2)
    }

    @Test func aFileThatCannotBeWrittenIsTriedMoreAndMoreSeldom() throws {
        var file = StateFile("cursor", in: stage.path("state")), failures = 0, attempts = 0
        let second: UInt64 = 1_000_000_000
        var now: UInt64 = 0
        while now < 3600 * second {
            let before = file
            let isDone = file.replace(with: [1], now: now) { _ in failures += 1 }
            #expect(!isDone && file.failure != nil)
            if file != before { attempts += 1 }
            now += second / 5
        }
        #expect(failures == 1 && (60...70).contains(attempts))
        // When there is room again, all is as before, and a second failure is said again.
        try File.makeFolder("state", in: stage.folder)
        let isDone = file.replace(with: [1], now: now + 60 * second) { _ in failures += 1 }
        #expect(isDone && file.failure == nil)
        try stage.remove("state")
        for _ in 0..<2 { _ = file.replace(with: [1], now: now + 61 * second) { _ in failures += 1 } }
        #expect(failures == 2)
    }

    @Test func aCursorThatCannotBeStoredIsInTheStatus() throws {
        let log = try makeLog()
        try visits(3, in: log)
        let process = try process()
        // A folder has its name.
        try File.makeFolder("cursor", in: stage.path("state"))
        for _ in 0..<4 { process.turn() }
        let status = try #require(OutletStatus(folder: stage.path("state")))
        #expect(status.state == .connected && status.trouble == "state")
        #expect(process.cursor.sequence == 3)
        // Nor is it hidden by what the outlet complains of besides.
        outlet.complaint = OutletTrouble(.notAuthorized, "health")
        try visits(1, in: log)
        for _ in 0..<3 { process.turn() }
        #expect(process.status.trouble == "not-authorized")
        #expect(try #require(OutletStatus(folder: stage.path("state"))).trouble == "state")
    }

    @Test func whatDoesNotWorkBesidesIsSaidAndNothingStops() throws {
        let log = try makeLog()
        let process = try process()
        try visits(2, in: log)
        for _ in 0..<2 { process.turn() }
        #expect(process.status.state == .connected && process.status.trouble == nil && said.words.isEmpty)
        outlet.complaint = OutletTrouble(.system, "no room")
        try visits(2, in: log)
        for _ in 0..<4 { process.turn() }
        #expect(process.status.state == .connected && process.status.trouble == "system" && said.words == ["system (no room)"])
        #expect(outlet.sent == [1, 2, 3, 4] && outlet.closed == 0)
        outlet.complaint = nil
        process.turn()
        #expect(process.status.trouble == nil && said.words.count == 1)
    }
}
