import BoardTestSupport
import CGPIO
import Foundation
import Linux
import Testing

@testable import Devices

/// Nobody can enter, and no controller: an operator before the gate has to tell them apart, on either lamp.
@Test func logLightsWriteOneLinePerChange() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let lights = LogLights(Words(descriptor: ends[1]))
    try lights.set([.ready])
    try lights.set([.ready])
    try lights.set([.accept, .busy])
    lights.close()
    let lines = String(decoding: drain(ends[0]), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.map { $0.split(separator: " ").last } == ["lit=ready", "lit=busy+accept", "lit=none"])
    #expect(lines.allSatisfy { $0.wholeMatch(of: /lights ms=[0-9]+ lit=[a-z+]+/) != nil })
    close(ends[0])
    close(ends[1])
}

@Test func terminalLightsAreOneLine() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let lights = TerminalLights(Words(descriptor: ends[1]))
    try lights.set([.accept])
    let text = String(decoding: drain(ends[0]), as: UTF8.self)
    #expect(text.hasPrefix("\r") && !text.contains("\n"))
    #expect(text.contains("\u{1B}[1;97;42m accept \u{1B}[0m"))
    close(ends[0])
    close(ends[1])
}

@Test func aChipThatIsNotThere() throws {
    for chip in ["gpiochip99", "/dev/gpiochip99", "/dev/null", "no-such-label"] {
        let moniker = try LightsMoniker("gpio:\(chip)/accept=1,reject=2")
        #expect(throws: LightsError.noSuchChip(chip), "\(chip)") { try moniker.makeLights() }
    }
    #expect(["1.6", "2.x"].contains(String(cString: gpio_lines_api())))
}

/// A lamp that says "accept" must not go on saying so because switching it off failed once.
