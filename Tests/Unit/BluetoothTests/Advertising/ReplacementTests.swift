import Testing

@testable import Bluetooth

/// Advertising data that is replaced while advertising goes on.
@Suite struct ReplacementTests {
    private static let other = octets("02 01 06 03 03 AA FE")

    private static func onAir(_ dataOnAir: Script.DataOnAir = .takes, _ script: Script = Script()) -> Phone {
        var script = script
        script.dataOnAir = dataOnAir
        let phone = Phone(Database.sparse(), script)
        phone.open()
        phone.advertise(data: octets("02 01 06"), scanResponse: octets("02 0A 00"))
        phone.controller.commands = []
        phone.events = []
        return phone
    }

    @Test("one command, and nothing else of what is advertised changes")
    func replaced() {
        let phone = Self.onAir()
        #expect(phone.host.replaceAdvertisingData(Self.other.span) == true)
        phone.run()
        #expect(phone.controller.opcodes == [.leSetAdvertisingData])
        #expect(phone.last(.leSetAdvertisingData) == text([7] + (Self.other + [UInt8](repeating: 0, count: 31)).prefix(31)))
        #expect(phone.isAdvertising && phone.controller.isAdvertising)
        #expect(phone.visit())
    }

    @Test("by the extended command where a controller has no other")
    func extended() {
        let phone = Self.onAir(.takes, .extended)
        #expect(phone.host.replaceAdvertisingData(Self.other.span) == true)
        phone.run()
        #expect(phone.controller.opcodes == [.leSetExtendedAdvertisingData])
        #expect(phone.last(.leSetExtendedAdvertisingData) == text([0, 3, 1, 7] + Self.other))
    }

    @Test("nothing is replaced where nothing is on the air, or by what does not fit")
    func nothing() {
        let phone = Self.onAir()
        #expect(phone.host.replaceAdvertisingData([UInt8](repeating: 1, count: 32).span) == false)
        phone.connect()
        #expect(phone.host.replaceAdvertisingData(Self.other.span) == false)
        phone.disconnect()
        #expect(phone.host.replaceAdvertisingData(Self.other.span) == false)
        phone.advertise()
        phone.host.stopAdvertising()
        #expect(phone.host.replaceAdvertisingData(Self.other.span) == false)
        phone.run()
        #expect(!phone.opcodes(of: Self.other))
    }

    @Test("a controller that refuses is turned off for it, then and from then on")
    func refused() {
        let phone = Self.onAir(.refuses)
        #expect(phone.host.replaceAdvertisingData(Self.other.span) == true)
        phone.run()
        #expect(
            phone.controller.opcodes == [.leSetAdvertisingData, .leSetAdvertisingEnable, .leSetAdvertisingData, .leSetAdvertisingEnable])
        #expect(phone.isAdvertising && phone.controller.isAdvertising && phone.events.isEmpty)
        phone.controller.commands = []
        #expect(phone.host.replaceAdvertisingData(octets("02 01 06").span) == true)
        phone.run()
        #expect(phone.controller.opcodes == [.leSetAdvertisingEnable, .leSetAdvertisingData, .leSetAdvertisingEnable])
        #expect(phone.isAdvertising && phone.controller.isAdvertising)
        #expect(phone.visit())
    }

    @Test("a lost answer is no fault; the controller is asked whether it is there")
    func answerLost() {
        let phone = Self.onAir()
        phone.controller.script.silences = [.leSetAdvertisingData: 1]
        _ = phone.host.replaceAdvertisingData(Self.other.span)
        phone.run()
        phone.pass(milliseconds: 500)
        #expect(phone.controller.opcodes == [.leSetAdvertisingData, .readLocalVersion])
        #expect(phone.events.isEmpty && phone.isAdvertising)
        #expect(phone.visit())
    }

    @Test("one that answers nothing any more is reset, although it is kept busy")
    func dead() {
        let phone = Self.onAir()
        phone.controller.script.silences = [.leSetAdvertisingData: 100, .readLocalVersion: 2]
        for turn in 0..<20 where phone.events.isEmpty {
            let data = turn % 2 == 0 ? Self.other : octets("02 01 06")
            _ = phone.host.replaceAdvertisingData(data.span)
            phone.run()
            phone.pass(milliseconds: 300)
        }
        #expect(phone.events.first == .fault(.commandTimeout(.readLocalVersion), .reset))
    }

    @Test("a reset finds the data of before on the air again")
    func reset() {
        let phone = Self.onAir()
        _ = phone.host.replaceAdvertisingData(Self.other.span)
        phone.run()
        phone.deliver("04 10 01 42")
        phone.run()
        #expect(phone.events == [.fault(.hardwareError(0x42), .reset), .ready])
        #expect(phone.isAdvertising)
        #expect(phone.last(.leSetAdvertisingData) == text([7] + (Self.other + [UInt8](repeating: 0, count: 31)).prefix(31)))
    }

    @Test("on a battery the slow interval comes with the data of now")
    func slow() {
        let phone = Self.onAir()
        phone.host.savesPower = true
        phone.advertise()
        #expect(phone.host.advertisesSlowly == false)
        phone.pass(milliseconds: 30_000)
        #expect(phone.host.advertisesSlowly == true)
        #expect(phone.host.replaceAdvertisingData(Self.other.span) == true)
        phone.run()
        #expect(phone.host.advertisesSlowly == true)
    }
}

extension Phone {
    /// Whether the data was ever given to the controller.
    fileprivate func opcodes(of data: [UInt8]) -> Bool {
        controller.commands.contains { $0.opcode == .leSetAdvertisingData && Array($0.parameters.dropFirst().prefix(data.count)) == data }
    }
}
