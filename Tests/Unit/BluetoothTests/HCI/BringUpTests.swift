import Testing

@testable import Bluetooth

private let optional: [(BringUp.Step, Opcode)] = [
    (.leHostSupport, .writeLEHostSupport), (.leFeatures, .leReadLocalFeatures), (.leBufferSizeV2, .leReadBufferSizeV2),
    (.leEventMask, .leSetEventMask),
    (.address, .readAddress), (.suggestedDataLength, .leWriteSuggestedDataLength), (.defaultPHY, .leSetDefaultPHY),
]
private let mandatory: [(BringUp.Step, Opcode)] = [
    (.reset, .reset), (.version, .readLocalVersion), (.commands, .readLocalSupportedCommands),
    (.features, .readLocalSupportedFeatures), (.eventMask, .setEventMask),
]
/// BR/EDR as well as LE.
private let dualMode: UInt64 = 1 << 38

private func opened(_ script: Script) -> Phone {
    let phone = Phone(Database.sparse(), script)
    phone.open()
    return phone
}

@Suite struct BringUpTests {
    @Test func modernControllerIsReady() {
        let phone = opened(Script())
        #expect(phone.events == [.ready])
        #expect(
            phone.controller.opcodes == [
                .reset, .readLocalVersion, .readLocalSupportedCommands, .readLocalSupportedFeatures, .setEventMask,
                .leReadLocalFeatures, .leSetEventMask, .leReadBufferSizeV2, .readAddress, .leWriteSuggestedDataLength,
                .leSetDefaultPHY,
            ])
        let parameters = Dictionary(uniqueKeysWithValues: phone.controller.commands.map { ($0.opcode, text($0.parameters)) })
        #expect(parameters[.setEventMask] == "90 80 00 02 00 80 00 20")
        #expect(parameters[.leSetEventMask] == "55 08 00 00 00 00 00 00")
        #expect(parameters[.leWriteSuggestedDataLength] == "FB 00 48 08")
        #expect(parameters[.leSetDefaultPHY] == "00 03 03")
        #expect(phone.bringUp.result(of: .leHostSupport) == .skipped)
        #expect(phone.bringUp.result(of: .leBufferSize) == .skipped)
        #expect(phone.facts.dataLength == 251)
        #expect(phone.facts.dataPackets == 8)
        #expect(phone.facts.address == DeviceAddress(value: 0xAAAA_AAAA_AAAA))
        #expect(phone.facts.version == 12)
        #expect(phone.facts.manufacturer == 0x000F)
        #expect(phone.facts.subversion == 0x0403)
        #expect(phone.counters.total == 0)
        #expect(phone.isQuiet)
        #expect(phone.deadline == nil)
    }

    @Test func fourPointZeroControllerIsAskedForNothingNewer() {
        let phone = opened(.four)
        #expect(phone.events == [.ready])
        let mask = phone.controller.commands.first { $0.opcode == .leSetEventMask }
        #expect(mask?.parameters == octets("1F 00 00 00 00 00 00 00"))
        #expect(phone.controller.opcodes.contains(.leReadBufferSize))
        #expect(phone.facts.dataLength == 27)
        #expect(phone.visit())
    }

    @Test(
        "the LE event mask has no bit that the controller's version or features do not define",
        arguments: [
            (6, .max, "1F 00 00 00 00 00 00 00"), (7, .max, "15 00 00 00 00 00 00 00"), (8, 0, "15 00 00 00 00 00 00 00"),
            (8, 1 << 5, "55 00 00 00 00 00 00 00"), (8, 1 << 6, "15 02 00 00 00 00 00 00"), (8, .max, "55 02 00 00 00 00 00 00"),
            (9, 1 << 8, "15 08 00 00 00 00 00 00"), (9, 1 << 12, "15 00 02 00 00 00 00 00"), (9, 1 << 14, "15 00 08 00 00 00 00 00"),
            (12, .max, "55 0A 0A 00 00 00 00 00"),
        ] as [(UInt8, UInt64, String)])
    func eventMaskByVersionAndFeatures(version: UInt8, features: UInt64, mask: String) {
        let phone = opened(Script(version: version, leFeatures: features))
        #expect(phone.controller.commands.filter { $0.opcode == .leSetEventMask }.map { text($0.parameters) } == [mask])
        #expect(phone.events == [.ready])
    }

    @Test("a refused LE event mask falls back to the bits of 4.0, which are those after Reset, and ends nothing", arguments: [false, true])
    func refusedEventMaskFallsBack(byStatus: Bool) {
        var script = Script(refusals: [.leSetEventMask: 0x12])
        script.refusesByStatus = byStatus
        let phone = opened(script)
        #expect(
            phone.controller.commands.filter { $0.opcode == .leSetEventMask }.map { text($0.parameters) } == [
                "55 08 00 00 00 00 00 00", "1F 00 00 00 00 00 00 00",
            ])
        #expect(phone.bringUp.result(of: .leEventMask) == .done(HCIStatus(rawValue: 0x12)))
        #expect(phone.events == [.ready])
        #expect(phone.visit())
    }

    @Test(
        "a controller that does not list its advertising commands is asked; one that does not know them is none",
        arguments: Script.legacyAdvertising)
    func unlistedAdvertisingIsTried(legacy: Opcode) {
        for extended in Script.extendedAdvertising {
            let script = Script(commands: Script.commandMask(without: legacy, extended))
            let phone = Phone(Database.sparse(), script)
            phone.controller.isStrict = false
            phone.open()
            #expect(phone.events == [.ready])
            #expect(phone.visit())
            let ignorant = Phone(Database.sparse(), script)
            ignorant.controller.isStrict = false
            ignorant.controller.script.refusals = [legacy: 0x01]
            ignorant.open()
            ignorant.advertise()
            #expect(ignorant.events.prefix(2) == [.ready, .fault(.noPeripheral, .reset)])
            // Any other refusal is tried again.
            let busy = Phone(Database.sparse(), script)
            busy.controller.isStrict = false
            busy.controller.script.refusals = [legacy: 0x0C]
            busy.open()
            busy.advertise()
            busy.controller.script.refusals = [:]
            busy.pass(milliseconds: 500)
            #expect(busy.isAdvertising)
            #expect(busy.events == [.ready])
        }
    }

    @Test func dualModeControllerIsToldOfTheLEHost() {
        let phone = opened(Script(features: dualMode))
        let support = phone.controller.commands.first { $0.opcode == .writeLEHostSupport }
        #expect(support?.parameters == [1, 0])
        #expect(phone.events == [.ready])
    }

    @Test(arguments: optional.indices)
    func absentOptionalCommandIsNotSent(index: Int) {
        let (step, opcode) = optional[index]
        let phone = opened(Script(commands: Script.commandMask(without: opcode), features: dualMode))
        #expect(phone.events == [.ready])
        #expect(!phone.controller.opcodes.contains(opcode))
        #expect(phone.bringUp.result(of: step) == .skipped)
        #expect(phone.visit())
    }

    @Test(arguments: optional.indices, [false, true])
    func refusedOptionalCommandIsNoFault(index: Int, byStatus: Bool) {
        let (step, opcode) = optional[index]
        var script = Script(features: dualMode, refusals: [opcode: 0x11])
        script.refusesByStatus = byStatus
        let phone = opened(script)
        #expect(phone.events == [.ready])
        #expect(phone.bringUp.result(of: step) == .done(HCIStatus(rawValue: 0x11)))
        #expect(phone.visit())
    }

    @Test(arguments: optional.indices, 0...1)
    func shortAnswerToAnOptionalCommandIsNoFault(index: Int, kept: Int) {
        let phone = opened(Script(features: dualMode, cuts: [optional[index].1: kept]))
        #expect(phone.events == [.ready])
        #expect(phone.visit())
    }

    @Test(arguments: mandatory.indices, [false, true])
    func refusedMandatoryCommandIsAFault(index: Int, byStatus: Bool) {
        let (step, opcode) = mandatory[index]
        var script = Script(refusals: [opcode: 0x0C])
        script.refusesByStatus = byStatus
        let phone = opened(script)
        let fault = ControllerFault.bringUpRefused(step, .commandDisallowed)
        #expect(phone.events == [.fault(fault, .reset), .fault(fault, .reopenLink)])
        #expect(phone.deadline == nil)
        #expect(phone.bringUp.result(of: step) == .done(.commandDisallowed))
        phone.open()
        #expect(phone.events.last == .fault(fault, .restartController))
    }

    @Test(arguments: mandatory.indices)
    func shortAnswerToAMandatoryCommandIsAFault(index: Int) {
        let (step, opcode) = mandatory[index]
        let lengths: [Opcode: Int] = [.readLocalVersion: 8, .readLocalSupportedCommands: 64, .readLocalSupportedFeatures: 8]
        for kept in [0, lengths[opcode] ?? 0] {
            let phone = opened(Script(cuts: [opcode: kept]))
            let fault = ControllerFault.bringUpMalformed(step)
            #expect(phone.events == [.fault(fault, .reset), .fault(fault, .reopenLink)])
        }
    }

    @Test func bufferSizesFallBackOneByOne() {
        for (length, count) in [(0, 8), (251, 0), (0, 0)] as [(UInt16, UInt8)] {
            let phone = opened(Script(leLength: length, leCount: count))
            #expect(
                phone.controller.opcodes.suffix(7).prefix(3) == [.leReadBufferSizeV2, .leReadBufferSize, .readBufferSize]
                    || phone.controller.opcodes.contains(.readBufferSize))
            #expect(phone.facts.dataLength == 310)
            #expect(phone.facts.dataPackets == 6)
            #expect(phone.events == [.ready])
            #expect(phone.visit())
        }
    }

    @Test func noBuffersAtAllIsAFault() {
        let script = Script(leLength: 0, sharedLength: 0, sharedCount: 0)
        #expect(opened(script).events.first == .fault(.bringUpMalformed(.sharedBufferSize), .reset))
        let refused = Script(leLength: 0, refusals: [.readBufferSize: 1])
        #expect(opened(refused).events.first == .fault(.bringUpRefused(.sharedBufferSize, HCIStatus(rawValue: 1)), .reset))
        let cut = Script(commands: Script.commandMask(without: .leReadBufferSizeV2), cuts: [.leReadBufferSize: 3])
        #expect(opened(cut).events.first == .fault(.bringUpMalformed(.leBufferSize), .reset))
    }

    @Test func hugeBuffersAreCutToWhatTheHostWrites() {
        let phone = opened(Script(leLength: 0xFFFF, leCount: 255))
        #expect(phone.facts.dataLength == 1021)
        #expect(phone.visit())
    }

    @Test(arguments: [0, 1, 5] as [UInt8])
    func versionBelowFourIsRefused(version: UInt8) {
        #expect(opened(Script(version: version)).events.first == .fault(.versionTooOld(version), .reset))
    }

    @Test func controllerWithoutLEIsNoPeripheral() {
        #expect(opened(Script(features: 0)).events.first == .fault(.noPeripheral, .reset))
    }

    @Test func resetLostTwiceIsSentAThirdTime() {
        let phone = opened(Script(silences: [.reset: 2]))
        #expect(phone.events == [])
        phone.pass(milliseconds: 4000)
        #expect(phone.events == [.ready])
        #expect(phone.controller.opcodes.filter { $0 == .reset }.count == 3)
    }

    @Test func resetLostForEverClimbsTheLadder() {
        let phone = opened(Script(silences: [.reset: .max]))
        phone.pass(milliseconds: 20_000)
        let fault = ControllerFault.commandTimeout(.reset)
        #expect(phone.events == [.fault(fault, .reset), .fault(fault, .reopenLink)])
        for step in [RecoveryStep.restartController, .reopenLink, .restartController] {
            phone.open()
            phone.pass(milliseconds: 20_000)
            #expect(phone.events.last == .fault(fault, step))
        }
        phone.controller.script.silences = [:]
        phone.open()
        #expect(phone.events.last == .ready)
        // A minute of health, and the ladder begins at its foot.
        phone.pass(milliseconds: 60_000)
        phone.deliver("04 10 01 05")
        #expect(phone.events.suffix(2) == [.fault(.hardwareError(5), .reset), .ready])
    }

    @Test(arguments: mandatory.indices.dropFirst())
    func lostAnswerInBringUpIsAFault(index: Int) {
        let opcode = mandatory[index].1
        let phone = opened(Script(silences: [opcode: 1]))
        phone.pass(milliseconds: 2000)
        #expect(phone.events == [.fault(.commandTimeout(opcode), .reset), .ready])
    }

    @Test func hardwareErrorAtEveryMomentOfAVisitIsOvercome() {
        let clean = Phone()
        clean.open()
        #expect(clean.visit())
        for moment in 0..<clean.delivered.count {
            let phone = Phone()
            phone.controller.isStrict = false
            phone.swap = { index, packet in index == moment ? octets("04 10 01 00") : packet }
            phone.open()
            phone.visit()
            phone.pass(milliseconds: 120_000)
            phone.swap = nil
            phone.controller.isStrict = true
            if phone.isConnected { phone.disconnect() }
            if !phone.isReady { phone.open() }
            #expect(phone.visit(), "hardware error as packet \(moment)")
        }
    }

    @Test func hardwareErrorStormEndsInTheShellsHands() {
        let phone = opened(Script())
        for _ in 0..<1000 { phone.deliver(octets("04 10 01 42")) }
        #expect(phone.events.filter { $0 != .ready } == [.fault(.hardwareError(0x42), .reset)])
        phone.run()
        for _ in 0..<1000 { phone.deliver("04 10 00") }
        #expect(phone.events.last == .fault(.hardwareError(0), .reopenLink))
        #expect(phone.counters[.dataWhileClosed] == 999)
        #expect(phone.counters[.hardwareError] == 2)
        phone.open()
        #expect(phone.visit())
    }

    @Test func eventsBeforeTheCompletionOfResetAreDiscarded() {
        let phone = Phone()
        phone.host.open(now: phone.now)
        phone.deliver(phone.connectionComplete())
        phone.deliver(octets("04 10 01 00"))
        phone.deliver(octets("04 0E 04 01 01 10 00"))
        phone.run()
        #expect(phone.events == [.ready])
        #expect(!phone.isConnected)
    }

    @Test func connectionDuringBringUpIsNone() {
        let phone = Phone(Database.sparse(), Script(silences: [.readLocalVersion: 1]))
        phone.open()
        for handle in 0..<64 as Range<UInt16> {
            phone.handle = handle
            phone.deliver(phone.connectionComplete(role: UInt8(handle & 1)))
        }
        #expect(!phone.isConnected)
        #expect(phone.counters[.connectionEarly] == 64)
        phone.controller.pending.append(octets("04 0E 0C 01 01 10 00 0C 01 02 0C 0F 00 03 04"))
        phone.run()
        #expect(phone.events == [.ready])
    }

    @Test func optionalCommandsOfALinkUnansweredDoNotCostIt() {
        let phone = Phone(Database.sparse(), Script(silences: [.leSetDataLength: 1, .leSetPHY: 1]))
        phone.open()
        phone.advertise()
        phone.connect()
        phone.pass(milliseconds: 4000)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        #expect(phone.events == [.ready, .connected])
        phone.disconnect()
        let before = phone.controller.commands.count
        phone.advertise()
        phone.connect()
        #expect(!phone.controller.opcodes[before...].contains(.leSetPHY))
        #expect(!phone.controller.opcodes[before...].contains(.leSetDataLength))
    }

    @Test("what one controller left unanswered is asked of the next")
    func aNewControllerIsAskedForAFasterLinkAgain() {
        let phone = Phone(Database.sparse(), Script(silences: [.leSetDataLength: 1, .leSetPHY: 1]))
        phone.open()
        phone.advertise()
        phone.connect()
        phone.pass(milliseconds: 4000)
        phone.host.close()
        phone.controller.commands = []
        phone.open()
        phone.advertise()
        phone.connect()
        #expect(phone.controller.opcodes.suffix(2) == [.leSetDataLength, .leSetPHY])
    }

    @Test(arguments: optional.indices)
    func lostAnswerToAnOptionalCommandIsNoFault(index: Int) {
        let (step, opcode) = optional[index]
        let phone = opened(Script(features: dualMode, silences: [opcode: .max]))
        phone.pass(milliseconds: 2000)
        #expect(phone.events == [.ready])
        #expect(phone.bringUp.result(of: step) == .timedOut)
        #expect(phone.visit())
    }

    @Test func fasterLinkIsAskedForOnlyWhereTheControllerHasIt() {
        let phone = Phone.connected()
        let length = phone.controller.commands.first { $0.opcode == .leSetDataLength }
        let phy = phone.controller.commands.first { $0.opcode == .leSetPHY }
        #expect(length?.parameters == octets("40 00 FB 00 48 08"))
        #expect(phy?.parameters == octets("40 00 00 02 02 00 00"))
        let plain = Phone.connected(Database.sparse(), Script(leFeatures: 0))
        #expect(!plain.controller.opcodes.contains(.leSetDataLength))
        #expect(!plain.controller.opcodes.contains(.leSetPHY))
    }

    @Test func statusOfSuccessIsNotTheAnswerOfACommandThatCompletes() {
        let phone = Phone(Database.sparse(), Script(silences: [.readLocalVersion: 1]))
        phone.open()
        phone.deliver("04 0F 04 00 01 01 10")
        #expect(phone.controller.opcodes.last == .readLocalVersion)
        phone.deliver("04 0E 0C 01 01 10 00 0C 01 02 0C 0F 00 03 04")
        #expect(phone.events == [.ready])
    }

    @Test func answersNobodyAskedForAreCounted() {
        let phone = opened(Script())
        phone.deliver("04 0E 04 01 03 0C 00")
        phone.deliver("04 0F 04 00 01 06 04")
        phone.deliver("04 0E 04 01 FF FF 00")
        #expect(phone.counters[.commandUnexpected] == 3)
        phone.deliver("04 0E 03 01 00 00")
        phone.deliver("04 0F 04 00 01 00 00")
        #expect(phone.counters.total == 3)
        #expect(phone.visit())
    }

    @Test func commandsPauseWhileTheControllerTakesNone() {
        let phone = opened(Script())
        let before = phone.controller.commands.count
        phone.deliver("04 0E 03 00 00 00")
        phone.advertise()
        #expect(phone.controller.commands.count == before)
        phone.deliver("04 0E 03 01 00 00")
        #expect(phone.controller.commands.count > before)
        #expect(phone.isAdvertising)
    }

    @Test func aPauseThatNeverEndsIsEndedByTime() {
        let phone = opened(Script())
        phone.deliver("04 0F 04 00 00 00 00")
        phone.advertise()
        #expect(!phone.isAdvertising)
        phone.pass(milliseconds: 2000)
        #expect(phone.isAdvertising)
        phone.controller.allowed = 0
        phone.host.stopAdvertising()
        phone.run()
        phone.advertise()
        phone.pass(milliseconds: 20_000)
        #expect(phone.isAdvertising)
    }

    @Test func nothingMovesWhileClosed() {
        let phone = Phone()
        phone.run()
        phone.deliver(octets("04 0E 04 01 03 0C 00"))
        #expect(phone.counters[.dataWhileClosed] == 1)
        #expect(phone.controller.commands.isEmpty)
        #expect(phone.deadline == nil)
        phone.open()
        phone.host.close()
        phone.advertise()
        #expect(!phone.isReady)
        #expect(phone.controller.opcodes.last == .leSetDefaultPHY)
    }
}
