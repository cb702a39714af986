import Testing

@testable import Bluetooth

/// Events of the link that are lost or damaged on their way: within seconds the gate serves again, whatever the phone waits for.
@Suite struct LostEventTests {
    private static let request = "02 40 20 07 00 03 00 04 00 02 05 02"
    private static let probing = Script(commands: Script.commandMask(probing: true))

    /// A phone has connected, and nobody told the host.
    private static func untold() -> Phone {
        let phone = Phone()
        phone.open()
        phone.advertise()
        phone.controller.isAdvertising = false
        phone.controller.commands = []
        return phone
    }

    @Test("a phone whose Connection Complete was lost is disconnected a second after its first data, and can come again")
    func connectionCompleteLost() {
        let phone = Self.untold()
        phone.deliver(Self.request)
        phone.pass(milliseconds: 999)
        #expect(phone.controller.commands.isEmpty)
        phone.pass(milliseconds: 1)
        #expect(phone.controller.commands.first?.opcode == .disconnect)
        #expect(phone.controller.commands.first.map { text($0.parameters) } == "40 00 13")
        #expect(phone.controller.isAdvertising)
        #expect(phone.counters[.dataUnclaimed] == 1)
        phone.connect()
        #expect(phone.att("02 05 02") == "03 05 02")
    }

    @Test("so is one that took the handle of the link before it at once, though its data is dropped", arguments: [0, 99, 100] as [UInt64])
    func connectionCompleteLostBehindALink(milliseconds: UInt64) {
        let phone = Phone.connected()
        phone.disconnect()
        phone.advertise()
        phone.pass(milliseconds: milliseconds)
        phone.controller.isAdvertising = false
        phone.controller.commands = []
        phone.deliver(Self.request)
        phone.deliver(Self.request)
        #expect(phone.counters[.unknownHandle] == (milliseconds < 100 ? 2 : 0))
        phone.pass(milliseconds: 999)
        #expect(phone.controller.commands.isEmpty)
        phone.pass(milliseconds: 1)
        #expect(phone.controller.commands.first.map { "\($0.opcode) \(text($0.parameters))" } == "disconnect 40 00 13")
        #expect(phone.controller.isAdvertising)
        phone.pass(milliseconds: 60_000)
        #expect(phone.controller.opcodes.filter { $0 == .disconnect }.count == 1)
        phone.connect()
        #expect(phone.att("02 05 02") == "03 05 02")
    }

    @Test("what is left of a link whose end alone was told is not the next link's, kept or late", arguments: [false, true])
    func onlyTheEndIsToldBehindData(isLate: Bool) {
        let phone = Self.untold()
        let write = "02 40 20 08 00 04 00 04 00 12 12 00 66"
        if !isLate { phone.deliver(write) }
        phone.deliver("04 05 04 00 40 00 13")
        if isLate { phone.deliver(write) }
        phone.connect()
        #expect(phone.application.writes.isEmpty)
        #expect(phone.counters[isLate ? .unknownHandle : .dataUnclaimed] == 1)
        #expect(phone.att("02 05 02") == "03 05 02")
    }

    @Test("what another handle has sent stays where a link has ended that was not told of")
    func anotherHandlesEnd() {
        let phone = Self.untold()
        phone.deliver(Self.request)
        phone.deliver("04 05 04 00 41 00 13")
        phone.connect()
        #expect(phone.events.last == .mtuExchanged(517))
        #expect(phone.counters[.dataUnclaimed] == 0)
    }

    @Test("a handle that is none any more costs one command, and the advertisement stays as it is")
    func nobodysHandle() {
        let phone = Self.untold()
        phone.controller.isAdvertising = true
        phone.controller.script.refusals = [.disconnect: 0x02]
        phone.deliver(Self.request)
        phone.pass(milliseconds: 60_000)
        #expect(phone.controller.opcodes.filter { $0 == .disconnect }.count == 1)
        #expect(phone.controller.isAdvertising)
        #expect(phone.visit())
    }

    @Test("a link that ended and never began leaves the gate on the air")
    func onlyTheEndIsTold() {
        let phone = Self.untold()
        phone.deliver("04 05 04 00 40 00 13")
        #expect(phone.controller.isAdvertising)
        #expect(phone.isAdvertising)
        #expect(phone.counters[.disconnectionUnknownHandle] == 1)
        #expect(phone.visit())
        // One that failed has ended nothing, and where nothing is advertised nothing begins.
        phone.controller.commands = []
        phone.deliver("04 05 04 00 41 00 13")
        phone.advertise()
        phone.controller.commands = []
        phone.deliver("04 05 04 0C 40 00 13")
        #expect(phone.controller.commands.isEmpty)
    }

    @Test(
        "a Connection Complete with another handle, role or status is overcome in four seconds",
        arguments: [
            "04 3E 13 01 00 41 00 01 01 11 22 33 44 55 66 18 00 00 00 58 02 00",
            "04 3E 13 01 00 40 0F 01 01 11 22 33 44 55 66 18 00 00 00 58 02 00",
            "04 3E 13 01 3E 40 00 01 01 11 22 33 44 55 66 18 00 00 00 58 02 00",
            "04 3E 13 01 00 40 00 00 01 11 22 33 44 55 66 18 00 00 00 58 02 00",
            "04 3E 12 01 00 40 00 01 01 11 22 33 44 55 66 18 00 00 00 58 02",
        ])
    func connectionCompleteDamaged(event: String) {
        let phone = Phone(Database.sparse(), Self.probing)
        phone.open()
        phone.advertise()
        phone.controller.isAdvertising = false
        phone.deliver(event)
        phone.deliver(Self.request)
        // It knows no link of that handle.
        phone.controller.script.refusals = [.leReadChannelMap: 0x02]
        phone.pass(milliseconds: 4000)
        #expect(phone.controller.commands.contains { $0.opcode == .disconnect && text($0.parameters) == "40 00 13" })
        #expect(!phone.isConnected)
        phone.controller.script.refusals = [:]
        #expect(phone.visit())
    }

    @Test(
        "a link whose end was lost or damaged is given up after three seconds of silence",
        arguments: [
            nil, "04 05 04 00 41 00 13", "04 05 04 0C 40 00 13", "04 05 03 00 40 00",
        ] as [String?])
    func disconnectionCompleteLost(event: String?) {
        let phone = Phone.connected(Database.sparse(), Self.probing)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        phone.controller.script.refusals = [.leReadChannelMap: 0x02]
        if let event { phone.deliver(event) }
        phone.pass(milliseconds: 2999)
        #expect(phone.isConnected)
        phone.pass(milliseconds: 1)
        #expect(phone.events.last == .disconnected(.unknownConnection))
        #expect(phone.deadline == nil)
        phone.controller.script.refusals = [:]
        #expect(phone.visit())
    }

    @Test("a phone that is silent for minutes while somebody picks a credential keeps its link")
    func silentLinkStays() {
        let phone = Phone.connected(Database.sparse(), Self.probing)
        phone.controller.commands = []
        phone.pass(milliseconds: 300_000)
        #expect(phone.isConnected)
        #expect(phone.controller.opcodes == [Opcode](repeating: .leReadChannelMap, count: 100))
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        // Who speaks is not asked after.
        phone.controller.commands = []
        for _ in 0..<20 {
            phone.pass(milliseconds: 2900)
            #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        }
        #expect(phone.controller.commands.isEmpty)
    }

    @Test("an answer that is lost is no reason to ask no more; three in a row are", arguments: 1...3)
    func answersLost(count: Int) {
        let phone = Phone.connected(Database.sparse(), Self.probing)
        // What was answered in between starts the count anew.
        for _ in 0..<2 {
            phone.controller.script.silences = [.leReadChannelMap: 2]
            phone.pass(milliseconds: 12_000)
        }
        #expect(phone.isConnected)
        phone.controller.script.silences = [.leReadChannelMap: count]
        phone.controller.script.refusals = [.leReadChannelMap: 0x02]
        phone.controller.commands = []
        phone.pass(milliseconds: 60_000)
        #expect(phone.isConnected == (count == 3))
        #expect(phone.controller.opcodes.filter { $0 == .leReadChannelMap }.count == min(count + 1, 3))
        #expect(phone.counters[.commandUnexpected] == 0)
    }

    @Test("a controller that does not list, know or answer the question is not asked again", arguments: [false, true])
    func notAsked(isSilent: Bool) {
        let phone = Phone.connected()
        phone.controller.commands = []
        phone.pass(milliseconds: 60_000)
        #expect(phone.controller.commands.isEmpty)
        let script = Script(
            commands: Script.commandMask(probing: true), refusals: isSilent ? [:] : [.leReadChannelMap: 0x01],
            silences: isSilent ? [.leReadChannelMap: 9] : [:])
        let other = Phone.connected(Database.sparse(), script)
        other.controller.commands = []
        other.pass(milliseconds: 60_000)
        #expect(other.controller.opcodes == [Opcode](repeating: .leReadChannelMap, count: isSilent ? 3 : 1))
        #expect(other.isConnected)
        #expect(other.att("0A 04 00") == "0B 47 61 74 65")
    }
}
