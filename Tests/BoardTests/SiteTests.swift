import Credentials
import Foundation
import Gate
import JSON
import Synchronization
import Testing

@testable import Board

private func site(_ content: String, _ number: Int64 = 1, _ gates: Order.Gates = .these(["gate-1", "gate-2"])) -> TestOrder {
    TestOrder(kind: .site, number: number, gates: gates, content: content)
}

@Suite struct SiteSettingsTests {
    private func read(_ content: String, for gate: String? = "gate-1", _ kind: Order.Kind = .site) throws -> Result<SiteSettings, SiteSettingsError> {
        let order = try Order(
            kind: kind, number: 1, gates: .these(["gate-1", "gate-2"]), created: TestBundle.now, notAfter: TestBundle.now + 1, content: Array(content.utf8))
        return Result { () throws(SiteSettingsError) in try SiteSettings(order, for: gate) }
    }

    private func fault(_ content: String, for gate: String? = "gate-1") throws -> SiteSettingsError? {
        if case .failure(let error) = try read(content, for: gate) { error } else { nil }
    }

    private static let whole = #"{"name":"NORTH","wire":"0.4","hci":"hci:1","lights":"gpio:gpiochip0/accept=17,reject=27","screen":"fb:/dev/fb1","#
        + #""camera":"v4l2:/dev/video1","face":"required","faceThresholds":{"gatehouse-face-thresholds":1,"entries":[]},"#
        + #""faceSettings":{"gatehouse-face-settings":1,"yaw":15},"timeSync":true,"timeServers":["a.example","2001:db8::1"],"#
        + #""update":{"url":"https://updates.example","id":"gate-1","poll":60,"targetToken":"abc"}}"#

    @Test("every member of the table is read, and nothing else is set")
    func everything() throws {
        let settings = try read(Self.whole).get()
        #expect(settings.name == "NORTH" && settings.wire == "0.4" && settings.face == .required && settings.timeSync == true)
        #expect(settings.hci == .userChannel(index: 1) && settings.screen == .framebuffer(path: "/dev/fb1"))
        #expect(settings.lights != nil && settings.camera != nil && settings.faceThresholds?.entries == [] && settings.faceSettings?.yaw == 15)
        #expect(settings.timeServers == ["a.example", "2001:db8::1"])
        #expect(settings.update?.values == ["url": "https://updates.example", "id": "gate-1", "poll": "60", "targetToken": "abc"])
        #expect(Set(settings.texts.keys) == Set(SiteMember.allCases))
        #expect(try read("{}").get() == .none)
    }

    @Test("the schema for editors knows the same members")
    func schema() throws {
        let path = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/board/site.schema.json"
        let root = try JSONDocument(parsing: Array(#require(FileManager.default.contents(atPath: path)))).root
        func names(_ value: JSONValue?) throws -> Set<String> { Set(try #require(value?.members).map(\.name)) }
        let members = Set(SiteMember.allCases.map(\.rawValue))
        #expect(try names(root["properties"]) == members.union([SiteSettings.perGate]))
        #expect(try names(root.value(at: ["$defs", "gate", "properties"])) == members)
        #expect(try names(root.value(at: ["properties", "update", "properties"])) == Set(SiteSettings.UpdateServer.members))
    }

    @Test("what is said for one gate comes before what is said for all, and is nobody else's")
    func perGate() throws {
        let content = #"{"name":"ALL","face":"required","perGate":{"gate-1":{"name":"NORTH"},"gate-2":{"face":"off"}}}"#
        #expect(try read(content, for: "gate-1").get().name == "NORTH" && read(content, for: "gate-1").get().face == .required)
        #expect(try read(content, for: "gate-2").get().name == "ALL" && read(content, for: "gate-2").get().face == .off)
        #expect(try read(content, for: nil).get().name == "ALL" && read(content, for: nil).get().face == .required)
        // A fault in another gate's part is a fault of the file.
        #expect(try fault(#"{"perGate":{"gate-2":{"nam":1}}}"#) == .unknownMember("perGate.gate-2.nam"))
        #expect(try fault(#"{"perGate":{"gate-2":{"perGate":{}}}}"#) == .unknownMember("perGate.gate-2.perGate"))
        #expect(try fault(#"{"perGate":{"gate-3":{}}}"#) == .notAddressed("perGate.gate-3"))
        #expect(try fault(#"{"perGate":{"a b":{}}}"#) == .badGateID("perGate.a b"))
        #expect(try fault(#"{"perGate":[]}"#) == .notAnObject("perGate") && fault(#"{"perGate":{"gate-1":1}}"#) == .notAnObject("perGate.gate-1"))
    }

    @Test("links that start programs, read files or leave the board are refused", arguments: [
        ("camera", "cmd:rpicam-vid -o -"), ("camera", "dir:/tmp"), ("camera", "file:/etc/shadow"), ("camera", "stdin:"), ("hci", "tcp:10.0.0.1:6402"),
        ("hci", "unix:/tmp/air"), ("lights", "terminal:"),
    ])
    func links(_ member: String, _ link: String) throws {
        #expect(try fault("{\"\(member)\":\"\(link)\"}") == .linkNotAllowed(member))
    }

    @Test("values that cannot be are refused by their path", arguments: [
        (#"{"name":""}"#, SiteSettingsError.badValue("name")), (#"{"name":"TWELVE-CHARS"}"#, .badValue("name")), (#"{"name":"Ä"}"#, .badValue("name")),
        (#"{"name":1}"#, .wrongType("name")), (#"{"wire":"0.6"}"#, .badValue("wire")), (#"{"wire":0.5}"#, .wrongType("wire")),
        (#"{"face":"maybe"}"#, .badValue("face")), (#"{"hci":"hci:x"}"#, .badMoniker("hci", .badNumber("x"))),
        (#"{"screen":"fb:/dev/fb0\n"}"#, .badValue("screen")), (#"{"timeSync":1}"#, .wrongType("timeSync")), (#"{"timeServers":"a"}"#, .wrongType("timeServers")),
        (#"{"timeServers":["a","a"]}"#, .badValue("timeServers")), (#"{"timeServers":["-a"]}"#, .badValue("timeServers")),
        (#"{"timeServers":["a b"]}"#, .badValue("timeServers")), (#"{"timeServers":["1","2","3","4","5","6","7","8","9"]}"#, .badValue("timeServers")),
        (#"{"update":{}}"#, .badValue("update.url")), (#"{"update":{"url":"file:///etc"}}"#, .badValue("update.url")),
        (#"{"update":{"url":"https://a\"; x"}}"#, .badValue("update.url")), (#"{"update":{"url":"https://a","poll":1}}"#, .badValue("update.poll")),
        (#"{"update":{"url":"https://a","user":"x"}}"#, .unknownMember("update.user")), (#"{"names":"x"}"#, .unknownMember("names")),
        (#"{"Name":"x"}"#, .unknownMember("Name")), (#"{"faceSettings":{}}"#, .badFaceSettings("faceSettings", .file(.missingMember("gatehouse-face-settings")))),
        (#"{"faceThresholds":[]}"#, .badThresholds("faceThresholds", .notAnObject)),
    ])
    func values(_ content: String, _ error: SiteSettingsError) throws {
        #expect(try fault(content) == error)
    }

    @Test("an order of another kind is no site file")
    func kinds() throws {
        #expect(try read("{}", .export) == .failure(.notASiteFile))
    }
}

@Suite struct SiteInstallationTests {
    private let stage = Stage()
    private let now = TestBundle.now
    private var installation: SiteInstallation { SiteInstallation(stage.folder) }

    private func install(_ order: TestOrder, _ watch: DurableFolder.Watch? = nil) throws -> SiteError? {
        let octets = try order.signed(), root = try TestBundle.root()
        do throws(SiteError) {
            _ = try SiteInstallation(stage.folder, watch: watch).install(octets, root: root, gate: "gate-1", now: now)
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

    private func start() throws -> Int64? { try installation.begin(root: TestBundle.root(), gate: "gate-1").givenUp }

    @Test("a site file is on trial until the gate has run with it, and then in force")
    func proven() throws {
        #expect(try found() == .none && start() == nil)
        #expect(try install(site(#"{"name":"ONE"}"#)) == nil)
        #expect(try installed()?.number == 1 && installed()?.standing == .onTrial(0))
        #expect(try start() == nil)
        #expect(try installed()?.standing == .onTrial(1))
        try installation.confirm()
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
        #expect(try install(site(#"{"name":"ONE"}"#)) == .order(.numberUsed(.site, number: 1, highest: 1)), "its number is used up")
        #expect(try install(site(#"{"name":"TWO"}"#, 2)) == nil && start() == nil)
        try installation.confirm()
        // Two in a row that were never run with do not displace the one that was.
        for number in [3, 4] as [Int64] { #expect(try install(site(#"{"hci":"hci:9"}"#, number)) == nil && start() == nil) }
        for _ in 0..<2 { #expect(try start() == nil) }
        #expect(try start() == 4)
        #expect(try installed()?.number == 2 && installed()?.standing == .proven && start() == nil)
    }

    @Test("what is refused leaves the one in force")
    func refused() throws {
        #expect(try install(site(#"{"name":"ONE"}"#)) == nil)
        try installation.confirm()
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

    @Test("damage: the one before it is used, and where that is gone too, faces are compared in any case")
    func damage() throws {
        #expect(try install(site(#"{"name":"ONE"}"#)) == nil)
        try installation.confirm()
        #expect(try install(site(#"{"name":"TWO"}"#, 2)) == nil)
        try installation.confirm()
        let whole = try #require(stage.files["site.cose"])
        for damaged in [Data(), whole.dropLast(), Data(repeating: 0, count: whole.count), Data(repeating: 0, count: Order.largest + 1)] {
            try stage.put(damaged, "site.cose")
            #expect(try installed()?.number == 1 && installed()?.standing == .previous)
        }
        try stage.put([], "site.good.cose")
        guard case .unusable = try found() else { return #expect(Bool(false), "there was a site file") }
        #expect(try install(site(#"{"name":"THREE"}"#, 3)) == nil && installed()?.number == 3)
    }

    @Test("another root, another gate: a file that is there and not for it is not used")
    func others() throws {
        #expect(try install(site(#"{"face":"required"}"#)) == nil)
        let root = try TestBundle.root(), stranger = try TestBundle.root([7, 8])
        for finding in [try installation.load(root: stranger, gate: "gate-1"), try installation.load(root: root, gate: "gate-3"), try installation.load(root: root, gate: nil)] {
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
            try whole.confirm()
            let cut = SiteInstallation(stage.folder) { _, _ throws(TrustInstallationError) in
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
            #expect(found.number == 2 || !isDone)
            // Whichever it is, a gate that never comes to run ends with the proven one.
            for _ in 0...SiteInstallation.mostTrials { _ = try whole.begin(root: root, gate: "gate-1") }
            guard case .installed(let end) = try whole.load(root: root, gate: "gate-1") else {
                Issue.record("step \(last): nothing is left in the end")
                return
            }
            #expect(end.number == 1 && end.standing == .proven, "step \(last)")
            guard !isDone else {
                #expect(last == 25, "every step was tried")
                return
            }
        }
    }

    @Test("a new file is kept after a minute of running, and with a working controller where it names one")
    func trials() {
        let minute: UInt64 = 60_000_000_000
        let kept = Mutex(0)
        func trial(_ needsController: Bool) -> SiteTrial { SiteTrial(needsController: needsController, now: 0) { kept.withLock { $0 += 1 } } }
        var plain = trial(false)
        #expect(plain.pass(minute - 1, isControllerUp: false) == false && kept.withLock { $0 } == 0 && plain.due == minute)
        #expect(plain.pass(minute, isControllerUp: false) == false && kept.withLock { $0 } == 1 && plain.due == nil)
        var lost = trial(true)
        #expect(lost.pass(2 * minute, isControllerUp: false) == false && lost.pass(3 * minute, isControllerUp: false))
        #expect(kept.withLock { $0 } == 1 && lost.due == nil && lost.pass(4 * minute, isControllerUp: true) == false)
        var found = trial(true)
        #expect(found.pass(5, isControllerUp: true) == false && kept.withLock { $0 } == 2 && found.pass(9 * minute, isControllerUp: false) == false)
        #expect(kept.withLock { $0 } == 2)
    }
}

@Suite struct GateIdentityTests {
    private let stage = Stage(), system = Stage()

    private func folders(_ serial: String?) throws -> SystemFolders {
        if let serial {
            try FileManager.default.createDirectory(atPath: system.path("device-tree"), withIntermediateDirectories: true)
            try system.put(Array(serial.utf8), "device-tree/serial-number")
        }
        return SystemFolders(proc: system.folder)
    }

    @Test("a board's serial number is the gate's id, and nothing is drawn")
    func serial() throws {
        let identity = try GateIdentity.made(stage.folder, folders("10000000abcdef01\0"))
        #expect(identity.id == "10000000abcdef01" && identity.source == .board && stage.files.isEmpty)
    }

    @Test("a board without one draws an id, once", arguments: [nil, "", "0000000000000000\0", "\0", "two words\0"])
    func drawn(_ serial: String?) throws {
        let folders = try folders(serial)
        #expect(GateIdentity(stage.folder, folders) == nil)
        let first = try GateIdentity.made(stage.folder, folders)
        #expect(first.source == .drawn && first.id.utf8.count == 16 && GateID.isWellFormed(first.id))
        #expect(try GateIdentity.made(stage.folder, folders) == first && GateIdentity(stage.folder, folders) == first)
        try stage.put(Array("a b\n".utf8), "gate-id")
        #expect(try GateIdentity.made(stage.folder, folders) != first, "one that was damaged is drawn anew")
    }
}
