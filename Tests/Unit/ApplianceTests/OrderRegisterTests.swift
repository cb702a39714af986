import BoardTestSupport
import Cryptography
import Foundation
import Linux
import Synchronization
import Testing
import Trust

@testable import Appliance

/// Orders to take, signed with the keys of `TestBundle`.
struct TestOrder {
    var kind = Order.Kind.export
    var number: Int64 = 1
    var gates = Order.Gates.these(["gate-1"])
    var created = TestBundle.now - 10
    var notAfter = TestBundle.now + 1000
    var content = "{}"

    func signed(by signers: [UInt8] = [1, 2]) throws -> [UInt8] {
        let order = try Order(kind: kind, number: number, gates: gates, created: created, notAfter: notAfter, content: Array(content.utf8))
        var signed: SignedOrder?
        for number in signers {
            let key = try SigningKey(seed: [UInt8](repeating: number, count: 32).span)
            signed = try signed?.signed(as: "signer \(number)", with: key) ?? SignedOrder(signing: order, as: "signer \(number)", with: key)
        }
        return signed?.octets ?? []
    }

    static func number(_ number: Int64, _ kind: Order.Kind = .export) -> TestOrder { TestOrder(kind: kind, number: number) }
}

@Suite struct OrderRegisterTests {
    private let now = TestBundle.now
    private let stage = Stage()

    private func take(
        _ order: TestOrder, gate: String? = "gate-1", at time: Int64 = TestBundle.now, _ watch: DurableFolder.Watch? = nil
    ) throws -> OrderRegisterError? {
        try refusal(order.signed(), order.kind, gate, time, watch)
    }

    private func refusal(
        _ octets: [UInt8], _ kind: Order.Kind, _ gate: String?, _ time: Int64, _ watch: DurableFolder.Watch? = nil
    ) throws -> OrderRegisterError? {
        let register = OrderRegister(stage.folder, watch: watch), root = try TestBundle.root()
        do throws(OrderRegisterError) {
            let found = try? register.check(octets, kind, root: root, gate: gate, now: time)
            let taken = try register.take(octets, kind, root: root, gate: gate, now: time)
            #expect(found == taken.order, "what would be taken is taken")
            return nil
        } catch {
            #expect(
                (try? register.check(octets, kind, root: root, gate: gate, now: time)) == nil || watch != nil,
                "what is refused is not promised either")
            return error
        }
    }

    @Test("each order is taken once, and none after a later one of its kind")
    func once() throws {
        #expect(try take(.number(3)) == nil)
        #expect(try take(.number(3)) == .numberUsed(.export, number: 3, highest: 3))
        #expect(try take(.number(2)) == .numberUsed(.export, number: 2, highest: 3))
        var other = TestOrder.number(3)
        other.gates = .all
        #expect(try take(other) == .numberUsed(.export, number: 3, highest: 3), "another order with a number that is used")
        #expect(try take(.number(1, .site)) == nil, "other kinds count for themselves")
        #expect(try take(.number(4)) == nil)
        #expect(try OrderRegister(stage.folder).numbers()?.highest(.export) == 4)
    }

    @Test("what is not for this gate, this use or this time changes nothing")
    func refusals() throws {
        #expect(try take(.number(5)) == nil)
        let before = stage.files
        var order = TestOrder.number(6)
        #expect(try take(order, gate: "gate-2") == .order(.forOthers(this: "gate-2")))
        #expect(try take(order, gate: nil) == .order(.noGateID))
        #expect(try refusal(order.signed(), .site, "gate-1", now) == .order(.wrongKind(found: .export, wanted: .site)))
        #expect(try refusal(order.signed(by: [1]), .export, "gate-1", now) == .order(.signature(.thresholdNotMet)))
        #expect(try refusal(order.signed(by: [1, 9]), .export, "gate-1", now) == .order(.signature(.thresholdNotMet)))
        #expect(try refusal(TestBundle().signed(), .export, "gate-1", now) == .order(.signature(.thresholdNotMet)))
        for late in [now + 1000, .max] as [Int64] { #expect(try take(order, at: late) == .order(.expired(at: now + 1000))) }
        order.created = now - 100
        order.notAfter = now - 10
        #expect(try take(order, at: 0) == .order(.expired(at: now - 10)), "a time that has passed for sure, on a board without a clock")
        #expect(stage.files == before)
    }

    @Test("an order's making is a time that has passed")
    func floor() throws {
        #expect(try take(.number(1), at: 0) == nil)
        #expect(stage.mark?.time == now - 10 && stage.mark?.sequence == 0)
        #expect(try TrustInstallation(stage.folder).install(TestBundle.number(1).signed(), root: TestBundle.root(), now: 0) == .installed)
    }

    @Test("one copy of the record is enough; where both are lost, no older order comes back", arguments: ["changed", "empty"])
    func damage(_ kind: String) throws {
        #expect(try take(.number(7)) == nil)
        func spoil(_ name: String) throws {
            try stage.put(kind == "empty" ? [] : #require(stage.files[name]).map { $0 == UInt8(ascii: "7") ? UInt8(ascii: "1") : $0 }, name)
        }
        try spoil("orders")
        #expect(try take(.number(7)) == .numberUsed(.export, number: 7, highest: 7))
        try spoil("orders.copy")
        #expect(try OrderRegister(stage.folder).numbers() == nil)
        var old = TestOrder.number(7)
        for created in [now - 11, now - 10] {
            old.created = created
            #expect(try take(old) == .olderThanMark(created: created, mark: now - 10), "the one that was taken last is as old as the mark")
        }
        var new = TestOrder.number(2)
        new.created = now
        #expect(try take(new) == nil, "one made since then is taken, and the record is whole again")
        #expect(try OrderRegister(stage.folder).numbers()?.highest(.export) == 2)
        #expect(stage.files["orders"] == stage.files["orders.copy"])
    }

    @Test("a cut at any step: the order was taken or was not, and never twice after it was")
    func cuts() throws {
        for last in 0... {
            let stage = Stage(), steps = Mutex(0), octets = try TestOrder.number(2).signed(), root = try TestBundle.root()
            var isDone = false
            let register = OrderRegister(stage.folder) { _, _ throws(SystemError) in
                let isLast = steps.withLock { count in
                    defer { count += 1 }
                    return count == last
                }
                if isLast { throw .diskFull }
            }
            let isTaken = (try? register.take(octets, .export, root: root, gate: "gate-1", now: now)) != nil
            let whole = OrderRegister(stage.folder),
                highest = try #require(try whole.numbers()?.highest(.export), "step \(last): the record is lost")
            #expect(isTaken == (highest == 2), "step \(last): what is on record was taken, and nothing else")
            let again = (try? whole.take(octets, .export, root: root, gate: "gate-1", now: now)) != nil
            #expect(again == !isTaken, "step \(last)")
            isDone = steps.withLock { $0 } <= last
            guard !isDone else {
                #expect(last == 20, "every step was tried")
                return
            }
        }
    }

    @Test("two never take at the same time")
    func locked() throws {
        let other = open(stage.folder, O_RDONLY | O_DIRECTORY)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let octets = try TestOrder().signed(), root = try TestBundle.root()
        #expect(throws: OrderRegisterError.disk(.disk(.lockedByAnother))) {
            try OrderRegister(stage.folder).take(octets, .export, root: root, gate: "gate-1", now: now)
        }
        #expect(stage.files.isEmpty)
    }

    // MARK: what was lost, and what was made too far ahead

    private func installBundle(_ sequence: Int64) throws {
        _ = try TrustInstallation(stage.folder).install(TestBundle.number(sequence).signed(), root: TestBundle.root(), now: now)
    }

    @Test("an order taken while the mark is lost makes a mark of the bundle that is there", arguments: [true, false])
    func lostMark(_ isDamaged: Bool) throws {
        try installBundle(5)
        for name in ["highwater", "highwater.copy"] { if isDamaged { try stage.put([0], name) } else { try stage.remove(name) } }
        var order = TestOrder.number(1)
        order.created = now - 5
        #expect(try take(order) == nil)
        #expect(stage.mark?.sequence == 5 && stage.mark?.time == now - 5)
        try stage.put([], "bundle.cose")
        let four = try TestBundle.number(4).signed(), root = try TestBundle.root()
        #expect(
            fault { () throws(TrustInstallationError) in try TrustInstallation(stage.folder).install(four, root: root, now: now) }
                == .rolledBack(sequence: 4, highest: 5))
    }

    @Test("beside a bundle that nobody can read, no mark is made that would say there was none")
    func unknownBundle() throws {
        try installBundle(5)
        for name in ["highwater", "highwater.copy", "bundle.cose"] { try stage.put([0], name) }
        #expect(try take(.number(1)) == nil)
        #expect(stage.mark == nil)
    }

    @Test("a record that is gone beside a mark was lost: no older order comes back")
    func goneRecord() throws {
        try installBundle(5)
        #expect(stage.files["orders"] != nil, "the record is there before the first bundle")
        #expect(try take(.number(7)) == nil)
        for name in ["orders", "orders.copy"] { try stage.remove(name) }
        #expect(try take(.number(7)) == .olderThanMark(created: now - 10, mark: now - 10))
        var new = TestOrder.number(1)
        new.created = now - 9
        #expect(try take(new) == nil)
    }

    @Test("an order made ahead of a clock that is right is refused; where the clock is in doubt, it is taken")
    func future() throws {
        var order = TestOrder.number(1)
        order.created = now + 9 * 31_536_000
        order.notAfter = order.created + 1000
        #expect(try take(order, at: now) == nil, "nothing is known yet")
        try stage.remove("highwater")
        try stage.remove("highwater.copy")
        try installBundle(1)
        order.number = 2
        #expect(try take(order) == .madeInFuture(created: order.created, clock: now))
        var time = TestOrder.number(1, .time)
        (time.created, time.notAfter) = (now + 900_000, now + 900_100)
        #expect(try take(time) == nil, "what sets a clock is not judged by it")
        #expect(try take(order, at: 946_684_800) == nil, "the year 2000 is no clock")
        let other = Stage()
        var bundle = TestBundle.number(1)
        let root = try TestBundle.root()
        _ = try TrustInstallation(other.folder).install(bundle.signed(), root: root, now: now)
        bundle.sequence = 2
        (bundle.created, bundle.notAfter) = (now + 86_401, now + 200_000)
        let octets = try bundle.signed()
        #expect(
            fault { () throws(TrustInstallationError) in try TrustInstallation(other.folder).install(octets, root: root, now: now) }
                == .madeInFuture(created: now + 86_401, clock: now))
        bundle.created -= 1
        #expect(
            try TrustInstallation(other.folder).install(bundle.signed(), root: root, now: now) == .installed,
            "clocks differ by a day at most")
    }

    @Test("a number that is a slip does not use up those after it")
    func slip() throws {
        #expect(try take(.number(TrustBundle.largestSequence)) == .numberTooFar(.export, number: TrustBundle.largestSequence, highest: 0))
        #expect(try take(.number(202_611_221_540)) == nil, "a date is a number too")
        #expect(try take(.number(202_611_221_540 + Order.largestStep + 1)) != nil)
        #expect(try take(.number(202_611_221_540 + Order.largestStep)) == nil)
    }

    @Test("a command waits a while for another one, a gate does not")
    func patience() async throws {
        let other = open(stage.folder, O_RDONLY | O_DIRECTORY)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let octets = try TestOrder().signed(), root = try TestBundle.root(), folder = stage.folder, now = now
        #expect(throws: OrderRegisterError.disk(.disk(.lockedByAnother))) {
            try OrderRegister(folder, patience: 100_000_000).take(octets, .export, root: root, gate: "gate-1", now: now)
        }
        async let taken = OrderRegister(folder, patience: 600_000_000_000).take(octets, .export, root: root, gate: "gate-1", now: now)
        try await Task.sleep(for: .milliseconds(200))
        #expect(flock(other, LOCK_UN) == 0)
        #expect(try await taken.order.number == 1)
    }

    // MARK: the clock

    private func setClock(_ order: TestOrder, at wall: Int64) throws -> Result<Int64, OrderRegisterError> {
        let octets = try order.signed(), root = try TestBundle.root()
        return Result { () throws(OrderRegisterError) in
            try ClockSetting.take(octets, from: stage.folder, root: root, gate: "gate-1", now: wall).time
        }
    }

    @Test("a board without a clock is given one, once, and is sure of it from then on")
    func clock() throws {
        let year2000: Int64 = 946_684_800
        var order = TestOrder.number(1, .time)
        order.created = now + 100
        order.notAfter = now + 900
        let root = try TestBundle.root()
        #expect(try TrustInstallation(stage.folder).install(TestBundle.number(1).signed(), root: root, now: year2000) == .installed)
        #expect(try TrustInstallation(stage.folder).load(root: root, now: year2000).clock == .unsure(atLeast: now - 10))
        #expect(try setClock(order, at: year2000) == .success(now + 100))
        #expect(try TrustInstallation(stage.folder).load(root: root, now: now + 100).clock == .sure(now + 100))
        #expect(try setClock(order, at: year2000) == .failure(.numberUsed(.time, number: 1, highest: 1)))
        #expect(
            try TrustInstallation(stage.folder).load(root: root, now: year2000).clock == .unsure(atLeast: now + 100),
            "without a clock, after the next start")
    }

    @Test("a clock is never set behind a time that has passed, nor turned back unless the order says so")
    func back() throws {
        var order = TestOrder.number(1, .time)
        order.created = now
        #expect(try setClock(order, at: now + 301) == .failure(.clockAhead(clock: now + 301, time: now)))
        order.content = #"{"turnBack":true}"#
        // Years after the end of the order by a clock that is wrong.
        #expect(try setClock(order, at: now + 100_000_000) == .success(now))
        order.number = 2
        order.created = now - 1
        #expect(try setClock(order, at: now) == .failure(.behindFloor(time: now - 1, floor: now)))
        order.created = now
        order.content = "{}"
        #expect(try setClock(order, at: now + 300) == .success(now), "two clocks are never equal")
    }
}
