import Testing

@testable import Bluetooth

/// Values of up to 512 octets at every MTU that matters, and requests nobody waits with.
@Suite struct ValueTests {
    static let mtus: [UInt16] = [23, 24, 48, 185, 247, 512, 514, 515, 516, 517]
    private let long = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 11) }

    @Test("GATT/SR/GAR/BV-04-C 512 octets are read to the end", arguments: mtus) func readToTheEnd(mtu: UInt16) {
        let phone = Phone.connected(Database.large())
        phone.application.values[3] = long
        phone.exchange(mtu: mtu)
        var value = Array(octets(phone.att("0A 03 00")).dropFirst())
        while value.count < 512 {
            let part = octets(phone.att([0x0C, 3, 0] + pair(value.count)))
            #expect(part.count == 1 + min(Int(mtu) - 1, 512 - value.count))
            guard part.count > 1 else { return }
            value += part.dropFirst()
        }
        #expect(value == long)
        #expect(phone.att("0C 03 00 00 02") == "0D")
        #expect(phone.att("0C 03 00 01 02") == "01 0C 03 00 07")
    }

    @Test("GATT/SR/GAW/BV-05-C 512 octets are prepared and executed, one more is not", arguments: mtus)
    func writeToTheEnd(mtu: UInt16) {
        let phone = Phone.connected(Database.large())
        phone.exchange(mtu: mtu)
        let step = Int(mtu) - 5
        for offset in stride(from: 0, to: 512, by: step) {
            let part = pair(3) + pair(offset) + long[offset..<min(offset + step, 512)]
            #expect(phone.att([0x16] + part) == text([0x17] + part))
        }
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.values[3] == long)
        #expect(phone.application.writes.count == 1)
        #expect(phone.att("16 03 00 00 02 01") == "17 03 00 00 02 01")
        #expect(phone.att("18 01") == "01 18 03 00 0D")
        #expect(phone.application.values[3] == long)
    }

    @Test("GATT/SR/GAW/BV-10-C nested long writes of values nobody may read") func nestedUnreadable() {
        let phone = Phone.connected(Database.large())
        // 0007 cannot be read; 0019 cannot either.
        for part in [
            "07 00 00 00 01 02", "19 00 00 00 A1", "07 00 02 00 03", "19 00 01 00 A2", "07 00 00 00 11", "19 00 02 00 A3",
            "07 00 01 00 12",
        ] {
            #expect(phone.att("16 " + part) == "17 " + part)
        }
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.values[0x07] == octets("11 12"))
        #expect(phone.application.values[0x19] == octets("A1 A2 A3"))
        #expect(phone.application.writes.map(\.handle) == [7, 0x19, 7, 0x19, 7, 0x19, 7])
        #expect(phone.att("16 07 00 01 00 14") == "17 07 00 01 00 14")
        #expect(phone.att("18 01") == "01 18 07 00 07")
    }

    @Test("of requests sent without waiting the first is answered, and the link goes on") func withoutWaiting() {
        let phone = Phone.connected(Database.islands())
        phone.fragment(0x2000, octets("03 00 04 00 0A 03 00"))
        phone.fragment(0x2000, octets("03 00 04 00 0A 02 01"))
        phone.run()
        #expect(phone.frames(4) == [octets("0B 47 61 74 65")])
        #expect(phone.counters[.attributeBusy] == 1)
        #expect(phone.att("0A 02 01") == "0B 49 6F 6E")
    }
}
