import Testing

@testable import Bluetooth

/// Commands on the LE signalling channel and their answers; nothing stands for silence. L2CAP/LE/REJ, LE/CPU, LE/CFC.
let signallingRows: [(name: String, request: String, response: String)] = [
    ("identifier 0", "12 00 08 00 18 00 28 00 00 00 2A 00", ""),
    ("code alone", "12", ""),
    ("code and identifier", "12 01", ""),
    ("half a length", "12 01 08", ""),
    ("length without data", "12 01 08 00", ""),
    ("length too large", "12 01 09 00 18 00 28 00 00 00 2A 00", ""),
    ("length too small", "12 01 07 00 18 00 28 00 00 00 2A 00", ""),
    ("two commands in a frame", "16 01 04 00 40 00 01 00 16 02 04 00 40 00 01 00", ""),
    ("LE/REJ/BI-02 unknown code", "7F 03 00 00", "01 03 02 00 00 00"),
    ("code 0", "00 03 00 00", "01 03 02 00 00 00"),
    ("BR/EDR connection request", "02 04 04 00 01 00 40 00", "01 04 02 00 00 00"),
    ("echo request", "08 05 00 00", "01 05 02 00 00 00"),
    ("parameter update request to a peripheral", "12 06 08 00 18 00 28 00 00 00 2A 00", "01 06 02 00 00 00"),
    ("disconnection of a channel that is not", "06 07 04 00 41 00 42 00", "01 07 06 00 02 00 41 00 42 00"),
    ("disconnection cut", "06 07 03 00 41 00 42", ""),
    ("disconnection of nothing", "06 07 00 00", ""),
    ("connection to an unknown SPSM", "14 08 0A 00 80 00 40 00 17 00 17 00 0A 00", "15 08 0A 00 00 00 00 00 00 00 00 00 02 00"),
    ("connection request cut", "14 08 09 00 80 00 40 00 17 00 17 00 0A", ""),
    ("enhanced connection request", "17 09 0A 00 80 00 40 00 40 00 0A 00 41 00", "18 09 08 00 00 00 00 00 00 00 02 00"),
    ("enhanced request without a channel", "17 09 08 00 80 00 40 00 40 00 0A 00", ""),
    ("enhanced request with half a channel", "17 09 0B 00 80 00 40 00 40 00 0A 00 41 00 42", ""),
    ("reconfigure", "19 0A 06 00 40 00 40 00 41 00", "01 0A 02 00 00 00"),
    ("reject", "01 0B 02 00 00 00", ""),
    ("parameter update response nobody asked for", "13 0C 02 00 00 00", ""),
    ("connection response", "15 0D 0A 00 40 00 17 00 17 00 0A 00 00 00", ""),
    ("credit for a channel that is not", "16 0E 04 00 40 00 01 00", ""),
    ("longer than the signalling MTU", "12 0F 14 00 " + String(repeating: "00 ", count: 20), "01 0F 04 00 01 00 17 00"),
    ("a reject longer than the signalling MTU", "01 10 14 00 " + String(repeating: "00 ", count: 20), ""),
]

@Suite struct SignallingTests {
    @Test(arguments: signallingRows.indices) func everyRow(index: Int) {
        let phone = Phone.connected()
        #expect(phone.signal(signallingRows[index].request) == signallingRows[index].response, "\(signallingRows[index].name)")
        #expect(phone.isConnected)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test func everyCodeWithEveryTruncation() {
        let phone = Phone.connected()
        for code in UInt8.min ... .max {
            for count in 0...19 {
                let whole = [code, 1] + pair(count) + [UInt8](repeating: 0x40, count: count)
                for cut in 0...whole.count { phone.send(5, Array(whole.prefix(cut))) }
            }
        }
        #expect(phone.frames(5).allSatisfy { [0x01, 0x15, 0x18].contains($0[0]) && $0[1] == 1 })
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test func oneAnswerWaitsAtATime() {
        let phone = Phone.connected()
        phone.fragment(0x2000, octets("04 00 05 00 7F 01 00 00"))
        phone.fragment(0x2000, octets("04 00 05 00 7F 02 00 00"))
        phone.run()
        #expect(phone.frames(5) == [octets("01 01 02 00 00 00")])
        #expect(phone.counters[.signallingBusy] == 1)
    }

    @Test func parametersAreAskedForOnceAndByTheRules() {
        let phone = Phone()
        phone.open()
        phone.advertise()
        phone.connect(interval: 40)
        phone.pass(milliseconds: 5000)
        #expect(phone.frames(5).isEmpty)
        _ = phone.att("0A 04 00")
        phone.pass(milliseconds: 999)
        #expect(phone.frames(5).isEmpty)
        phone.pass(milliseconds: 1)
        // 15 to 30 ms, latency 0, 6 s.
        #expect(phone.frames(5) == [octets("12 01 08 00 0C 00 18 00 00 00 58 02")])
        #expect(phone.signal("13 01 02 00 01 00") == "")
        _ = phone.att("0A 04 00")
        phone.pass(milliseconds: 60_000)
        #expect(phone.frames(5).isEmpty)
    }

    @Test func parametersThatAreGoodAreLeftAlone() {
        let phone = Phone.connected()
        _ = phone.att("0A 04 00")
        #expect(phone.deadline == nil)
        // A central that improved them meanwhile is not bothered.
        phone.disconnect()
        phone.advertise()
        phone.connect(interval: 40, latency: 4)
        _ = phone.att("0A 04 00")
        phone.deliver("04 3E 0A 03 00 40 00 0C 00 00 00 58 02")
        phone.pass(milliseconds: 2000)
        #expect(phone.frames(5).isEmpty)
        #expect(phone.host.connectionIntervalMicroseconds == 15_000)
    }

    @Test("an update that slows the link is answered by a request a second later, every time, and none is made that is good")
    func parametersAreJudgedAgainAfterEachUpdate() {
        let phone = Phone.connected()
        _ = phone.att("0A 04 00")
        phone.pass(milliseconds: 5000)
        #expect(phone.frames(5).isEmpty)
        for identifier in ["01", "02", "03"] {
            // 50 ms, as Android does after discovery; several updates in a row are one.
            for _ in 0..<3 { phone.deliver("04 3E 0A 03 00 40 00 28 00 00 00 58 02") }
            phone.pass(milliseconds: 999)
            #expect(phone.frames(5).isEmpty)
            phone.pass(milliseconds: 1)
            #expect(phone.frames(5) == [octets("12 \(identifier) 08 00 0C 00 18 00 00 00 58 02")])
            phone.deliver("04 3E 0A 03 00 40 00 0C 00 00 00 58 02")
            phone.pass(milliseconds: 5000)
            #expect(phone.frames(5).isEmpty)
        }
    }

    @Test("a request that finds the lane busy goes out when it is free")
    func aBusyLaneKeepsTheRequest() {
        let phone = Phone(Database.sparse(), Script(leCount: 1))
        phone.open()
        phone.advertise()
        phone.connect(interval: 40)
        phone.controller.completesPackets = false
        _ = phone.att("0A 04 00")
        phone.fragment(0x2000, octets("04 00 05 00 7F 01 00 00"))
        phone.pass(milliseconds: 1000)
        #expect(phone.frames(5).isEmpty)
        phone.controller.completesPackets = true
        phone.controller.completePackets(0x40, 1)
        phone.run()
        #expect(phone.frames(5) == [octets("01 01 02 00 00 00"), octets("12 01 08 00 0C 00 18 00 00 00 58 02")])
        phone.pass(milliseconds: 60_000)
        #expect(phone.frames(5).isEmpty)
    }

    @Test func updatesOfAnotherLinkOrThatFailedChangeNothing() {
        let phone = Phone.connected()
        phone.deliver("04 3E 0A 03 3B 40 00 0C 00 00 00 58 02")
        phone.deliver("04 3E 0A 03 00 41 00 0C 00 00 00 58 02")
        #expect(phone.host.connectionIntervalMicroseconds == 30_000)
    }
}

@Suite struct SecurityTests {
    @Test func everyCode() {
        let phone = Phone.connected()
        for code in UInt8.min ... .max {
            let answer = phone.secure([code] + octets("03 00 0D 10 03 03"))
            switch code {
            case 0x01: #expect(answer == "05 05")
            case 0x02...0x0E: #expect(answer == "")
            default: #expect(answer == "05 07")
            }
        }
        #expect(phone.counters[.securityIgnored] == 13)
    }

    @Test(arguments: ["01", "01 03 00 0D 00 03 03", "01 03 00 0D 06 03 03", "01 03 00 0D 11 03 03", "01 FF FF FF FF FF FF"])
    func everyPairingRequestIsRefused(request: String) {
        #expect(Phone.connected().secure(octets(request)) == "05 05")
    }

    @Test func aPairingThatNeverBeganIsIgnored() {
        let phone = Phone.connected()
        // Random before Confirm, Public Key without a request, DHKey check first, Security Request.
        for code in [0x04, 0x0C, 0x0D, 0x0B] as [UInt8] {
            #expect(phone.secure([code] + [UInt8](repeating: 0, count: 64)) == "")
        }
        #expect(phone.secure([]) == "")
        #expect(phone.counters[.securityMalformed] == 1)
    }

    @Test func aThousandPairingRequestsDoNotStarveAttributes() {
        let phone = Phone.connected(Database.sparse(), Script(leLength: 27, leCount: 1))
        for _ in 0..<1000 { phone.fragment(0x2000, octets("07 00 06 00 01 03 00 0D 10 03 03")) }
        #expect(phone.counters[.securityBusy] == 999)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        for _ in 0..<1000 {
            #expect(phone.secure(octets("01 03 00 0D 10 03 03")) == "05 05")
            #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        }
    }

    @Test func longTermKeysAreDeniedOnceEach() {
        let phone = Phone.connected()
        let request = octets("04 3E 0D 05 40 00 01 02 03 04 05 06 07 08 00 00")
        for _ in 0..<100 { phone.deliver(request) }
        phone.run()
        let replies = phone.controller.commands.filter { $0.opcode == .leLongTermKeyNegativeReply }
        #expect(replies.map { $0.parameters } == [[0x40, 0]])
        #expect(phone.counters[.keyRequest] == 100)
        phone.deliver("04 3E 0D 05 41 00 01 02 03 04 05 06 07 08 00 00")
        #expect(phone.controller.opcodes.filter { $0 == .leLongTermKeyNegativeReply }.count == 1)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }
}
