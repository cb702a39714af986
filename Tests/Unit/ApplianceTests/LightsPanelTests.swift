import BoardTestSupport
import Devices
import Foundation
import Linux
import Testing
import Visit

@testable import Appliance

private let millisecond: UInt64 = 1_000_000

@Test(arguments: [LampSet.all, [.accept, .reject], [.accept, .reject, .ready], [.accept, .reject, .fault], []])
func acceptIsLitInTheAcceptStateOnly(fitted: LampSet) {
    for state in LightState.allCases {
        var lights = LightSequencer(fitted: fitted)
        lights.show(state, now: 5)
        for time in stride(from: UInt64(0), through: 3000, by: 7) {
            let lit = lights.lamps(at: time * millisecond)
            #expect(fitted.isSuperset(of: lit))
            #expect(lit.contains(.accept) == (state == .accept && fitted.contains(.accept)))
            if ![.reject, .fault, .closed].contains(state) { #expect(!lit.contains(.reject)) }
            if state == .off { #expect(lit.isEmpty) }
        }
    }
}

@Test(arguments: [(.all, .fault), ([.accept, .reject], .reject)] as [(LampSet, LampSet)])
func aClosedGateBlinksFourTimesAsSlowAsABrokenOne(fitted: LampSet, lamp: LampSet) {
    for (state, period) in [(LightState.fault, UInt64(1000)), (.closed, 4000)] {
        var lights = LightSequencer(fitted: fitted)
        lights.show(state, now: 0)
        #expect(lights.lamps(at: 0) == lamp && lights.lamps(at: (period - 1) * millisecond) == [])
        #expect(lights.lamps(at: period * millisecond) == lamp)
    }
}

@Test func aBlinkBeginsLitAndTheNextChangeIsExact() {
    var lights = LightSequencer(fitted: .all)
    let start: UInt64 = 12_345_678
    lights.show(.fault, now: start)
    var now = start
    for turn in 0..<10 {
        #expect(lights.lamps(at: now) == (turn % 2 == 0 ? [.fault] : []))
        let next = lights.nextChange(after: now)
        #expect(next == start + UInt64(turn + 1) * 500 * millisecond)
        guard let next else { return }
        #expect(lights.lamps(at: next - 1) == lights.lamps(at: now))
        now = next
    }
    lights.show(.fault, now: now + 1)
    #expect(lights.nextChange(after: now) == now + 500 * millisecond, "showing the same state again does not restart it")
    lights.show(.accept, now: now)
    #expect(lights.nextChange(after: now) == nil)
}

@Test func aGateWithTwoLampsStillShowsFaults() {
    var lights = LightSequencer(fitted: [.accept, .reject])
    lights.show(.fault, now: 0)
    #expect(lights.lamps(at: 0) == [.reject])
    #expect(lights.lamps(at: 100 * millisecond) == [])
    lights.show(.ready, now: 0)
    #expect(lights.lamps(at: 0) == [])
    // A clock that is behind must not trap.
    lights.show(.fault, now: 1000)
    #expect(lights.lamps(at: 10) == [.reject])
}

@Test("lamps that blink are said once, and every other change is")
func logLightsDoNotFillALog() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let lights = LogLights(Words(descriptor: ends[1]))
    let panel = LightsPanel(lights) { _ in }
    let second: UInt64 = 1_000_000_000
    panel.show(.ready, now: second)
    panel.show(.fault, now: 2 * second)
    for tick in 2..<200 { panel.passTime(UInt64(tick) * second / 4) }
    // The same lamp, and another thing to say.
    panel.show(.closed, now: 60 * second)
    for tick in 120..<400 { panel.passTime(UInt64(tick) * second / 2) }
    for _ in 0..<2 { for state in [.busy, .accept, .ready] as [LightState] { panel.show(state, now: 300 * second) } }
    panel.show(.fault, now: 400 * second)
    panel.close()
    let lines = String(decoding: drain(ends[0]), as: UTF8.self).split(separator: "\n").map {
        $0.split(separator: " ").dropFirst(2).joined(separator: " ")
    }
    #expect(
        lines == [
            "lit=ready", "lit=fault blinking=1000", "lit=fault blinking=4000", "lit=busy", "lit=accept", "lit=ready", "lit=busy",
            "lit=accept", "lit=ready",
            "lit=fault blinking=1000", "lit=none",
        ])
    close(ends[0])
    close(ends[1])
}

/// Lamps that cannot be switched for a while; what is lit then, nobody knows.
private final class StuckLights: Lights {
    var fitted: LampSet { .all }
    var isStuck = false
    var asked: [LampSet] = []

    func set(_ lit: LampSet) throws(LightsError) {
        asked.append(lit)
        if isStuck { throw .system(errno: EIO) }
    }
    func close() {}
}

@Test func aSwitchingThatFailedIsTriedAgainUntilItWorks() {
    let lights = StuckLights()
    var said: [String] = []
    let panel = LightsPanel(lights) { said.append($0) }
    panel.show(.accept, now: 0)
    lights.isStuck = true
    panel.show(.off, now: 100 * millisecond)
    #expect(panel.nextChange == 350 * millisecond)
    panel.passTime(350 * millisecond)
    #expect(lights.asked == [[.accept], [], []])
    #expect(said.count == 1)
    // Also when what is wanted is what was lit before the failure.
    panel.show(.accept, now: 400 * millisecond)
    lights.isStuck = false
    panel.passTime(650 * millisecond)
    #expect(lights.asked == [[.accept], [], [], [.accept], [.accept]])
    #expect(panel.nextChange == nil)
}
