import Testing

@testable import Bluetooth

@Suite struct WritingTests {
    @Test func longWriteInTheSmallestFragments() {
        let phone = Phone.connected(Database.large())
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for offset in stride(from: 0, to: 512, by: 18) {
            let part = pair(3) + pair(offset) + value[offset..<min(offset + 18, 512)]
            #expect(phone.att([0x16] + part) == text([0x17] + part))
        }
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.writes.count == 1)
        #expect(phone.application.values[3] == value)
    }

    @Test func aValueOf513IsNotWritten() {
        let phone = Phone.connected(Database.large())
        phone.exchange(mtu: 517)
        #expect(phone.att([0x16, 3, 0, 0, 0] + [UInt8](repeating: 1, count: 512)).hasPrefix("17"))
        #expect(phone.att("16 03 00 00 02 01") == "17 03 00 00 02 01")
        #expect(phone.att("18 01") == "01 18 03 00 0D")
        #expect(phone.application.writes.isEmpty)
    }

    /// Core Vol 3 Part F 3.4.6.3: what is wrong with any of it is found before anything is written.
    @Test(arguments: [
        ("16 03 00 09 00 01", "01 18 03 00 07"), ("16 1F 00 00 00 01 02 03 04 05 06 07 08 09", "01 18 1F 00 0D"),
        ("16 1E 00 00 00 01 00", "01 18 1E 00 FD"), ("16 1E 00 02 00 01", "01 18 1E 00 0D"),
    ]) func nothingOfAQueueIsWrittenWhereAnyOfItCannotBe(_ bad: String, answer: String) {
        for isBadFirst in [false, true] {
            let phone = Phone.connected(Database.large())
            let good = "16 07 00 00 00 01 02"
            for part in isBadFirst ? [bad, good] : [good, bad] { #expect(phone.att(part).hasPrefix("17")) }
            #expect(phone.att("18 01") == answer)
            #expect(phone.application.writes.isEmpty)
            // And all of it is discarded.
            #expect(phone.att("18 01") == "19")
            #expect(phone.application.writes.isEmpty)
            #expect(phone.att(good).hasPrefix("17"))
            #expect(phone.att("18 01") == "19")
            #expect(phone.application.values[7] == [1, 2])
        }
    }

    @Test func aQueueOfTwoValuesInTurnsIsWrittenWhole() {
        let phone = Phone.connected(Database.large())
        for part in ["16 07 00 00 00 01", "16 03 00 00 00 0A", "16 07 00 01 00 02", "16 03 00 01 00 0B", "16 07 00 02 00 03"] {
            #expect(phone.att(part).hasPrefix("17"))
        }
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.values[7] == [1, 2, 3])
        #expect(phone.application.values[3] == [0x0A, 0x0B])
    }

    @Test func aFullQueueRefusesAndKeepsWhatItHas() {
        let phone = Phone.connected(Database.large())
        phone.exchange(mtu: 185)
        let part = octets("1F 00 00 00") + [UInt8](repeating: 0x55, count: 8)
        var taken = 0
        while taken < 1000, phone.att([0x16] + part) == text([0x17] + part) { taken += 1 }
        #expect(taken == 768 / 14)
        #expect(phone.att([0x16] + part) == "01 16 1F 00 09")
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.values[0x1F] == [UInt8](repeating: 0x55, count: 8))
        #expect(phone.att([0x16] + part) == text([0x17] + part))
    }

    @Test("a value in fragments of one octet, one after the other, takes no more room than whole", arguments: [1, 2, 17, 512])
    func fragmentsThatContinue(size: Int) {
        let phone = Phone.connected(Database.large())
        phone.exchange(mtu: 517)
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        for start in stride(from: 0, to: 512, by: size) {
            let part = [0x03, 0x00, UInt8(start & 0xFF), UInt8(start >> 8)] + value[start..<min(start + size, 512)]
            #expect(phone.att([0x16] + part) == text([0x17] + part))
        }
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.values[3] == value)
        // A fragment that leaves a gap, or is of another value, is one of its own.
        for part in ["16 03 00 00 00 01", "16 03 00 02 00 03"] { #expect(phone.att(part).hasPrefix("17")) }
        #expect(phone.att("18 01") == "01 18 03 00 07")
    }

    @Test func emptyPreparedWritesFillTheQueueToo() {
        let phone = Phone.connected()
        var taken = 0
        while taken < 1000, phone.att("16 12 00 00 00") == "17 12 00 00 00" { taken += 1 }
        #expect(taken == 128)
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.values[0x12] == [])
    }

    @Test func aFullQueueIsGoneWithTheLink() {
        let phone = Phone.connected()
        while phone.att("16 12 00 00 00 EE") == "17 12 00 00 00 EE" {}
        phone.disconnect()
        phone.advertise()
        phone.connect()
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.writes.isEmpty)
        #expect(phone.att("16 12 00 00 00 EE") == "17 12 00 00 00 EE")
    }

    @Test func anUnreadableValueIsWrittenFromItsStartOnly() {
        let phone = Phone.connected(Database.large())
        #expect(phone.att("16 07 00 00 00 01 02") == "17 07 00 00 00 01 02")
        #expect(phone.att("16 07 00 02 00 03") == "17 07 00 02 00 03")
        #expect(phone.att("18 01") == "19")
        #expect(phone.application.values[7] == [1, 2, 3])
        #expect(phone.att("16 07 00 01 00 03") == "17 07 00 01 00 03")
        #expect(phone.att("18 01") == "01 18 07 00 07")
    }

    @Test func configurationsAreOfTheLinkAlone() {
        let phone = Phone.connected()
        #expect(phone.att("12 23 00 03 00") == "13")
        phone.disconnect()
        phone.advertise()
        phone.connect()
        #expect(phone.att("0A 23 00") == "0B 00 00")
        #expect(phone.push(0x22, [1]) == .notSubscribed)
    }

    @Test func aThousandWriteCommandsAreAllTaken() {
        let phone = Phone.connected(Database.large())
        for number in 0..<1000 { #expect(phone.att([0x52, 3, 0] + pair(number)) == "") }
        #expect(phone.application.writes.count == 1000)
        #expect(phone.application.writes.allSatisfy { $0.isCommand })
    }
}
