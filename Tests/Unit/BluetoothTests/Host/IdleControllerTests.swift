import Testing

@testable import Bluetooth

/// A controller that has nothing to do but to advertise says nothing by itself: one that has died meanwhile has to be found out.
@Suite struct IdleControllerTests {
    private static let dead = HostEvent.fault(.commandTimeout(.readLocalVersion), .reset)

    /// A gate that waits for visitors.
    private static func idle(_ script: Script = Script()) -> Phone {
        let phone = Phone(Database.sparse(), script)
        phone.open()
        phone.advertise()
        phone.controller.commands = []
        phone.events = []
        return phone
    }

    @Test("it is asked every ten seconds, which changes nothing")
    func asked() {
        let phone = Self.idle()
        phone.pass(milliseconds: 600_000)
        #expect(phone.controller.opcodes == [Opcode](repeating: .readLocalVersion, count: 60))
        #expect(phone.events.isEmpty && phone.counters.total == 0)
        #expect(phone.controller.isAdvertising && phone.isAdvertising)
        #expect(phone.visit())
    }

    @Test("one that answers no more is reset after fourteen seconds, and serves again if that helps")
    func dead() {
        let phone = Self.idle()
        phone.controller.script.silences = [.readLocalVersion: 2]
        phone.pass(milliseconds: 13_999)
        #expect(phone.events.isEmpty)
        phone.pass(milliseconds: 1)
        #expect(phone.events == [Self.dead, .ready])
        #expect(phone.isAdvertising)
        #expect(phone.visit())
    }

    @Test("one that comes back by nothing is left to the shell, rung by rung")
    func deadForGood() {
        let phone = Self.idle()
        phone.controller.script.silences = [.readLocalVersion: 2, .reset: 3]
        phone.pass(milliseconds: 14_000 + 6_000)
        #expect(phone.events == [Self.dead, .fault(.commandTimeout(.reset), .reopenLink)])
        #expect(phone.deadline == nil)
    }

    @Test("an answer that is lost is asked for again, however often one is")
    func answerLost() {
        let phone = Self.idle()
        for _ in 0..<5 {
            phone.controller.script.silences = [.readLocalVersion: 1]
            phone.pass(milliseconds: 12_000)
        }
        #expect(phone.controller.opcodes == [Opcode](repeating: .readLocalVersion, count: 10))
        #expect(phone.events.isEmpty)
        #expect(phone.isAdvertising)
    }

    @Test("whatever it answers is an answer", arguments: [0x01, 0x0C, 0x1F] as [UInt8], [false, true])
    func refused(status: UInt8, byStatus: Bool) {
        let phone = Self.idle()
        phone.controller.script.refusals = [.readLocalVersion: status]
        phone.controller.script.refusesByStatus = byStatus
        phone.pass(milliseconds: 60_000)
        #expect(phone.controller.commands.count == 6)
        #expect(phone.events.isEmpty)
    }

    @Test("a phone that comes while the answer is owed is served, and its link outlives a lost one")
    func phoneMeanwhile() {
        let phone = Self.idle()
        phone.controller.script.silences = [.readLocalVersion: 1]
        phone.pass(milliseconds: 10_000)
        #expect(phone.controller.opcodes == [.readLocalVersion])
        phone.connect()
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        phone.pass(milliseconds: 4_000)
        #expect(phone.isConnected)
        #expect(phone.events == [.connected])
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        phone.disconnect()
        #expect(phone.visit())
    }

    @Test("an answer that is lost behind a phone's coming is not asked for again, and resets nobody's controller")
    func lostBehindAPhone() {
        let phone = Self.idle()
        phone.controller.script.silences = [.readLocalVersion: 9]
        phone.pass(milliseconds: 10_000)
        phone.connect()
        phone.pass(milliseconds: 60_000)
        #expect(phone.isConnected && phone.events == [.connected])
        #expect(phone.controller.opcodes.filter { $0 == .readLocalVersion }.count == 1)
    }

    @Test("nothing is asked during a link, nor where nothing is advertised, and at once after a long link")
    func onlyWhileIdle() {
        let phone = Phone.connected()
        phone.controller.commands = []
        phone.pass(milliseconds: 600_000)
        #expect(phone.controller.commands.isEmpty)
        phone.disconnect()
        phone.host.stopAdvertising()
        phone.run()
        phone.controller.commands = []
        phone.pass(milliseconds: 600_000)
        #expect(phone.controller.commands.isEmpty)
        #expect(phone.deadline == nil)
        phone.advertise()
        phone.controller.commands = []
        phone.pass(milliseconds: 9_999)
        #expect(phone.controller.commands.isEmpty)
        phone.pass(milliseconds: 1)
        #expect(phone.controller.opcodes == [.readLocalVersion])
    }
}
