import Credentials
import Devices
import Faces
import Linux
import Testing
import Trust
import Tuvali
import Visit

@testable import Appliance

private let second: UInt64 = 1_000_000_000

/// What lamps and screen were told, in their order.
private final class Journal {
    var lines: [String] = []
}

private final class JournalScreen: Screen {
    let journal: Journal
    var canVanish: Bool { true }
    var failure: ScreenError?

    init(_ journal: Journal) { self.journal = journal }

    func check() throws(ScreenError) { if let failure { throw failure } }
    func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) { journal.lines.append("code") }
    func clearCode() throws(ScreenError) {
        if let failure { throw failure }
        journal.lines.append("no code")
    }
    func clear() throws(ScreenError) {}
    func tell(_ sign: Sign, language: Int) throws(ScreenError) {
        if let failure { throw failure }
        journal.lines.append("\(sign.kind)\(sign.code.map { " " + $0 } ?? "")")
    }
    func list(_ verdicts: [VerdictLine]) throws(ScreenError) { journal.lines.append("list of \(verdicts.count)") }
    func close() {}
}

private final class JournalLights: Lights {
    let journal: Journal
    var fitted: LampSet { .all }

    init(_ journal: Journal) { self.journal = journal }
    func set(_ lit: LampSet) throws(LightsError) { if !lit.isEmpty { journal.lines.append("lamp") } }
    func close() {}
}

/// A screen that can be pulled out and put in again.
private final class Socket {
    var screen: JournalScreen?
    private(set) var opened = 0

    func open() throws(ScreenError) -> any Screen {
        opened += 1
        guard let screen, screen.failure == nil else { throw .notFound }
        return screen
    }
}

private struct Stand {
    let journal = Journal()
    let socket = Socket()
    let display: GateDisplay

    init() throws {
        let socket = socket
        socket.screen = JournalScreen(journal)
        display = GateDisplay(
            lights: try LightsPanel(JournalLights(journal), report: { _ in }),
            screen: ScreenPanel(now: 0, report: { _ in }) { () throws(ScreenError) in try socket.open() })
    }

    func tell(_ sign: VisitorSign, now: UInt64) {
        display.tell(sign, now: now)
        display.showSign(hint: nil, closed: [], now: now)
    }

    /// What was told since the last time.
    func news() -> [String] {
        defer { journal.lines = [] }
        return journal.lines
    }
}

@Suite struct GateDisplayTests {
    private let expired = VisitorSign.rejected(.credential(.expired))

    @Test func aGateThatStartsSaysSo() throws {
        let stand = try Stand()
        #expect(stand.news() == ["starting"])
        stand.tell(.none, now: 1)
        #expect(stand.news().isEmpty)
    }

    /// Of one turn the lamp is first, whatever is told first.
    @Test func nothingIsDrawnBeforeTheEndOfATurn() throws {
        let stand = try Stand()
        _ = stand.news()
        stand.display.tell(.accepted, now: 1)
        #expect(stand.news().isEmpty)
        stand.display.light = .accept
        stand.display.showLight(closed: [], now: 1)
        stand.display.showSign(hint: nil, closed: [], now: 1)
        #expect(stand.news() == ["lamp", "accepted"])
    }

    /// A verdict's sign goes with its light, although the gate is not yet on the air for the next visitor.
    @Test func aVerdictStandsNoLongerThanItsLight() throws {
        let stand = try Stand()
        _ = stand.news()
        stand.tell(.accepted, now: 1)
        stand.tell(.none, now: 2)
        stand.tell(.scan, now: 3)
        stand.tell(.none, now: 4)
        #expect(stand.news() == ["accepted", "checking", "scan"])
    }

    /// A screen that comes back while there is no code is opened once, and not every second.
    @Test func aScreenThatComesBackDuringAFaultStays() throws {
        let stand = try Stand()
        var gate = try Self.gate()
        stand.tell(.fault, now: 1)
        stand.socket.screen?.failure = .gone
        stand.display.draw(code: &gate, hint: nil, closed: [], now: second)
        #expect(stand.display.isScreenUp == false)
        stand.socket.screen = JournalScreen(stand.journal)
        _ = stand.news()
        for turn in 2...6 { stand.display.draw(code: &gate, hint: nil, closed: [], now: UInt64(turn) * second) }
        #expect(stand.display.isScreenUp == true && stand.socket.opened == 2)
        #expect(stand.news() == ["fault controller", "no code"])
    }

    /// What changed while the screen was away is what it says when it is back.
    @Test func aSignIsOwedToAScreenThatIsAway() throws {
        let stand = try Stand()
        var gate = try Self.gate()
        stand.socket.screen?.failure = .gone
        stand.tell(.scan, now: 1)
        stand.tell(expired, now: 2)
        stand.socket.screen = JournalScreen(stand.journal)
        _ = stand.news()
        stand.display.draw(code: &gate, hint: nil, closed: [], now: second)
        stand.display.draw(code: &gate, hint: nil, closed: [], now: 2 * second)
        #expect(stand.news().first == "rejected expired")
    }

    // MARK: the last verdicts

    @Test func theListStandsForTenSecondsAndTheSignComesBack() throws {
        let stand = try Stand()
        stand.tell(.scan, now: 1)
        stand.tell(expired, now: 2)
        stand.tell(.scan, now: 3)
        _ = stand.news()
        stand.display.showRecent(now: second)
        stand.tell(.scan, now: second)
        #expect(stand.news() == ["list of 1"])
        #expect(stand.display.nextLook.map { $0 <= 11 * second } == true)
        // What the visitor is told meanwhile waits.
        stand.tell(.connected, now: 2 * second)
        stand.tell(.connected, now: 11 * second - 1)
        #expect(stand.news().isEmpty)
        stand.tell(.connected, now: 11 * second)
        #expect(stand.news() == ["connected"])
    }

    @Test func aVerdictEndsTheList() throws {
        let stand = try Stand()
        stand.tell(.scan, now: 1)
        stand.display.showRecent(now: 1)
        stand.tell(.scan, now: 2)
        _ = stand.news()
        stand.tell(.accepted, now: 3)
        stand.tell(.scan, now: 4)
        #expect(stand.news() == ["accepted", "scan"])
    }

    /// Who is judged sees it, whatever the guard wants to know.
    @Test func aVerdictThatStandsIsNotCovered() throws {
        let stand = try Stand()
        stand.tell(.accepted, now: 1)
        _ = stand.news()
        stand.display.showRecent(now: 2)
        stand.display.showSign(hint: nil, closed: [], now: 3)
        #expect(stand.news().isEmpty)
        stand.tell(.scan, now: 3 * second)
        #expect(stand.news() == ["list of 1"], "for what is left of the time")
        stand.display.showRecent(now: 4 * second)
        stand.tell(.scan, now: 4 * second)
        #expect(stand.news().isEmpty, "it stands")
        stand.tell(.none, now: 10 * second + 2)
        #expect(stand.news() == ["checking"], "no verdict of long ago")
        stand.display.showRecent(now: 11 * second)
        stand.tell(.scan, now: 11 * second)
        #expect(stand.news() == ["list of 1"], "with the times of now")
    }

    /// Drawing takes its time, and a lock may wait for its end.
    @Test func aButtonThatIsHammeredDrawsNoMoreThanItsTime() throws {
        let stand = try Stand()
        stand.tell(expired, now: 1)
        stand.tell(.scan, now: 2)
        _ = stand.news()
        let tenth = second / 10
        for press in 10..<1000 {
            stand.display.showRecent(now: UInt64(press) * tenth)
            stand.display.showSign(hint: nil, closed: [], now: UInt64(press) * tenth)
        }
        let news = stand.news()
        #expect(news.count { $0 == "list of 1" } <= 10 && news.count { $0 == "scan" } <= 10, "\(news)")
        // A verdict ends it all the same, and the next press shows it in the list.
        stand.tell(.accepted, now: 1000 * tenth)
        stand.display.showRecent(now: 1001 * tenth)
        stand.tell(.scan, now: 1002 * tenth)
        #expect(stand.news() == ["accepted", "list of 2"])
    }

    /// The list was drawn before a verdict that came and went within one turn.
    @Test func aListThatIsOldIsDrawnAnew() throws {
        let stand = try Stand()
        stand.tell(expired, now: 1)
        stand.tell(.scan, now: 2)
        stand.display.showRecent(now: 3)
        stand.tell(.scan, now: 3)
        _ = stand.news()
        stand.display.tell(.accepted, now: 4)
        stand.display.showRecent(now: 5)
        stand.tell(.scan, now: 6)
        #expect(stand.news() == ["list of 2"])
    }

    @Test func tenVerdictsAreKept() {
        var recent = RecentVerdicts()
        #expect(recent.lines(now: 0).isEmpty)
        for number in 0..<25 {
            let isKept = recent.note(number % 2 == 0 ? .accepted : expired, now: UInt64(number) * second)
            #expect(isKept)
            for other in [VisitorSign.scan, .failed, .fault, .look, .receiving(percent: 5), .none] {
                let isVerdict = recent.note(other, now: UInt64(number) * second)
                #expect(!isVerdict)
            }
        }
        let lines = recent.lines(now: 30 * second)
        #expect(lines.count == RecentVerdicts.count && lines.map(\.seconds) == Array(6...15).map(UInt64.init))
        #expect(lines.map(\.isAccepted) == (0..<10).map { $0 % 2 == 0 } && lines[1].code == "expired" && lines[0].code == nil)
        // A clock that stands still or goes back is no trap.
        #expect(recent.lines(now: 0).allSatisfy { $0.seconds == 0 })
        _ = recent.note(.rejected(nil), now: 31 * second)
        #expect(recent.lines(now: 31 * second).first == VerdictLine(isAccepted: false, code: nil, seconds: 0))
    }

    private static func gate() throws -> Gatekeeper {
        let name = Array("TEST".utf8)
        return try Gatekeeper(name: VerifierName(deviceName: name.span), version: .v05, trust: .nobody, policy: Policy())
    }
}
