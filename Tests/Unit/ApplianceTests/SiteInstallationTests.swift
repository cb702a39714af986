import BoardTestSupport
import Foundation
import Linux
import Synchronization
import Testing
import Trust

@testable import Appliance

@Suite struct SiteInstallationTests {
    private let stage = Stage()
    private let now = TestBundle.now
    private var installation: SiteInstallation { SiteInstallation(stage.folder) }

    private func install(
        _ order: TestOrder, _ watch: DurableFolder.Watch? = nil, _ way: SiteInstallation.Way = .brought
    ) throws -> SiteError? {
        let octets = try order.signed(), root = try TestBundle.root()
        do throws(SiteError) {
            _ = try SiteInstallation(stage.folder, watch: watch).install(octets, way, root: root, gate: "gate-1", now: now)
            return nil
        } catch {
            return error
        }
    }

    private func found() throws -> SiteFinding { try installation.load(root: TestBundle.root(), gate: "gate-1") }

    private func installed() throws -> (number: Int64, standing: InstalledSite.Standing)? {
        guard case .installed(let site) = try found() else { return nil }
        return (site.number, site.standing)
    }

    private func confirm() throws {
        guard let number = try installed()?.number else { throw CancellationError() }
        #expect(try installation.confirm(number, root: TestBundle.root(), gate: "gate-1"))
    }

    private func start() throws -> Int64? { try installation.begin(root: TestBundle.root(), gate: "gate-1").givenUp }

    @Test("a site file is on trial until the gate has run with it, and then in force")
    func proven() throws {
        #expect(try found() == .none && start() == nil)
        #expect(try install(site(#"{"name":"ONE"}"#)) == nil)
        #expect(try installed()?.number == 1 && installed()?.standing == .onTrial(0))
        #expect(try start() == nil)
        #expect(try installed()?.standing == .onTrial(1))
        try confirm()
        #expect(try installed()?.number == 1 && installed()?.standing == .proven)
        for _ in 0..<5 { #expect(try start() == nil) }
        #expect(try installed()?.standing == .proven)
    }

    @Test("one with which the gate does not come to run is given up for the one before it, or for none")
    func givenUp() throws {
        #expect(try install(site(#"{"name":"ONE"}"#)) == nil)
        for _ in 0..<3 { #expect(try start() == nil) }
        #expect(try start() == 1)
        #expect(try found() == .none)
        #expect(try install(site(#"{"name":"OTHER"}"#)) == .order(.numberUsed(.site, number: 1, highest: 1)), "its number is used up")
        #expect(try install(site(#"{"name":"ONE"}"#)) == nil && start() == nil, "the very same file may be tried once more")
        #expect(try install(site(#"{"name":"ONE"}"#)) == .order(.numberUsed(.site, number: 1, highest: 1)), "but not while it is on trial")
        #expect(try install(site(#"{"name":"TWO"}"#, 2)) == nil && start() == nil)
        try confirm()
        // Two in a row that were never run with do not displace the one that was.
        for number in [3, 4] as [Int64] { #expect(try install(site(#"{"hci":"hci:9"}"#, number)) == nil && start() == nil) }
        for _ in 0..<2 { #expect(try start() == nil) }
        #expect(try start() == 4)
        #expect(try installed()?.number == 2 && installed()?.standing == .proven && start() == nil)
    }

    @Test("one that was fetched and given up is not taken again, however often it is offered; a newer one is")
    func fetchedAndGivenUp() throws {
        let first = try site(#"{"name":"ONE"}"#).signed()
        #expect(try install(site(#"{"name":"ONE"}"#), nil, .fetched) == nil)
        #expect(try installation.number(of: first, root: TestBundle.root(), gate: "gate-1") == 1, "there is nothing to do with it")
        try confirm()
        #expect(try install(site(#"{"hci":"hci:9"}"#, 2), nil, .fetched) == nil)
        for _ in 0..<3 { #expect(try start() == nil) }
        #expect(try start() == 2 && installed()?.number == 1)
        #expect(try install(site(#"{"hci":"hci:9"}"#, 2), nil, .fetched) == .order(.numberUsed(.site, number: 2, highest: 2)))
        #expect(try install(site(#"{"name":"ONE"}"#), nil, .fetched) == .order(.numberUsed(.site, number: 1, highest: 2)))
        #expect(try install(site(#"{"name":"TWO"}"#, 3), nil, .fetched) == nil && start() == nil)
    }

    @Test("what is refused leaves the one in force")
    func refused() throws {
        #expect(try install(site(#"{"name":"ONE"}"#)) == nil)
        try confirm()
        let before = stage.files
        #expect(try install(site(#"{"nam":"TWO"}"#, 2)) == .settings(.unknownMember("nam")))
        #expect(try install(site(#"{"perGate":{"gate-2":{"camera":"cmd:sh"}}}"#, 2)) == .settings(.linkNotAllowed("perGate.gate-2.camera")))
        #expect(try install(site("{}", 2, .these(["gate-9"]))) == .order(.order(.forOthers(this: "gate-1"))))
        #expect(try install(site("{}", 1)) == .order(.numberUsed(.site, number: 1, highest: 1)))
        #expect(try install(TestOrder.number(2)) == .order(.order(.wrongKind(found: .export, wanted: .site))))
        var late = site("{}", 2)
        late.created = now - 20
        late.notAfter = now
        #expect(try install(late) == .order(.order(.expired(at: now))))
        #expect(stage.files == before)
    }

    /// One that demands faces, after one that turned them off; both proven.
    private func twoProven() throws {
        #expect(try install(site(#"{"face":"off"}"#)) == nil)
        try confirm()
        #expect(try install(site(#"{"face":"required"}"#, 2)) == nil)
        try confirm()
    }

    private func ruin(_ name: String, _ kind: String) throws {
        let whole = try #require(stage.files[name])
        switch kind {
        case "bit": try stage.put(whole.enumerated().map { $0.offset == 100 ? $0.element ^ 1 : $0.element }, name)
        case "cut": try stage.put(whole.dropLast(), name)
        case "long": try stage.put(Data(repeating: 0, count: Order.largest + 1), name)
        default: try stage.remove(name)
        }
    }

    static let ruins = ["bit", "cut", "long", "gone"]

    @Test("damage to either copy costs nothing: never a setting from before comes back", arguments: ruins, ["site.cose", "site.good.cose"])
    func damage(_ kind: String, _ name: String) throws {
        try twoProven()
        try ruin(name, kind)
        #expect(try installed()?.number == 2 && installed()?.standing == (name == "site.cose" ? .otherCopy : .proven))
        #expect(try found().demandsFaces == false, "it says itself what it demands")
        #expect(try start() == nil)
        #expect(
            try installed()?.standing == .proven && stage.files["site.cose"] == stage.files["site.good.cose"], "and both are there again")
    }

    @Test("a file that is lost in both copies was there: faces are compared in any case", arguments: ruins, ruins)
    func bothLost(_ one: String, _ other: String) throws {
        try twoProven()
        try ruin("site.cose", one)
        try ruin("site.good.cose", other)
        for _ in 0..<5 { #expect(try start() == nil) }
        guard case .unusable = try found() else { return #expect(Bool(false), "there was a site file") }
        #expect(try found().demandsFaces)
        #expect(try install(site(#"{"name":"THREE"}"#, 3)) == nil && installed()?.number == 3)
    }

    @Test("an older file in the place of the newest serves for the rest, and faces are compared in any case", arguments: ruins)
    func older(_ kind: String) throws {
        #expect(try install(site(#"{"face":"off"}"#)) == nil)
        try confirm()
        let one = try #require(stage.files["site.cose"])
        #expect(try install(site(#"{"face":"required"}"#, 2)) == nil)
        try ruin("site.cose", kind)
        for _ in 0..<5 { #expect(try start() == nil, "one that is damaged has not been tried") }
        #expect(try installed()?.number == 1 && installed()?.standing == .previous && found().demandsFaces)
        try stage.put(one, "site.cose")
        try stage.remove("site.trial")
        #expect(try installed()?.standing == .previous && found().demandsFaces, "put back by hand")
        #expect(try install(site(#"{"face":"off"}"#)) == .order(.numberUsed(.site, number: 1, highest: 2)))
    }

    @Test("a damaged file on trial is not given up for none")
    func damagedTrial() throws {
        #expect(try install(site(#"{"face":"required"}"#, 4)) == nil)
        try stage.put([0x7A], "site.cose")
        for _ in 0..<5 { #expect(try start() == nil) }
        #expect(try found().demandsFaces)
    }

    @Test("where there never was a site file, there is none; where the numbers are lost too, nobody knows")
    func never() throws {
        _ = try TrustInstallation(stage.folder).install(TestBundle.number(1).signed(), root: TestBundle.root(), now: now)
        #expect(try found() == .none)
        #expect(
            try OrderRegister(stage.folder).take(TestOrder.number(1).signed(), .export, root: TestBundle.root(), gate: "gate-1", now: now)
                .order.number == 1)
        #expect(try found() == .none)
        for name in ["orders", "orders.copy"] { try stage.put([0], name) }
        #expect(try found().demandsFaces)
    }

    @Test("a cut between the file and its number: none older comes after it, and the same one may come again")
    func cutBeforeNumber() throws {
        #expect(try install(site("{}", 3)) == nil)
        try confirm()
        let numbers = stage.files.filter { $0.key.hasPrefix("orders") }
        #expect(try install(site(#"{"face":"required"}"#, 7)) == nil)
        for (name, octets) in numbers { try stage.put(octets, name) }
        #expect(try install(site(#"{"face":"off"}"#, 5)) == .order(.numberUsed(.site, number: 5, highest: 7)))
        #expect(try install(site(#"{"face":"required"}"#, 7)) == nil)
        #expect(try OrderRegister(stage.folder).numbers()?.highest(.site) == 7)
        // With the record gone as well, the file that is there is what is known.
        try confirm()
        for name in ["orders", "orders.copy", "highwater", "highwater.copy"] { try? stage.remove(name) }
        #expect(try install(site(#"{"face":"off"}"#, 5)) == .order(.numberUsed(.site, number: 5, highest: 7)))
        #expect(try install(site("{}", 8)) == nil)
    }

    @Test("what a gate confirms is the file it runs with")
    func otherConfirmed() throws {
        let root = try TestBundle.root()
        #expect(try install(site("{}", 2)) == nil && start() == nil)
        #expect(try install(site(#"{"hci":"hci:9"}"#, 3)) == nil)
        #expect(try installation.confirm(2, root: root, gate: "gate-1") == false)
        #expect(try installed()?.standing == .onTrial(0))
        #expect(try installation.confirm(3, root: root, gate: "gate-1"))
    }

    @Test("a start that ended for a reason of its own does not count")
    func takenBack() throws {
        let root = try TestBundle.root()
        #expect(try install(site("{}", 2)) == nil)
        for _ in 0..<9 {
            #expect(try start() == nil)
            try installation.takeBack(2, root: root, gate: "gate-1")
            try installation.takeBack(1, root: root, gate: "gate-1")
        }
        #expect(try installed()?.standing == .onTrial(0))
    }

    @Test("a trial that cannot be counted is not made: the gate starts with what it has run with", arguments: [true, false])
    func uncounted(_ hasGood: Bool) throws {
        let root = try TestBundle.root()
        if hasGood {
            #expect(try install(site(#"{"name":"ONE"}"#)) == nil)
            try confirm()
        }
        #expect(try install(site(#"{"name":"TWO"}"#, 2)) == nil)
        let full = SiteInstallation(stage.folder) { _, _ throws(SystemError) in throw .diskFull }
        for _ in 0..<5 {
            let beginning = try full.begin(root: root, gate: "gate-1")
            #expect(beginning.failure == .disk(.diskFull) && beginning.finding.demandsFaces)
            if hasGood, case .installed(let site) = beginning.finding {
                #expect(site.number == 1)
            } else {
                #expect(beginning.finding == .unusable(.trialNotCounted))
            }
        }
        #expect(try installation.begin(root: root, gate: "gate-1").failure == nil)
        #expect(try installed()?.number == 2)
        try confirm()
        #expect(try full.begin(root: root, gate: "gate-1").finding == found(), "one that is proven needs no counting")
    }

    @Test("another root, another gate: a file that is there and not for it is not used")
    func others() throws {
        #expect(try install(site(#"{"face":"required"}"#)) == nil)
        let root = try TestBundle.root(), stranger = try TestBundle.root([7, 8])
        for finding in [
            try installation.load(root: stranger, gate: "gate-1"), try installation.load(root: root, gate: "gate-3"),
            try installation.load(root: root, gate: nil),
        ] {
            guard case .unusable = finding else {
                Issue.record("\(finding)")
                continue
            }
        }
    }

    @Test("a cut at any step of an installation leaves the old file or the new one, and what was proven stays at hand")
    func cuts() throws {
        for last in 0... {
            let stage = Stage(), steps = Mutex(0), root = try TestBundle.root()
            let one = try site(#"{"name":"ONE"}"#).signed(), two = try site(#"{"name":"TWO"}"#, 2).signed()
            let whole = SiteInstallation(stage.folder)
            _ = try whole.install(one, root: root, gate: "gate-1", now: now)
            #expect(try whole.confirm(1, root: root, gate: "gate-1"))
            let cut = SiteInstallation(stage.folder) { _, _ throws(SystemError) in
                let isLast = steps.withLock { count in
                    defer { count += 1 }
                    return count == last
                }
                if isLast { throw .diskFull }
            }
            let isDone = (try? cut.install(two, root: root, gate: "gate-1", now: now)) != nil
            guard case .installed(let found) = try whole.load(root: root, gate: "gate-1") else {
                Issue.record("step \(last): nothing is left")
                return
            }
            #expect((found.number == 2) == isDone, "step \(last): what is said to be refused is not in force")
            // Whichever it is, a gate that never comes to run ends with the proven one.
            for _ in 0...SiteInstallation.mostTrials { _ = try whole.begin(root: root, gate: "gate-1") }
            guard case .installed(let end) = try whole.load(root: root, gate: "gate-1") else {
                Issue.record("step \(last): nothing is left in the end")
                return
            }
            #expect(end.number == 1 && end.standing == .proven, "step \(last)")
            guard steps.withLock({ $0 }) > last else {
                #expect(last == 20, "every step was tried")
                return
            }
        }
    }
}
