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

/// What cannot be written is told apart from what is not there: the one is cured by rights, the other by a device tree.
@Test func aChipThatMakesNoChannelSaysWhy() throws {
    let chip = FileManager.default.temporaryDirectory.appendingPathComponent("pwm-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: chip) }
    try FileManager.default.createDirectory(at: chip, withIntermediateDirectories: true)
    let channel = chip.path + "/pwm7"
    #expect(throws: SounderError.noSuchChannel(channel)) { try PWMSounder(channel) }
    // A chip that has no such channel takes the number, and nothing comes of it.
    try Data("....".utf8).write(to: chip.appendingPathComponent("export"))
    #expect(throws: SounderError.noSuchChannel(channel)) { try PWMSounder(channel) }
    #expect(try String(contentsOf: chip.appendingPathComponent("export"), encoding: .utf8) == "7...")
}

/// `EROFS` is what a service meets whose `/sys` is read-only.
@Test(arguments: [
    (EROFS, SounderError.channelReadOnly("chip")), (EACCES, .channelNotPermitted("chip")), (EPERM, .channelNotPermitted("chip")),
    (ENOENT, .noSuchChannel("chip/pwm0")), (ENOTDIR, .noSuchChannel("chip/pwm0")), (EMFILE, .system(errno: EMFILE)),
])
func whatRefusesAChannelIsTold(code: Int32, error: SounderError) {
    #expect(PWMSounder.refusal(code, of: "chip", "chip/pwm0") == error)
    #expect(error.mayPass && !error.description.isEmpty)
}
