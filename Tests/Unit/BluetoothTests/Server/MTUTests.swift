import Testing

@testable import Bluetooth

private let long = (0..<512).map { UInt8(truncatingIfNeeded: $0) }

@Suite struct MTUTests {
    @Test(arguments: [(0, 23), (22, 23), (23, 23), (67, 67), (185, 185), (517, 517), (518, 517), (0xFFFF, 517)] as [(UInt16, UInt16)])
    func smallerOfBothSidesButNeverBelow23(offered: UInt16, agreed: UInt16) {
        let phone = Phone.connected(Database.large())
        #expect(phone.att([0x02] + pair(offered)) == "03 05 02")
        #expect(phone.mtu == agreed)
        #expect(phone.events.last == .mtuExchanged(agreed))
    }

    @Test func theLatestExchangeCountsAndANewLinkBeginsAt23() {
        let phone = Phone.connected()
        phone.exchange(mtu: 512)
        phone.exchange(mtu: 100)
        #expect(phone.mtu == 100)
        phone.disconnect()
        #expect(phone.mtu == 23)
        phone.advertise()
        phone.connect()
        #expect(phone.mtu == 23)
    }

    @Test(arguments: [23, 67, 185, 517])
    func longValuesAreCutToTheMTU(mtu: Int) {
        let phone = Phone.connected(Database.large())
        phone.application.values[3] = long
        phone.exchange(mtu: UInt16(mtu))
        for handle in [3, 5] as [UInt8] {
            #expect(phone.att([0x0A, handle, 0]) == text([0x0B] + long.prefix(mtu - 1)))
            for offset in [1, min(mtu - 1, 512), 500, 511, 512] {
                #expect(phone.att([0x0C, handle, 0] + pair(offset)) == text([0x0D] + long[offset...].prefix(mtu - 1)))
            }
            #expect(phone.att([0x0C, handle, 0] + pair(513)) == text([0x01, 0x0C, handle, 0, 7]))
            let most = min(mtu - 4, 253)
            let type: [UInt8] = handle == 3 ? [0x01, 0xAA] : [0x02, 0xAA]
            #expect(
                phone.att(octets("08 01 00 FF FF") + type)
                    == text([0x09, UInt8(most + 2), handle, 0] + long.prefix(most)))
        }
        #expect(phone.att("0E 05 00 05 00") == text(([0x0F] + long + long).prefix(mtu)))
        #expect(phone.att("20 05 00 05 00") == text(([0x21, 0, 2] + long + [0, 2] + long).prefix(mtu)))
    }

    @Test func manyHandlesAreReadUpToTheMTU() {
        let phone = Phone.connected()
        phone.exchange(mtu: 517)
        let handles = [[UInt8]](repeating: [4, 0], count: 253).flatMap { $0 }
        let name = octets("47 61 74 65")
        let all = [[UInt8]](repeating: name, count: 253).flatMap { $0 }
        #expect(phone.att([0x0E] + handles) == text(([0x0F] + all).prefix(517)))
        let variable = [[UInt8]](repeating: [4, 0] + name, count: 253).flatMap { $0 }
        #expect(phone.att([0x20] + handles) == text(([0x21] + variable).prefix(517)))
    }

    @Test func writeOf512IsTakenAndOf513IsNot() {
        let phone = Phone.connected(Database.large())
        phone.exchange(mtu: 517)
        #expect(phone.att([0x12, 3, 0] + long) == "13")
        #expect(phone.application.values[3] == long)
        #expect(phone.att([0x12, 3, 0] + long + [0]) == "01 12 03 00 0D")
        #expect(phone.att([0x52, 3, 0] + long) == "")
        #expect(phone.application.writes.count == 2)
        #expect(phone.att([0x52, 3, 0] + long + [0]) == "")
        #expect(phone.application.writes.count == 2)
        #expect(phone.counters[.writeCommandRefused] == 1)
    }

    @Test func discoveryEntriesAreWholeAtEveryMTU() {
        for mtu in 23...517 {
            let phone = Phone.connected()
            phone.exchange(mtu: UInt16(mtu))
            for request in ["04 10 00 FF FF", "08 10 00 FF FF 03 28", "10 01 00 FF FF 00 28", "06 01 00 FF FF 00 28 0F 18"] {
                let answer = octets(phone.att(request))
                let entry = answer.count > 1 && answer[0] == 0x05 ? (answer[1] == 1 ? 4 : 18) : answer[0] == 0x07 ? 4 : Int(answer[1])
                let header = answer[0] == 0x07 ? 1 : 2
                #expect((answer.count - header) % entry == 0, "MTU \(mtu), \(request)")
                #expect(answer.count <= mtu)
            }
        }
    }
}
