import Testing

@testable import Bluetooth

private func ready(_ script: Script = .extended) -> Phone {
    let phone = Phone(Database.sparse(), script)
    phone.open()
    phone.controller.commands = []
    return phone
}

private let disable = octets("00 01 00 00 00 00")

extension Phone {
    /// Advertising Set Terminated.
    fileprivate func terminate(status: UInt8, set: UInt8 = 0, link: UInt16 = 0) {
        controller.isAdvertising = false
        deliver(octets("04 3E 06 12") + [status, set] + pair(link) + [0])
        run()
    }
}

/// A controller that has the extended advertising commands only: the same ADV_IND, said in other words.
@Suite struct ExtendedAdvertisingTests {
    @Test func octetsOfTheSequence() {
        let phone = ready()
        phone.advertise(data: octets("02 01 06 03 03 0F 18"), scanResponse: octets("05 09 47 61 74 65"), address: 0xC6A5_B4C3_D2E1)
        #expect(phone.controller.opcodes == Script.extendedAdvertising)
        #expect(
            phone.last(.leSetExtendedAdvertisingParameters)
                == "00 13 00 20 00 00 30 00 00 07 01 00 00 00 00 00 00 00 00 7F 01 00 01 00 00")
        #expect(phone.last(.leSetAdvertisingSetRandomAddress) == "00 E1 D2 C3 B4 A5 C6")
        #expect(phone.last(.leSetExtendedAdvertisingData) == "00 03 01 07 02 01 06 03 03 0F 18")
        #expect(phone.last(.leSetExtendedScanResponseData) == "00 03 01 06 05 09 47 61 74 65")
        #expect(phone.last(.leSetExtendedAdvertisingEnable) == "01 01 00 00 00 00")
        #expect(phone.isAdvertising)
    }

    @Test func fullAndEmptyPayloads() {
        let phone = ready()
        let full = [UInt8](repeating: 0xEE, count: 31)
        phone.advertise(data: full, scanResponse: [])
        #expect(phone.last(.leSetExtendedAdvertisingData) == text([0, 3, 1, 31] + full))
        #expect(phone.last(.leSetExtendedScanResponseData) == "00 03 01 00")
    }

    @Test func theLegacyCommandsAreTakenWhereTheControllerHasBoth() {
        let phone = ready(Script())
        phone.advertise()
        #expect(phone.controller.opcodes == Script.legacyAdvertising)
    }

    @Test(arguments: Script.legacyAdvertising)
    func oneLegacyCommandAbsentMakesItExtended(absent: Opcode) {
        let phone = ready(Script(commands: Script.commandMask(without: absent)))
        phone.advertise()
        #expect(phone.controller.opcodes == Script.extendedAdvertising)
        #expect(phone.isAdvertising)
        phone.connect()
        phone.disconnect()
        #expect(phone.visit())
    }

    @Test func theEndOfASetIsAskedFor() {
        let phone = Phone(Database.sparse(), .extended)
        phone.open()
        #expect(phone.events == [.ready])
        // Bit 17 of the LE event mask.
        #expect(phone.last(.leSetEventMask) == "55 08 02 00 00 00 00 00")
    }

    /// Whatever is sent in whatever moment: the controller of the tests complains about a mixture.
    @Test func visitsFollowOneAnother() {
        let phone = Phone(Database.sparse(), .extended)
        phone.open()
        for _ in 0..<20 {
            phone.advertise()
            phone.connect()
            phone.terminate(status: 0, link: phone.handle)
            #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
            phone.disconnect()
            #expect(phone.visit())
        }
        #expect(phone.counters.total == 0)
        #expect(phone.events.filter { if case .fault = $0 { true } else { false } }.isEmpty)
    }

    @Test func onABatteryFastForThirtySecondsThenSlow() {
        let phone = ready()
        phone.host.savesPower = true
        phone.advertise()
        phone.controller.commands = []
        phone.pass(milliseconds: 30_000)
        #expect(
            phone.controller.wishes.map(\.opcode) == [
                .leSetExtendedAdvertisingEnable, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingEnable,
            ])
        #expect(phone.controller.wishes.first?.parameters == disable)
        #expect(phone.last(.leSetExtendedAdvertisingParameters)?.hasPrefix("00 13 00 F4 00 00 F4 00 00 07 01") == true)
        #expect(phone.isAdvertising)
        phone.pass(milliseconds: 600_000)
        #expect(phone.controller.wishes.count == 3)
    }

    @Test func aNewPayloadWhileOnIsSetWhileOff() {
        let phone = ready()
        phone.advertise()
        phone.controller.commands = []
        phone.advertise(data: [9, 9])
        #expect(phone.controller.opcodes == [.leSetExtendedAdvertisingEnable] + Script.extendedAdvertising)
        #expect(phone.controller.commands.first?.parameters == disable)
        #expect(phone.last(.leSetExtendedAdvertisingData) == "00 03 01 02 09 09")
        #expect(phone.isAdvertising)
    }

    @Test func stoppedIsOff() {
        let phone = ready()
        phone.advertise()
        phone.host.stopAdvertising()
        phone.run()
        #expect(phone.last(.leSetExtendedAdvertisingEnable) == text(disable))
        #expect(!phone.controller.isAdvertising)
    }

    @Test func askedForDuringALinkItBeginsAfterIt() {
        let phone = ready()
        phone.advertise()
        phone.connect()
        phone.terminate(status: 0, link: phone.handle)
        phone.advertise(data: [7])
        #expect(!phone.controller.isAdvertising)
        phone.disconnect()
        #expect(phone.controller.isAdvertising)
        #expect(phone.last(.leSetExtendedAdvertisingData) == "00 03 01 01 07")
    }

    @Test(arguments: [0x00, 0x3C, 0x43, 0xFF] as [UInt8])
    func aSetThatEndsByItselfIsBegunAgain(status: UInt8) {
        let phone = ready()
        phone.advertise()
        phone.controller.commands = []
        phone.terminate(status: status)
        #expect(!phone.isAdvertising)
        #expect(phone.controller.commands.isEmpty)
        phone.pass(milliseconds: 500)
        #expect(phone.isAdvertising)
        #expect(phone.controller.isAdvertising)
        #expect(phone.events == [.ready])
    }

    @Test func aStormOfEndsIsOnePause() {
        let phone = ready()
        phone.advertise()
        phone.controller.commands = []
        for _ in 0..<1000 { phone.terminate(status: 0x43) }
        #expect(phone.controller.commands.isEmpty)
        phone.pass(milliseconds: 500)
        #expect(phone.isAdvertising)
        #expect(phone.events == [.ready])
    }

    @Test func endsOfOtherSetsOrOfNoneChangeNothing() {
        let phone = ready()
        phone.terminate(status: 0x43)
        phone.advertise()
        phone.deliver("04 3E 06 12 43 01 00 00 00")
        #expect(phone.isAdvertising)
        #expect(phone.counters.total == 0)
        for length in 1...7 where length != 6 {
            phone.deliver([0x04, 0x3E, UInt8(length), 0x12] + [UInt8](repeating: 0, count: length - 1))
        }
        #expect(phone.counters[.eventMalformed] == 6)
        #expect(phone.isAdvertising)
        phone.host.stopAdvertising()
        phone.run()
        phone.terminate(status: 0x43)
        phone.pass(milliseconds: 10_000)
        #expect(!phone.controller.isAdvertising)
        #expect(phone.visit())
    }

    @Test(arguments: Script.extendedAdvertising, [false, true])
    func refusedFourTimesIsAFault(opcode: Opcode, byStatus: Bool) {
        var script = Script.extended
        script.refusals = [opcode: 0x0C]
        script.refusesByStatus = byStatus
        let phone = ready(script)
        phone.controller.isStrict = false
        phone.advertise()
        phone.pass(milliseconds: 1500)
        #expect(phone.events.dropFirst().first == .fault(.advertisingRefused(.commandDisallowed), .reset))
        phone.controller.script.refusals = [:]
        phone.pass(milliseconds: 2000)
        #expect(phone.isAdvertising)
    }

    @Test(arguments: Script.extendedAdvertising)
    func aLostAnswerIsAFault(opcode: Opcode) {
        var script = Script.extended
        script.silences = [opcode: 1]
        let phone = ready(script)
        phone.advertise()
        phone.pass(milliseconds: 2000)
        #expect(phone.events.dropFirst().first == .fault(.commandTimeout(opcode), .reset))
        #expect(phone.events.last == .ready)
        #expect(phone.isAdvertising)
    }

    @Test func aResetBringsTheSetBack() {
        let phone = ready()
        phone.advertise()
        phone.controller.commands = []
        phone.deliver("04 10 01 00")
        #expect(phone.isAdvertising)
        #expect(phone.controller.opcodes.suffix(5) == Script.extendedAdvertising[...])
    }

    @Test func anotherControllerMayHaveTheOtherCommands() {
        let phone = ready()
        phone.advertise()
        phone.controller.script = Script()
        phone.open()
        #expect(phone.controller.opcodes.suffix(5) == Script.legacyAdvertising[...])
        phone.controller.script = .extended
        phone.open()
        #expect(phone.controller.opcodes.suffix(5) == Script.extendedAdvertising[...])
        #expect(phone.isAdvertising)
    }
}

@Suite struct AdvertisingStateTests {
    /// A controller may say that a connection failed and go on advertising: what it refuses then is set while off.
    @Test(arguments: [false, true])
    func aControllerThatAdvertisesAgainstItsWordIsTurnedOffFirst(isExtended: Bool) {
        let phone = ready(isExtended ? .extended : Script())
        phone.advertise()
        phone.controller.isStrict = false
        phone.deliver(phone.connectionComplete(status: 0x3E))
        phone.run()
        phone.pass(milliseconds: 500)
        #expect(phone.isAdvertising)
        #expect(phone.controller.isAdvertising)
        #expect(phone.events == [.ready])
        phone.controller.isStrict = true
        phone.connect()
        phone.disconnect()
        #expect(phone.visit())
    }
}
