import Bluetooth
import Testing

@testable import Visit

/// Whole visits on every kind of controller there is.
@Suite struct ControllerTests {
    private static let kinds: [(name: String, script: ControllerScript)] = [
        ("everything", .full), ("27-octet packets", ControllerScript(leLength: 27)), ("one buffer", ControllerScript(leCount: 1)),
        ("one buffer of 27 octets", ControllerScript(leLength: 27, leCount: 1)), ("Bluetooth 4.0", .four),
        ("shared buffers", ControllerScript(leLength: 0, leCount: 0)), ("shared buffers, a count of none", ControllerScript(leCount: 0)),
        ("one shared buffer", ControllerScript(leLength: 0, sharedLength: 27, sharedCount: 1)),
        ("the largest packets", ControllerScript(leLength: 1021)),
        ("legacy advertising only", ControllerScript()), ("extended advertising only", .extended),
    ]

    @Test(arguments: kinds.indices)
    func servesVisits(_ kind: Int) throws {
        let (name, script) = Self.kinds[kind]
        let test = try TestGate(script: script)
        for round in 0..<3 {
            #expect(test.light == .ready, "\(name)")
            // The second round is found after a while.
            if round == 1 { test.wait(31_000) }
            #expect(test.controller.data.count > 20 && test.controller.scanResponse.count == 31, "\(name)")
            #expect((test.controller.address.last ?? 0) & 0xC0 == 0x40, "\(name)")
            #expect(try HonestVisit.complete(test), "\(name)")
            test.leave()
            test.wait(4000)
        }
        #expect(test.faults.isEmpty, "\(name)")
        #expect(test.controller.offences == [], "\(name)")
        #expect(test.gate.counters.total == 0, "\(name)")
    }

    @Test func theSetsOfCommandsAreNeverMixed() throws {
        for script in [ControllerScript.full, ControllerScript(), .extended] {
            let test = try TestGate(script: script)
            let legacy = test.controller.commands.filter { ControllerScript.legacyAdvertising.contains($0) }
            let extended = test.controller.commands.filter { ControllerScript.extendedAdvertising.contains($0) }
            #expect(legacy.isEmpty == !script.has(0x2006))
            #expect(extended.isEmpty == script.has(0x2006))
        }
    }

    @Test(arguments: ControllerScript.optional, [0x01, 0x0C, 0x11, 0x1F] as [UInt8])
    func refusesAnOptionalCommand(_ command: UInt16, _ status: UInt8) throws {
        var script = ControllerScript.full
        script.refusals = [command: status]
        try expectVisits(script)
    }

    @Test(arguments: ControllerScript.optional)
    func hasNotAnOptionalCommand(_ command: UInt16) throws {
        var script = ControllerScript.full
        script.commands = ControllerScript.mask(
            of: (ControllerScript.legacyAdvertising + ControllerScript.optional).filter { $0 != command })
        let test = try expectVisits(script)
        #expect(!test.controller.commands.contains(command))
    }

    /// An answer that never comes costs its two seconds, once, and not the gate.
    @Test(arguments: ControllerScript.optional)
    func neverAnswersAnOptionalCommand(_ command: UInt16) throws {
        var script = ControllerScript.full
        script.silences = [command: .max]
        let test = try expectVisits(script)
        #expect(test.controller.commands.filter { $0 == command }.count == 1)
    }

    @discardableResult
    private func expectVisits(_ script: ControllerScript) throws -> TestGate {
        let test = try TestGate(script: script)
        test.wait(3000)
        #expect(try HonestVisit.complete(test))
        try Malformed.expectNextVisit(test)
        #expect(test.faults.isEmpty)
        #expect(test.controller.offences == [])
        return test
    }

    /// A set that ends by itself, or is said to, is begun again.
    @Test(arguments: ["12 43 00 00 00 00", "12 3C 00 00 00 00", "12 00 00 40 00 00"])
    func anAdvertisingSetThatEndsIsBegunAgain(_ terminated: String) throws {
        let test = try TestGate(script: .extended)
        for _ in 0..<5 { test.controller.inject(event(0x3E, terminated)) }
        test.turn()
        test.wait(1000)
        #expect(test.controller.isAdvertising)
        #expect(try HonestVisit.complete(test))
        test.controller.inject(event(0x3E, terminated))
        test.turn()
        #expect(test.isConnected)
        try Malformed.expectNextVisit(test)
        #expect(test.faults.isEmpty)
    }

    /// Commands it says it has and refuses: the gate is not on the air and says so; nobody loops.
    @Test(arguments: [false, true])
    func refusesToAdvertiseAtAll(_ isExtended: Bool) throws {
        var script = isExtended ? ControllerScript.extended : ControllerScript()
        script.refusals = isExtended ? [0x2036: 0x0C] : [0x2006: 0x0C]
        let test = try TestGate(script: script)
        test.wait(60_000)
        #expect(test.faults == [.reset, .reopenLink])
        #expect(test.light == .fault)
        #expect(test.controller.commands.count < 80)
        test.controller.script.refusals = [:]
        test.open()
        try Malformed.expectNextVisit(test)
    }
}
