import Audit
import BoardTestSupport
import Foundation
import Linux
import Synchronization
import Testing
import Trust

@testable import Appliance

@Suite struct FactoryResetTests {
    private let stage = Stage(), data = Stage()
    private let now = TestBundle.now
    private var log: String { data.path("audit.jsonl") }

    /// A gate with a bundle, a site file that it has run with, an id that it drew, and a log.
    private func setUp() throws {
        _ = try TrustInstallation(stage.folder).install(TestBundle.number(4).signed(), root: TestBundle.root(), now: now)
        _ = try GateIdentity.made(stage.folder, SystemFolders(proc: data.path("none")))
        try installSite(7)
        let isKept = try SiteInstallation(stage.folder).confirm(7, root: TestBundle.root(), gate: "gate-1")
        #expect(isKept)
        for name in ["audit.jsonl", "audit-00000001.jsonl", "audit-00000002.damaged", "audit.next", "audit.exported", "audit.lock"] {
            data.write(Array("visitors\n".utf8), to: name)
        }
    }

    private func site(_ number: Int64) throws -> [UInt8] {
        try TestOrder(kind: .site, number: number, content: #"{"name":"OLD"}"#).signed()
    }

    private func installSite(_ number: Int64) throws {
        _ = try SiteInstallation(stage.folder).install(site(number), root: TestBundle.root(), gate: "gate-1", now: now)
    }

    private func order(_ number: Int64 = 1, _ gates: Order.Gates = .these(["gate-1"])) -> TestOrder {
        TestOrder(kind: .reset, number: number, gates: gates)
    }

    private func take(
        _ order: TestOrder, gate: String? = "gate-1", at time: Int64 = TestBundle.now, by signers: [UInt8] = [1, 2],
        _ watch: DurableFolder.Watch? = nil
    ) throws -> OrderRegisterError? {
        let octets = try order.signed(by: signers), root = try TestBundle.root()
        do throws(OrderRegisterError) {
            _ = try FactoryReset(stage.folder, watch: watch).take(octets, root: root, gate: gate, now: time)
            return nil
        } catch {
            return error
        }
    }

    private func finish(_ watch: DurableFolder.Watch? = nil) throws -> ResetMark? {
        try FactoryReset(stage.folder, watch: watch).finish(root: TestBundle.root(), audit: log)
    }

    private func finding() throws -> SiteFinding { try SiteInstallation(stage.folder).load(root: TestBundle.root(), gate: "gate-1") }

    /// What may be there of a gate that was reset.
    private static let kept: Set<String> = [
        "gate-id", "gate-id.copy", "highwater", "highwater.copy", "orders", "orders.copy", "reset", "reset.copy",
    ]

    // MARK: Taking

    @Test("an order for another gate, by too few, that has ended, or that was taken before erases nothing")
    func refused() throws {
        try setUp()
        let before = stage.files, log = data.files
        #expect(try take(order(1, .these(["gate-2"]))) == .order(.forOthers(this: "gate-1")))
        #expect(try take(order(), gate: nil) == .order(.noGateID))
        #expect(try take(order(), by: [1]) == .order(.signature(.thresholdNotMet)))
        #expect(try take(order(), by: [1, 9]) == .order(.signature(.thresholdNotMet)))
        #expect(try take(order(), at: now + 1000) == .order(.expired(at: now + 1000)))
        let other = try TestOrder.number(1, .export).signed(), root = try TestBundle.root()
        #expect(throws: OrderRegisterError.order(.wrongKind(found: .export, wanted: .reset))) {
            try FactoryReset(stage.folder).take(other, root: root, gate: "gate-1", now: now)
        }
        #expect(stage.files == before && data.files == log)
        #expect(try finish() == nil && finding() != .reset)
        #expect(stage.files == before && data.files == log, "a start without an order does nothing")
        #expect(try take(order(3)) == nil)
        #expect(try finish() != nil)
        for number in [3, 2, 1] as [Int64] {
            #expect(try take(order(number)) == .numberUsed(.reset, number: number, highest: 3), "found on the ground, on another day")
        }
        #expect(try take(order(4)) == nil)
    }

    @Test("no order resets every gate, nor waits for years to be found")
    func bounds() throws {
        #expect(throws: OrderError.resetOfAll) { _ = try Order(kind: .reset, number: 1, gates: .all, created: 0, notAfter: 60) }
        let month: Int64 = 31 * 86_400
        #expect(throws: OrderError.useTooLong) {
            _ = try Order(kind: .reset, number: 1, gates: .these(["a"]), created: 0, notAfter: month + 1)
        }
        _ = try Order(kind: .reset, number: 1, gates: .these(["a"]), created: 0, notAfter: month)
        #expect(throws: OrderError.self) {
            _ = try Order(
                kind: .reset, number: 1, gates: .these(["a"]), created: 0, notAfter: month, content: Array(#"{"audit":"keep"}"#.utf8))
        }
    }

    // MARK: Doing

    @Test("what is erased is gone, and what keeps old files out is there")
    func erased() throws {
        try setUp()
        data.write([1], to: "other.jsonl")
        data.write([1], to: "audit-notes.jsonl")
        stage.write([1], to: ".site.cose.new")
        let numbers = try #require(try OrderRegister(stage.folder).numbers())
        #expect(try take(order()) == nil)
        #expect(try finding() == .reset, "from the moment it is taken")
        let done = try #require(try finish())
        #expect(done.cause == .order(1) && !done.isErasing)
        #expect(Set(stage.files.keys) == Self.kept)
        #expect(Set(data.files.keys) == ["other.jsonl", "audit-notes.jsonl"], "of the log nothing, and of others everything")
        let after = try #require(try OrderRegister(stage.folder).numbers())
        #expect(after.highest(.site) == 7 && numbers.highest(.site) == 7 && after.highest(.reset) == 1)
        #expect(stage.mark?.sequence == 4)
        #expect(try finish() == nil && finding() == .reset)
    }

    @Test("by the button the log stays: nobody signed for it")
    func button() throws {
        try setUp()
        let before = data.files
        try FactoryReset(stage.folder).takeByHand()
        #expect(try finding() == .reset)
        #expect(try finish()?.cause == .button)
        #expect(Set(stage.files.keys) == Self.kept && data.files == before)
        // A second time, and by order after it: the later one counts.
        try FactoryReset(stage.folder).takeByHand()
        #expect(try finish()?.cause == .button)
        #expect(try take(order(5)) == nil)
        #expect(try finish()?.cause == .order(5) && data.files.isEmpty)
    }

    @Test("what is overwritten holds nothing of what was there, by whatever name it is still held")
    func overwritten() throws {
        try setUp()
        for (name, folder) in [("bundle.cose", stage), ("site.cose", stage), ("audit-00000001.jsonl", data)] {
            #expect(link(folder.path(name), folder.path("link-" + name)) == 0)
        }
        #expect(try take(order()) == nil)
        #expect(try finish() != nil)
        for (name, folder) in [("bundle.cose", stage), ("site.cose", stage), ("audit-00000001.jsonl", data)] {
            let left = try #require(folder.files["link-" + name])
            #expect(!left.isEmpty && left.allSatisfy { $0 == 0 }, "\(name)")
        }
    }

    @Test("a log that another gate writes is not erased under it, and the board stays closed")
    func locked() throws {
        try setUp()
        let other = open(data.path("audit.lock"), O_RDWR)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(try take(order()) == nil)
        #expect(throws: FactoryResetError.audit(.lockedByAnother)) { try finish() }
        #expect(data.files["audit.jsonl"] != nil && stage.files["bundle.cose"] == nil)
        #expect(try finding() == .reset)
        #expect(flock(other, LOCK_UN) == 0)
        #expect(try finish() != nil && data.files.isEmpty)
    }

    // MARK: Afterwards

    @Test("after it neither old file is taken, nor is anybody let in without a new one, until a gate has run with that")
    func setUpAgain() throws {
        try setUp()
        #expect(try take(order()) == nil)
        _ = try finish()
        let root = try TestBundle.root(), sites = SiteInstallation(stage.folder), old = try site(7)
        #expect(throws: SiteError.order(.numberUsed(.site, number: 7, highest: 7))) {
            try sites.install(old, root: root, gate: "gate-1", now: now)
        }
        #expect(throws: TrustInstallationError.rolledBack(sequence: 3, highest: 4)) {
            try TrustInstallation(stage.folder).install(TestBundle.number(3).signed(), root: root, now: now)
        }
        #expect(try TrustInstallation(stage.folder).install(TestBundle.number(4).signed(), root: root, now: now) == .installed)
        #expect(try finding() == .reset, "a bundle alone, such as the image's own, opens nothing")
        #expect(try sites.begin(root: root, gate: "gate-1").finding == .reset)
        let fetched = try site(8)
        #expect(throws: SiteError.resetAndFetched, "a network sets no gate up") {
            try sites.install(fetched, .fetched, root: root, gate: "gate-1", now: now)
        }
        // One with which the gate does not come to run is given up, and nothing is open for that.
        try installSite(8)
        for _ in 0..<3 { _ = try sites.begin(root: root, gate: "gate-1") }
        #expect(try sites.begin(root: root, gate: "gate-1").givenUp == 8)
        #expect(try finding() == .reset && sites.begin(root: root, gate: "gate-1").finding == .reset)
        try installSite(9)
        guard case .installed(let site) = try finding(), site.standing == .onTrial(0) else {
            Issue.record("the new file is not in force")
            return
        }
        #expect(stage.files["reset"] != nil)
        #expect(try sites.confirm(9, root: root, gate: "gate-1"))
        #expect(stage.files["reset"] == nil && stage.files["reset.copy"] == nil)
        guard case .installed(let kept) = try finding(), kept.standing == .proven else {
            Issue.record("the new file is not kept")
            return
        }
    }

    @Test("a gate that runs on with a file on trial does not undo what was taken meanwhile")
    func takenMeanwhile() throws {
        try setUp()
        try installSite(8)
        #expect(try take(order()) == nil)
        let root = try TestBundle.root(), sites = SiteInstallation(stage.folder)
        #expect(try sites.confirm(8, root: root, gate: "gate-1"))
        #expect(try finding() == .reset && stage.files["reset"] != nil)
        #expect(try sites.begin(root: root, gate: "gate-1").finding == .reset)
        #expect(try finish() != nil && OrderRegister(stage.folder).numbers()?.highest(.site) == 8)
    }

    private static let ruins = ["bit", "cut", "gone", "long"]

    private func ruin(_ name: String, _ kind: String) throws {
        let whole = try #require(stage.files[name])
        switch kind {
        case "bit": try stage.put(whole.enumerated().map { $0.offset == 3 ? $0.element ^ 1 : $0.element }, name)
        case "cut": try stage.put(whole.dropLast(), name)
        case "long": try stage.put(Data(repeating: 0, count: 100_000), name)
        default: try stage.remove(name)
        }
    }

    @Test("damage to either copy of the mark opens nothing and erases nothing more", arguments: ruins, ["reset", "reset.copy"])
    func damage(_ kind: String, _ name: String) throws {
        try setUp()
        #expect(try take(order()) == nil)
        _ = try finish()
        try ruin(name, kind)
        #expect(try finding() == .reset && finish() == nil)
        #expect(try take(order()) == .numberUsed(.reset, number: 1, highest: 1))
    }

    @Test("nor does damage to both, before a site file comes; after that it shuts nobody out", arguments: ["bit", "cut", "long"])
    func damageToBoth(_ kind: String) throws {
        try setUp()
        #expect(try take(order()) == nil)
        _ = try finish()
        for name in ["reset", "reset.copy"] { try ruin(name, kind) }
        #expect(try finding() == .reset && finish() == nil)
        try installSite(8)
        #expect(try finding() != .reset)
        #expect(try SiteInstallation(stage.folder).confirm(8, root: TestBundle.root(), gate: "gate-1"))
        #expect(stage.files["reset"] == nil)
    }

    // MARK: Cuts

    /// Counts the steps, and stops at one.
    private final class Stop: Sendable {
        private let left: Mutex<Int>
        private let isEnd = Mutex(false)

        init(at step: Int) { left = Mutex(step) }

        var hasStopped: Bool { isEnd.withLock { $0 } }

        func watch(_ step: DurableFolder.Step, _ name: String) throws(SystemError) {
            let isNow = left.withLock { left in
                left -= 1
                return left < 0
            }
            guard isNow else { return }
            isEnd.withLock { $0 = true }
            throw SystemError(errno: EIO)
        }
    }

    @Test("a cut at any moment of either step leaves the gate as it was, or closed; the next start ends what was begun")
    func cuts() throws {
        var places = 0
        for step in 0..<200 {
            let test = FactoryResetTests(), stop = Stop(at: step)
            try test.setUp()
            let before = test.stage.files
            let refusal = try test.take(test.order(), { (step, name) throws(SystemError) in try stop.watch(step, name) })
            if refusal == nil {
                _ = try? test.finish { (step, name) throws(SystemError) in try stop.watch(step, name) }
            }
            let finding = try test.finding()
            if finding != .reset {
                #expect(test.stage.files["bundle.cose"] == before["bundle.cose"] && test.stage.files["site.cose"] == before["site.cose"])
                #expect(try test.finish() == nil, "step \(step): nothing was taken")
            } else {
                let isDone = try test.finish() == nil
                #expect(Set(test.stage.files.keys) == Self.kept && test.data.files.isEmpty, "step \(step), \(isDone)")
                #expect(try test.finding() == .reset && test.finish() == nil)
                let again = try test.take(test.order())
                #expect(again == .numberUsed(.reset, number: 1, highest: 1), "step \(step)")
                let numbers = try OrderRegister(test.stage.folder).numbers()
                #expect(numbers?.highest(.site) == 7 && test.stage.mark?.sequence == 4)
            }
            places += 1
            if !stop.hasStopped { break }
        }
        #expect(places > 20 && places < 200, "all of them")
    }
}
