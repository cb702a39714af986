import Devices
import Linux
import Testing

@testable import Appliance

private let second: UInt64 = 1_000_000_000

/// A screen that can be pulled out.
private final class PluggedScreen: Screen {
    var canVanish: Bool { true }
    var failure: ScreenError?
    /// Of codes only.
    var refusal: ScreenError?
    private(set) var listed: [[VerdictLine]] = []
    private(set) var shown: [String] = []
    private(set) var told: [(sign: Sign, language: Int)] = []
    private(set) var isClosed = false

    func check() throws(ScreenError) { if let failure { throw failure } }
    func show(_ uri: UnsafeRawBufferPointer) throws(ScreenError) {
        if let failure = failure ?? refusal { throw failure }
        shown.append(String(decoding: uri, as: UTF8.self))
    }
    func clear() throws(ScreenError) { if let failure { throw failure } }
    func clearCode() throws(ScreenError) { if let failure { throw failure } }
    func tell(_ sign: Sign, language: Int) throws(ScreenError) {
        if let failure { throw failure }
        told.append((sign, language))
    }
    func list(_ verdicts: [VerdictLine]) throws(ScreenError) {
        if let failure { throw failure }
        listed.append(verdicts)
    }
    func close() { isClosed = true }
}

private func show(_ text: String, on panel: ScreenPanel) {
    Array(text.utf8).withUnsafeBytes { panel.show($0) }
}

@Test func aScreenThatIsMissingAtTheStartIsWaitedFor() {
    var plugged: PluggedScreen?
    var said: [String] = []
    let panel = ScreenPanel(now: 0, report: { said.append($0) }) { () throws(ScreenError) in
        guard let plugged else { throw .notFound }
        return plugged
    }
    #expect(panel.isUp == false)
    #expect(said.count == 1 && said[0].contains("no such framebuffer"))
    show("A", on: panel)
    #expect(panel.nextLook == second)
    #expect(!panel.passTime(second))
    #expect(said.count == 1, "once, not at every look")
    let screen = PluggedScreen()
    plugged = screen
    #expect(!panel.passTime(second + 1), "not before its time")
    #expect(panel.passTime(2 * second), "opened: what belongs on it has to be shown")
    #expect(panel.isUp == false, "whether it takes the code is not known yet")
    show("B", on: panel)
    #expect(panel.isUp == true && said.last == "the screen is there" && screen.shown == ["B"])
}

@Test func aScreenThatOpensAndTakesNoCodeDoesNotComeAndGo() {
    var said: [String] = []
    let panel = ScreenPanel(now: 0, report: { said.append($0) }) { () throws(ScreenError) in
        let screen = PluggedScreen()
        screen.failure = .gone
        return screen
    }
    for turn in 1...10 {
        show("A", on: panel)
        #expect(panel.isUp == false && said.count == 1)
        #expect(panel.passTime(UInt64(turn) * second))
        #expect(panel.isUp == false)
    }
}

@Test func aScreenThatIsTakenAwayIsFoundOutWithoutAVisitAndTakenAgain() {
    var screens = [PluggedScreen()]
    var said: [String] = []
    let panel = ScreenPanel(now: 0, report: { said.append($0) }) { () throws(ScreenError) in
        guard let last = screens.last, last.failure == nil else { throw .notFound }
        return last
    }
    show("A", on: panel)
    #expect(!panel.passTime(second) && said.isEmpty)
    screens[0].failure = .gone
    #expect(!panel.passTime(2 * second))
    #expect(panel.isUp == false && screens[0].isClosed && said.count == 1)
    screens.append(PluggedScreen())
    #expect(panel.passTime(3 * second))
    show("A", on: panel)
    #expect(screens[1].shown == ["A"] && panel.isUp == true)
    // A write that fails is as good as a look.
    screens[1].failure = .system(errno: 5)
    show("B", on: panel)
    #expect(panel.isUp == false && screens[1].isClosed)
}

@Test func whereSomebodyElseShowsTheCodeThereIsNoScreenToMiss() {
    let panel = ScreenPanel(NoScreen())
    #expect(panel.isUp == nil && panel.nextLook == nil)
    #expect(ScreenPanel(TerminalScreen(Words(descriptor: -1), isTerminal: false)).nextLook == nil)
}

@Test func wordsOfSeveralLanguagesTakeTurns() {
    let screen = PluggedScreen()
    let panel = ScreenPanel(now: 0, languages: 2, report: { _ in }) { () throws(ScreenError) in screen }
    panel.tell(Sign(.scan), now: 0)
    show("A", on: panel)
    for turn in 1...8 { _ = panel.passTime(UInt64(turn) * second) }
    #expect(screen.told.map(\.language) == [0, 1, 0])
    #expect(screen.told.allSatisfy { $0.sign == Sign(.scan) })
}

/// A verdict stands for three seconds: who reads the second language only is told, too.
@Test func aVerdictIsToldInTwoLanguagesWhileItStands() {
    let screen = PluggedScreen()
    let panel = ScreenPanel(now: 0, languages: 2, report: { _ in }) { () throws(ScreenError) in screen }
    panel.tell(Sign(.receiving, percent: 5), now: 0)
    panel.tell(Sign(.receiving, percent: 10), now: 3 * second)
    #expect(panel.nextLook == 0 || panel.nextLook == second, "\(String(describing: panel.nextLook))")
    panel.tell(Sign(.accepted), now: 3 * second)
    _ = panel.passTime(4 * second)
    #expect(screen.told.last?.language == 0)
    _ = panel.passTime(4 * second + second / 2)
    #expect(screen.told.last?.language == 1 && screen.told.last?.sign == Sign(.accepted))
}

/// What does not fit does not fit a second later either: the screen is not blackened for it, and the sign stays.
@Test func aCodeThatDoesNotFitCostsNoSign() {
    var opened = 0
    let screen = PluggedScreen()
    var said: [String] = []
    let panel = ScreenPanel(now: 0, report: { said.append($0) }) { () throws(ScreenError) in
        opened += 1
        return screen
    }
    screen.refusal = .tooSmall
    show("A", on: panel)
    panel.tell(Sign(.closed, code: "no-screen"), now: 1)
    for turn in 1...5 { #expect(!panel.passTime(UInt64(turn) * second)) }
    #expect(opened == 1 && !screen.isClosed && said.count == 1 && panel.isUp == false)
    #expect(screen.told.map(\.sign) == [Sign(.closed, code: "no-screen")])
    screen.refusal = nil
    show("B", on: panel)
    #expect(panel.isUp == true && said.last == "the screen is there")
}

/// The turn of another language takes nobody's list away.
@Test func aListStandsUntilTheNextSign() {
    var screens = [PluggedScreen()]
    let panel = ScreenPanel(now: 0, languages: 2, report: { _ in }) { () throws(ScreenError) in
        guard let last = screens.last, last.failure == nil else { throw .notFound }
        return last
    }
    panel.tell(Sign(.scan), now: 0)
    let lines = [VerdictLine(isAccepted: false, code: "expired", seconds: 3)]
    panel.list(lines)
    for turn in 1...9 { _ = panel.passTime(UInt64(turn) * second) }
    #expect(screens[0].told.count == 1 && screens[0].listed == [lines])
    screens[0].failure = .gone
    _ = panel.passTime(10 * second)
    screens.append(PluggedScreen())
    _ = panel.passTime(11 * second)
    #expect(screens[1].listed == [lines], "a screen that comes back has it still")
    panel.tell(Sign(.scan), now: 12 * second)
    screens[1].failure = .gone
    _ = panel.passTime(12 * second)
    screens.append(PluggedScreen())
    _ = panel.passTime(13 * second)
    #expect(screens[2].listed.isEmpty && screens[2].told.map(\.sign) == [Sign(.scan)])
}

@Test func aScreenThatComesBackSaysWhatWasSaidLast() {
    var screens = [PluggedScreen()]
    let panel = ScreenPanel(now: 0, report: { _ in }) { () throws(ScreenError) in
        guard let last = screens.last, last.failure == nil else { throw .notFound }
        return last
    }
    show("A", on: panel)
    panel.tell(Sign(.rejected, code: "expired"))
    screens[0].failure = .gone
    _ = panel.passTime(second)
    screens.append(PluggedScreen())
    #expect(panel.passTime(2 * second))
    #expect(screens[1].told.map(\.sign) == [Sign(.rejected, code: "expired")])
}

/// Lamps on a chip that can be pulled out.
private final class PluggedLights: Lights {
    var fitted: LampSet { [.accept, .reject, .ready] }
    var canVanish: Bool { true }
    var isGone = false
    private(set) var asked: [LampSet] = []

    func set(_ lit: LampSet) throws(LightsError) {
        if isGone { throw .chipGone }
        asked.append(lit)
    }
    func close() {}
}

@Test func lampsThatAreMissingAtTheStartAreWaitedForAndShowWhatIsTrueThen() throws {
    var plugged: PluggedLights?
    var said: [String] = []
    let panel = try LightsPanel(now: 0, report: { said.append($0) }) { () throws(LightsError) in
        guard let plugged else { throw .noSuchChip("gpiochip9") }
        return plugged
    }
    #expect(!panel.isUp && said.count == 1 && said[0].contains("gpiochip9"))
    panel.show(.ready, now: 1)
    #expect(panel.nextChange == second)
    let lights = PluggedLights()
    plugged = lights
    panel.passTime(second)
    #expect(panel.isUp && lights.asked == [.ready] && said.last == "the lamps are there")
}

@Test func aChipThatIsPulledOutIsFoundOutWhileALampIsSteady() throws {
    var lights = [PluggedLights()]
    var said: [String] = []
    let panel = try LightsPanel(now: 0, report: { said.append($0) }) { () throws(LightsError) in
        guard let last = lights.last, !last.isGone else { throw .noSuchChip("gpiochip9") }
        return last
    }
    panel.show(.ready, now: 1)
    lights[0].isGone = true
    panel.passTime(second)
    #expect(!panel.isUp && said.count == 1)
    panel.passTime(2 * second)
    lights.append(PluggedLights())
    panel.passTime(3 * second)
    #expect(panel.isUp && lights[1].asked == [.ready])
}

/// What is written wrong stays wrong: no waiting cures it.
@Test func linesThatAreNamedWrongEndTheStart() {
    for error in [
        LightsError.noSuchLine(.accept, .offset(77), chip: "c"), .lineTaken(.reject, .name("RED"), chip: "c"),
        .lineRepeated(.busy, .offset(0), chip: "c"),
    ] {
        #expect(throws: error) { try LightsPanel(now: 0, report: { _ in }, open: { () throws(LightsError) in throw error }) }
    }
}

@Test func theStatusNamesWhatIsMissing() {
    #expect(GateStatus(isControllerUp: true, isScreenUp: true, areLampsUp: true).text == "controller up; screen up; lamps up")
    #expect(GateStatus(isControllerUp: false, isScreenUp: false, areLampsUp: false).text == "no controller; no screen; no lamps")
    #expect(GateStatus(isControllerUp: true, isScreenUp: nil, areLampsUp: true).text == "controller up; lamps up")
    let closed: ClosedCauses = [ClosedCauses(.trustExpired), ClosedCauses(.recordsFull)]
    #expect(
        GateStatus(isControllerUp: true, isScreenUp: nil, areLampsUp: true, closed: closed, warning: "trust ends in 6 days").text
            == "controller up; lamps up; closed: trust-expired, records-full; trust ends in 6 days")
}
