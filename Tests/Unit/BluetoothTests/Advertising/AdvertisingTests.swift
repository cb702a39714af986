import Testing

@testable import Bluetooth

private let sequence: [Opcode] = [
    .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
]

private func ready(_ script: Script = Script()) -> Phone {
    let phone = Phone(Database.sparse(), script)
    phone.open()
    phone.controller.commands = []
    return phone
}

extension Phone {
    /// Hands the host a payload and moves nothing.
    fileprivate func ask(_ data: [UInt8], scanResponse: [UInt8] = []) throws {
        try host.advertise(
            address: DeviceAddress(value: 0xC000_0000_0002), data: data.span, scanResponse: scanResponse.span, now: now)
    }

    /// Lets the host send its next commands and withholds the answers.
    fileprivate func send() -> [[UInt8]] {
        var frame = PacketFrame()
        while host.next(into: &frame, now: now) { controller.take((0..<frame.count).map { frame.storage[$0] }) }
        defer { controller.pending = [] }
        return controller.pending
    }
}

@Suite struct AdvertisingTests {
    @Test func octetsOfTheSequence() {
        let phone = ready()
        phone.advertise(data: octets("02 01 06 03 03 0F 18"), scanResponse: octets("05 09 47 61 74 65"), address: 0xC6A5_B4C3_D2E1)
        let zeros = [UInt8](repeating: 0, count: 31)
        #expect(phone.controller.opcodes == sequence)
        #expect(phone.last(.leSetRandomAddress) == "E1 D2 C3 B4 A5 C6")
        #expect(phone.last(.leSetAdvertisingParameters) == "20 00 30 00 00 01 00 00 00 00 00 00 00 07 00")
        #expect(phone.last(.leSetAdvertisingData) == text([7] + (octets("02 01 06 03 03 0F 18") + zeros).prefix(31)))
        #expect(phone.last(.leSetScanResponseData) == text([6] + (octets("05 09 47 61 74 65") + zeros).prefix(31)))
        #expect(phone.last(.leSetAdvertisingEnable) == "01")
        #expect(phone.isAdvertising)
    }

    @Test func fullAndEmptyPayloads() {
        let phone = ready()
        let full = [UInt8](repeating: 0xEE, count: 31)
        phone.advertise(data: full, scanResponse: [])
        #expect(phone.last(.leSetAdvertisingData) == text([31] + full))
        #expect(phone.last(.leSetScanResponseData) == text([UInt8](repeating: 0, count: 32)))
    }

    @Test func payloadsOf32AreRefusedAndChangeNothing() {
        let phone = ready()
        let long = [UInt8](repeating: 1, count: 32)
        #expect(throws: AdvertisingError.tooLong) { try phone.ask(long) }
        #expect(throws: AdvertisingError.tooLong) { try phone.ask([], scanResponse: long) }
        phone.run()
        #expect(phone.controller.commands.isEmpty)
    }

    @Test("20 to 30 ms for as long as a code is shown, and nothing to wake up for but a question")
    func fastForAsLongAsACodeIsShown() {
        let phone = ready()
        phone.advertise()
        #expect(phone.deadline == phone.now.adding(milliseconds: 10_000))
        phone.controller.commands = []
        phone.pass(milliseconds: 600_000)
        #expect(phone.controller.wishes.isEmpty)
        #expect(phone.isAdvertising)
    }

    @Test func onABatteryFastForThirtySecondsThenSlow() {
        let phone = ready()
        phone.host.savesPower = true
        phone.advertise()
        phone.controller.commands = []
        phone.pass(milliseconds: 29_999)
        #expect(phone.controller.wishes.isEmpty)
        phone.pass(milliseconds: 1)
        #expect(
            phone.controller.wishes.map(\.opcode) == [.leSetAdvertisingEnable, .leSetAdvertisingParameters, .leSetAdvertisingEnable])
        #expect(phone.controller.wishes.first?.parameters == [0])
        #expect(phone.last(.leSetAdvertisingParameters) == "F4 00 F4 00 00 01 00 00 00 00 00 00 00 07 00")
        #expect(phone.isAdvertising)
        #expect(phone.deadline == phone.now.adding(milliseconds: 10_000))
        phone.pass(milliseconds: 600_000)
        #expect(phone.controller.wishes.count == 3)
    }

    @Test func aNewPayloadWhileOnIsSetWhileOff() {
        let phone = ready()
        phone.advertise()
        phone.controller.commands = []
        phone.advertise(data: [9, 9])
        #expect(phone.controller.opcodes == [.leSetAdvertisingEnable] + sequence)
        #expect(phone.controller.commands.first?.parameters == [0])
        #expect(phone.last(.leSetAdvertisingData)?.hasPrefix("02 09 09 00") == true)
        #expect(phone.isAdvertising)
    }

    @Test(arguments: 0...5)
    func aNewPayloadAtAnyStepOfTheSequenceWins(step: Int) throws {
        let phone = ready()
        try phone.ask([1])
        var answers = phone.send()
        for _ in 0..<step {
            for answer in answers { phone.deliver(answer) }
            answers = phone.send()
        }
        try phone.ask([2, 2])
        phone.controller.pending = answers
        phone.run()
        #expect(phone.last(.leSetAdvertisingData)?.hasPrefix("02 02 02 00") == true)
        #expect(phone.isAdvertising)
        #expect(phone.controller.isAdvertising)
    }

    @Test(arguments: 0...5)
    func stoppedAtAnyStepOfTheSequenceIsOff(step: Int) throws {
        let phone = ready()
        try phone.ask([1])
        var answers = phone.send()
        for _ in 0..<step {
            for answer in answers { phone.deliver(answer) }
            answers = phone.send()
        }
        phone.host.stopAdvertising()
        phone.controller.pending = answers
        phone.run()
        #expect(!phone.isAdvertising)
        #expect(!phone.controller.isAdvertising)
        phone.pass(milliseconds: 120_000)
        #expect(!phone.controller.isAdvertising)
    }

    @Test(arguments: 0...6, [false, true])
    func aConnectionAtAnyStepEndsTheSequence(step: Int, connectsFirst: Bool) throws {
        let phone = ready()
        phone.advertise()
        phone.controller.commands = []
        // A new payload is on its way; the phone took the old one.
        try phone.ask([1])
        var answers = phone.send()
        for _ in 0..<step {
            for answer in answers { phone.deliver(answer) }
            answers = phone.send()
        }
        phone.controller.isAdvertising = false
        if connectsFirst { phone.deliver(phone.connectionComplete()) }
        phone.controller.pending = answers
        phone.run()
        if !connectsFirst { phone.deliver(phone.connectionComplete()) }
        phone.controller.isAdvertising = false
        phone.run()
        #expect(phone.isConnected)
        #expect(!phone.isAdvertising)
        let before = phone.controller.opcodes.filter { $0 == .leSetAdvertisingEnable }.count
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        phone.disconnect()
        phone.pass(milliseconds: 120_000)
        #expect(phone.controller.opcodes.filter { $0 == .leSetAdvertisingEnable }.count == before)
        #expect(!phone.isAdvertising)
        #expect(phone.visit())
    }

    @Test func aLinkThatCameAndWentBeforeTheAnswerLeavesNothingOn() throws {
        let phone = ready()
        try phone.ask([1])
        var answers = phone.send()
        while phone.controller.opcodes.last != .leSetAdvertisingEnable {
            for answer in answers { phone.deliver(answer) }
            answers = phone.send()
        }
        phone.deliver(phone.connectionComplete())
        phone.deliver(octets("04 05 04 00 40 00 13"))
        phone.controller.isAdvertising = false
        phone.controller.pending = answers
        phone.run()
        #expect(!phone.isAdvertising)
        phone.pass(milliseconds: 60_000)
        #expect(!phone.controller.isAdvertising)
        #expect(phone.visit())
    }

    @Test("advertising that was turned on while a link came up is turned off, during the link or after it", arguments: [false, true])
    func anEnableAnsweredAfterALinkCameUp(isOver: Bool) throws {
        let phone = ready()
        phone.advertise()
        try phone.ask([1])
        var answers = phone.send()
        while phone.controller.commands.last?.parameters != [1] || phone.controller.commands.count < 8 {
            for answer in answers { phone.deliver(answer) }
            answers = phone.send()
        }
        // The link is the former advertisement's; the controller, which has a second state machine, advertises on.
        phone.deliver(phone.connectionComplete())
        if isOver { phone.deliver(octets("04 05 04 00 40 00 13")) }
        if isOver { try phone.ask([2]) }
        phone.controller.pending = answers
        phone.run()
        #expect(phone.isConnected == !isOver)
        #expect(phone.controller.isAdvertising == isOver)
        #expect(phone.isAdvertising == isOver)
        #expect(phone.last(.leSetAdvertisingData)?.hasPrefix(isOver ? "01 02 00" : "01 01 00") == true)
        if !isOver { phone.disconnect() }
        #expect(phone.visit())
        #expect(phone.events.allSatisfy { if case .fault = $0 { false } else { true } })
    }

    @Test func nothingIsAdvertisedAfterALinkUntilAsked() {
        let phone = Phone.connected()
        phone.disconnect()
        #expect(phone.events.suffix(2) == [.connected, .disconnected(.remoteUserTerminated)])
        phone.pass(milliseconds: 600_000)
        #expect(!phone.controller.isAdvertising)
        phone.advertise()
        #expect(phone.controller.isAdvertising)
    }

    @Test func askedForDuringALinkItBeginsAfterIt() {
        let phone = Phone.connected()
        phone.advertise(data: [7])
        #expect(!phone.controller.isAdvertising)
        phone.disconnect()
        #expect(phone.controller.isAdvertising)
        #expect(phone.last(.leSetAdvertisingData)?.hasPrefix("01 07 00") == true)
    }

    @Test func askedForBeforeTheControllerIsReadyItBeginsThen() {
        let phone = Phone()
        phone.advertise()
        #expect(phone.controller.commands.isEmpty)
        phone.open()
        #expect(phone.isAdvertising)
    }

    @Test func aFailedConnectionBringsAdvertisingBack() {
        let phone = ready()
        phone.advertise()
        phone.connect(status: 0x3E)
        #expect(phone.counters[.connectionFailed] == 1)
        #expect(phone.isAdvertising)
        #expect(phone.controller.isAdvertising)
        phone.host.stopAdvertising()
        phone.run()
        phone.connect(status: 0x3C)
        #expect(!phone.controller.isAdvertising)
    }

    @Test(arguments: sequence, [false, true])
    func refusedFourTimesIsAFault(opcode: Opcode, byStatus: Bool) {
        var script = Script(refusals: [opcode: 0x0C])
        script.refusesByStatus = byStatus
        let phone = ready(script)
        phone.controller.isStrict = false
        phone.advertise()
        phone.pass(milliseconds: 1499)
        #expect(phone.events == [.ready])
        phone.pass(milliseconds: 1)
        #expect(phone.events.dropFirst().first == .fault(.advertisingRefused(.commandDisallowed), .reset))
        phone.controller.script.refusals = [:]
        phone.pass(milliseconds: 2000)
        #expect(phone.isAdvertising)
    }

    @Test(arguments: sequence)
    func refusedOnceIsTriedAgain(opcode: Opcode) {
        let phone = ready(Script(refusals: [opcode: 0x0C]))
        phone.advertise()
        #expect(!phone.isAdvertising)
        phone.controller.script.refusals = [:]
        phone.pass(milliseconds: 500)
        #expect(phone.isAdvertising)
        #expect(phone.controller.isAdvertising)
        #expect(phone.events == [.ready])
    }

    @Test(arguments: sequence)
    func anAnswerWithoutAStatusIsARefusal(opcode: Opcode) {
        let phone = ready(Script(cuts: [opcode: 0]))
        phone.advertise()
        #expect(phone.counters[.eventTruncated] == 1)
        #expect(!phone.isAdvertising)
        phone.controller.script.cuts = [:]
        phone.pass(milliseconds: 500)
        #expect(phone.isAdvertising)
    }

    @Test func stoppingWhileARetryWaitsEndsIt() {
        let phone = ready(Script(refusals: [.leSetAdvertisingEnable: 0x0C]))
        phone.advertise()
        phone.host.stopAdvertising()
        phone.controller.script.refusals = [:]
        phone.run()
        phone.pass(milliseconds: 60_000)
        #expect(!phone.controller.isAdvertising)
        #expect(phone.deadline == nil)
    }

    @Test(arguments: sequence)
    func aLostAnswerIsAFault(opcode: Opcode) {
        let phone = ready(Script(silences: [opcode: 1]))
        phone.advertise()
        phone.pass(milliseconds: 2000)
        #expect(phone.events.last == .ready)
        #expect(phone.events.dropFirst().first == .fault(.commandTimeout(opcode), .reset))
        #expect(phone.isAdvertising)
    }

    @Test func addressesAreResolvableOrNone() {
        #expect(DeviceAddress.prand(of: 0) == nil)
        #expect(DeviceAddress.prand(of: .max) == nil)
        #expect(DeviceAddress.prand(of: 0xFFC0_0000) == nil)
        #expect(DeviceAddress.prand(of: 0x3F_FFFF) == nil)
        #expect(DeviceAddress.prand(of: 1) == 0x40_0001)
        #expect(DeviceAddress.prand(of: 0xFFFF_FFFE) == 0x7F_FFFE)
        #expect(DeviceAddress(prand: 0x70_8194, hash: 0x0D_FBAA).value == 0x7081_940D_FBAA)
    }
}
