import BoardTestSupport
import Devices
import Foundation
import Linux
import Testing
import Trust
import Tuvali
import Visit

@testable import Appliance

private let second: UInt64 = 1_000_000_000

/// What the screen was given, in its order.
private final class CodeScreen: Screen {
    var lines: [String] = []

    func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) { lines.append("code " + String(decoding: uri, as: UTF8.self)) }
    func clearCode() throws(ScreenError) { lines.append("no code") }
    func clear() throws(ScreenError) {}
    func tell(_ sign: Sign, language: Int) throws(ScreenError) { lines.append("\(sign.kind)\(sign.code.map { " " + $0 } ?? "")") }
    func list(_ verdicts: [VerdictLine]) throws(ScreenError) { lines.append("list") }
    func close() {}

    func news() -> [String] {
        defer { lines = [] }
        return lines
    }
}

private final class NoLights: Lights {
    var fitted: LampSet { .all }
    func set(_ lit: LampSet) throws(LightsError) {}
    func close() {}
}

@Suite struct SetUpNoticeTests {
    private let noTrust = ClosedCauses(.noTrust)

    private func notice(isFirst: Bool) -> SetUpNotice { SetUpNotice(id: "10000000abcdef01", isFirstStart: isFirst, now: 5 * second) }

    private func gate() throws -> Gatekeeper {
        let name = Array("TEST".utf8)
        return try Gatekeeper(name: VerifierName(deviceName: name.span), version: .v05, trust: .nobody, policy: Policy())
    }

    @Test("a board that believes nobody shows its id until it does, and serves whoever comes meanwhile")
    func believesNobody() {
        let notice = notice(isFirst: false)
        for sign in [VisitorSign.none, .scan] {
            #expect(notice.isShown(sign, closed: noTrust, now: 5 * second) && notice.isShown(sign, closed: noTrust, now: .max))
            #expect(!notice.isShown(sign, closed: [], now: 5 * second), "near it: somebody is believed")
            #expect(!notice.isShown(sign, closed: ClosedCauses(.trustExpired), now: 5 * second))
        }
        for sign in [VisitorSign.connected, .receiving(percent: 1), .checking, .look, .accepted, .rejected(nil), .failed, .fault] {
            #expect(!notice.isShown(sign, closed: noTrust, now: 5 * second), "\(sign)")
        }
        #expect(notice.nextLook == nil)
    }

    @Test("one that is open shows it for the first minute of its first start, and never again")
    func firstMinute() {
        var notice = notice(isFirst: true)
        #expect(notice.nextLook == 65 * second)
        for sign in [VisitorSign.none, .scan, .fault] {
            #expect(notice.isShown(sign, closed: [], now: 5 * second) && notice.isShown(sign, closed: [], now: 65 * second - 1))
            #expect(!notice.isShown(sign, closed: [], now: 65 * second))
        }
        #expect(!notice.isShown(.connected, closed: [], now: 6 * second))
        notice.passTime(65 * second - 1)
        #expect(notice.nextLook == 65 * second)
        notice.passTime(65 * second)
        #expect(notice.nextLook == nil && !notice.isShown(.scan, closed: [], now: 6 * second))
    }

    @Test("the code stands there once, in the gate's place, and goes when it is somebody else's turn")
    func drawn() throws {
        let screen = CodeScreen()
        let display = GateDisplay(
            lights: LightsPanel(NoLights(), report: { _ in }), screen: ScreenPanel(screen), notice: notice(isFirst: true))
        var gate = try gate()
        _ = screen.news()
        display.tell(.scan, now: 6 * second)
        display.draw(code: &gate, hint: nil, closed: [], now: 6 * second)
        #expect(screen.news() == ["code 10000000abcdef01", "unset 10000000abcdef01"])
        display.draw(code: &gate, hint: nil, closed: [], now: 7 * second)
        #expect(screen.news().isEmpty && display.nextLook ?? 0 <= 65 * second)
        // A visitor, by radio: the gate has no code here, so none stands there.
        display.tell(.connected, now: 8 * second)
        display.draw(code: &gate, hint: nil, closed: [], now: 8 * second)
        #expect(screen.news() == ["no code", "connected"])
        display.tell(.scan, now: 9 * second)
        display.draw(code: &gate, hint: nil, closed: [], now: 9 * second)
        #expect(screen.news() == ["code 10000000abcdef01", "unset 10000000abcdef01"])
        display.draw(code: &gate, hint: nil, closed: [], now: 65 * second)
        #expect(screen.news() == ["no code", "scan"])
        // Nobody is believed any more: the id again, whatever the time.
        display.draw(code: &gate, hint: nil, closed: noTrust, now: 90 * second)
        #expect(screen.news() == ["code 10000000abcdef01", "unset 10000000abcdef01"])
    }

    @Test("a gate without a notice is as it was")
    func without() throws {
        let screen = CodeScreen()
        let display = GateDisplay(lights: LightsPanel(NoLights(), report: { _ in }), screen: ScreenPanel(screen))
        var gate = try gate()
        _ = screen.news()
        display.tell(.scan, now: second)
        display.draw(code: &gate, hint: nil, closed: noTrust, now: second)
        #expect(screen.news() == ["closed no-trust-bundle"])
    }

    private func site(_ finding: SiteFinding, serial: String?) throws -> LoadedSite {
        let folder = Stage(), system = Stage()
        if let serial {
            try FileManager.default.createDirectory(atPath: system.path("device-tree"), withIntermediateDirectories: true)
            try system.put(Array(serial.utf8), "device-tree/serial-number")
        }
        var site = LoadedSite(identity: try GateIdentity.made(folder.folder, SystemFolders(proc: system.folder)))
        site.finding = finding
        return site
    }

    @Test("only a board that nobody has set up has one")
    func whoHasOne() throws {
        let new = try site(.none, serial: "10000000abcdef01\0")
        #expect(new.notice(canBeSetUp: true, isFirstStart: true, now: 5 * second) == notice(isFirst: true))
        #expect(new.notice(canBeSetUp: true, isFirstStart: false, now: 5 * second) == notice(isFirst: false))
        #expect(new.notice(canBeSetUp: false, isFirstStart: true, now: 5 * second) == nil, "nobody could sign anything for it")
        let drawn = try site(.none, serial: nil).notice(canBeSetUp: true, isFirstStart: true, now: 5 * second)
        #expect(drawn != nil && drawn?.nextLook == nil, "shown where nobody can enter, and no minute taken from visitors")
        #expect(LoadedSite().notice(canBeSetUp: true, isFirstStart: true, now: 5 * second) == nil, "no id")
        for finding in [SiteFinding.installed(InstalledSite(number: 1, settings: .none, standing: .proven)), .unusable(.lost)] {
            let site = try site(finding, serial: "10000000abcdef01\0")
            #expect(site.notice(canBeSetUp: true, isFirstStart: true, now: 5 * second) == nil, "\(finding)")
        }
    }
}
