import BoardTestSupport
import Foundation
import Testing

@testable import Devices

/// A channel as the kernel's before 6.11 is, when it was just made: without a period it refuses even to be switched off. Plain files cannot
/// refuse; that a period is there before anything sounds can be seen.
@Test func aChannelThatWasJustMadeGetsAPeriodAtOnce() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pwm-\(UUID().uuidString)/pwm1")
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["period", "duty_cycle", "enable"] { try Data("0".utf8).write(to: folder.appendingPathComponent(name)) }
    let sounder = try PWMSounder(folder.path)
    defer { sounder.close() }
    #expect(try String(contentsOf: folder.appendingPathComponent("period"), encoding: .utf8) == "1000000")
    #expect(try String(contentsOf: folder.appendingPathComponent("enable"), encoding: .utf8) == "0")
}
