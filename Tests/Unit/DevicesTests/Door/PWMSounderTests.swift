import BoardTestSupport
import Foundation
import Testing

@testable import Devices

/// The files of a PWM channel as plain ones: what is written shows in them. The kernel's own are tried in the emulated machine.
@Suite struct PWMSounderTests {
    private static func channel() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pwm-\(UUID().uuidString)/pwm0")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["period", "duty_cycle", "enable"] { try Data("00000000".utf8).write(to: folder.appendingPathComponent(name)) }
        return folder
    }

    private static func number(_ folder: URL, _ name: String, _ digits: Int) throws -> String {
        String(try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).prefix(digits))
    }

    @Test("a tone is half a period high, and silence is the channel off")
    func tone() throws {
        let folder = try Self.channel()
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        let sounder = try SounderMoniker("pwm:\(folder.path)").makeSounder()
        try sounder.set(2000)
        #expect(try Self.number(folder, "period", 6) == "500000")
        #expect(try Self.number(folder, "duty_cycle", 6) == "250000")
        #expect(try Self.number(folder, "enable", 1) == "1")
        try sounder.set(0)
        #expect(try Self.number(folder, "enable", 1) == "0")
        try sounder.set(440)
        sounder.close()
        #expect(try Self.number(folder, "enable", 1) == "0")
        sounder.close()
        try sounder.set(440)
        #expect(try Self.number(folder, "enable", 1) == "0")
    }

    @Test("a channel that is none is named")
    func none() throws {
        #expect(throws: SounderError.noSuchChannel("/nowhere/pwm0")) { try PWMSounder("/nowhere/pwm0") }
        let folder = try Self.channel()
        defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
        try FileManager.default.removeItem(at: folder.appendingPathComponent("enable"))
        #expect(throws: SounderError.noSuchChannel(folder.path)) { try PWMSounder(folder.path) }
    }
}
