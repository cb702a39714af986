import Testing

@testable import Bluetooth

/// Connecting to a phone that was found: commands, giving up, and what crosses what.
@Suite struct InitiatingTests {
    static let legacy = "200D 60 00 60 00 00 01 11 22 33 44 55 66 01 0C 00 0C 00 00 00 90 01 00 00 00 00"
    static let cautious = "200D 60 00 60 00 00 01 11 22 33 44 55 66 01 18 00 28 00 00 00 90 01 00 00 00 00"
    static let extended = "2043 00 01 01 11 22 33 44 55 66 01 60 00 60 00 0C 00 0C 00 00 00 90 01 00 00 00 00"

    @Test("to the address that was found, from the own one, with 15 ms and 4 s")
    func commands() {
        let phone = Phone.central()
        phone.controller.commands = []
        #expect(phone.initiate())
        #expect(phone.sent == ["2005 01 00 00 00 00 4A", Self.legacy])
        let other = Phone.central(.extendedCentralOnly)
        other.controller.commands = []
        #expect(other.initiate())
        #expect(other.sent == ["2005 01 00 00 00 00 4A", Self.extended])
        other.linked()
        #expect(other.host.role == .central)
    }

    @Test("a link as central has its role, its peer and longer packets; the server answers on it as on any other")
    func linked() {
        let phone = Phone.asCentral()
        #expect(phone.events == [.ready, .connected])
        #expect(phone.host.role == .central)
        #expect(phone.host.peer == Phone.peer.address)
        #expect(phone.controller.opcodes.suffix(2) == [.leSetDataLength, .leSetPHY])
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
        #expect(phone.att("02 05 02") == "03 05 02")
        #expect(phone.mtu == 517)
        phone.pass(milliseconds: 60_000)
        // A peripheral's request is not a central's to make.
        #expect(phone.frames(5) == [])
        phone.disconnect()
        #expect(phone.host.role == nil)
        // The next visit is a peripheral's again.
        #expect(phone.visit())
    }

    @Test("an attempt is given up in time, and told once")
    func givenUp() {
        let phone = Phone.central()
        phone.initiate()
        phone.controller.commands = []
        phone.pass(milliseconds: 1999)
        #expect(phone.sent == [])
        phone.pass(milliseconds: 1)
        #expect(phone.sent == ["200E"])
        #expect(phone.events == [.ready, .notConnected(.unknownConnection)])
        phone.pass(milliseconds: 60_000)
        #expect(phone.events.count == 2)
        // And the next one begins.
        #expect(phone.initiate())
        phone.linked()
        #expect(phone.host.role == .central)
    }

    @Test("a success that crosses the cancel is a success")
    func crossed() {
        let phone = Phone.central()
        phone.initiate()
        phone.controller.obeysCancel = false
        phone.pass(milliseconds: 2000)
        // Cancel was answered by Command Disallowed: the event is on its way.
        #expect(phone.events == [.ready])
        phone.pass(milliseconds: 1999)
        phone.linked()
        #expect(phone.events == [.ready, .connected])
        phone.pass(milliseconds: 60_000)
        #expect(phone.events == [.ready, .connected])
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test("a success that comes before the cancel has left, too")
    func crossedEarly() {
        let phone = Phone.central()
        phone.initiate()
        phone.now = phone.now.adding(milliseconds: 2000)
        let event = phone.host.expire(now: phone.now)
        #expect(event == nil)
        phone.linked()
        #expect(phone.events == [.ready, .connected])
        #expect(!phone.controller.opcodes.contains(.leCreateConnectionCancel))
    }

    @Test("an end that is never told is a reset, and climbs no ladder")
    func lost() {
        let phone = Phone.central()
        for _ in 0..<3 {
            phone.events = []
            phone.initiate()
            phone.controller.obeysCancel = false
            phone.pass(milliseconds: 3999)
            #expect(phone.events == [])
            phone.pass(milliseconds: 1)
            #expect(phone.events == [.fault(.connectionLost, .reset), .ready])
        }
        #expect(phone.initiate())
    }

    @Test("a link on which nothing was heard is tried again, three times")
    func unheard() {
        let phone = Phone.central()
        phone.initiate(milliseconds: 60_000)
        for number in 1...3 {
            phone.controller.isInitiating = false
            phone.deliver(phone.connectionComplete(status: 0x3E, role: 0))
            phone.run()
            #expect(phone.controller.isInitiating, "\(number)")
        }
        #expect(phone.events == [.ready])
        phone.controller.isInitiating = false
        phone.deliver(phone.connectionComplete(status: 0x3E, role: 0))
        phone.run()
        #expect(phone.events == [.ready, .notConnected(.connectionFailedToBeEstablished)])
        #expect(phone.counters[.connectionFailed] == 4)
    }

    @Test("any other end of an attempt is told")
    func failed() {
        for status in [0x02, 0x3C, 0x05, 0x3B] as [UInt8] {
            let phone = Phone.central()
            phone.initiate()
            phone.controller.isInitiating = false
            phone.deliver(phone.connectionComplete(status: status, role: 0))
            #expect(phone.events == [.ready, .notConnected(HCIStatus(rawValue: status))])
        }
    }

    @Test("parameters that a controller refuses are replaced once by those that every one takes")
    func cautious() {
        for status in [0x11, 0x12] as [UInt8] {
            let phone = Phone.central()
            phone.controller.commands = []
            phone.controller.script.refusals = [.leCreateConnection: status]
            phone.initiate()
            #expect(phone.sent == ["2005 01 00 00 00 00 4A", Self.legacy, "2005 01 00 00 00 00 4A", Self.cautious])
            #expect(phone.events == [.ready, .notConnected(HCIStatus(rawValue: status))])
        }
    }

    @Test("no resources now: again after half a second, four times in all")
    func resources() {
        let phone = Phone.central()
        phone.controller.script.refusals = [.leCreateConnection: 0x0D]
        phone.initiate(milliseconds: 60_000)
        phone.pass(milliseconds: 1499)
        #expect(phone.events == [.ready])
        phone.pass(milliseconds: 1)
        #expect(phone.events == [.ready, .notConnected(HCIStatus(rawValue: 0x0D))])
        phone.controller.script.refusals = [:]
        phone.controller.commands = []
        phone.pass(milliseconds: 60_000)
        #expect(phone.sent == [])
        // Or until the time is over.
        phone.controller.script.refusals = [.leCreateConnection: 0x0D]
        phone.events = []
        phone.initiate(milliseconds: 700)
        phone.pass(milliseconds: 700)
        #expect(phone.events == [.notConnected(.unknownConnection)])
    }

    @Test("a controller that is busy with something unknown, or has the link, is reset")
    func bookkeeping() {
        let phone = Phone.central()
        phone.controller.script.refusals = [.leCreateConnection: 0x0C]
        phone.initiate()
        #expect(phone.events == [.ready, .fault(.initiatingRefused(.commandDisallowed), .reset), .ready])
        let other = Phone.central()
        other.controller.script.refusals = [.leCreateConnection: 0x0B]
        other.initiate()
        #expect(other.events == [.ready, .fault(.connectionLost, .reset), .ready])
        // A command that it does not know is no fault.
        let third = Phone.central()
        third.controller.script.refusals = [.leCreateConnection: 0x01]
        third.initiate()
        #expect(third.events == [.ready, .notConnected(.unknownCommand)])
    }

    @Test("at rest, nothing is told of the attempt; where it succeeds all the same, the link is")
    func rest() {
        let phone = Phone.central()
        phone.initiate()
        phone.rest()
        #expect(phone.events == [.ready])
        #expect(!phone.controller.isInitiating)
        phone.initiate()
        phone.controller.obeysCancel = false
        phone.rest()
        phone.linked()
        #expect(phone.events == [.ready, .connected])
    }

    @Test("what is wanted behind an attempt waits for its end")
    func behind() {
        let phone = Phone.central()
        phone.initiate()
        phone.controller.obeysCancel = false
        // The controller is strict: it complains of a scan beside an attempt.
        phone.scan()
        #expect(!phone.controller.isScanning)
        #expect(!phone.initiate())
        phone.deliver(phone.connectionComplete(status: 0x02, role: 0))
        phone.run()
        #expect(phone.events == [.ready])
        #expect(phone.controller.isScanning)
    }

    @Test("a phone that connects to us meanwhile ends the attempt; a success behind it is refused")
    func both() {
        let phone = Phone.central()
        phone.advertise()
        phone.initiate()
        phone.controller.obeysCancel = false
        phone.connect()
        #expect(phone.events == [.ready, .connected])
        #expect(phone.host.role == .peripheral)
        #expect(phone.controller.opcodes.contains(.leCreateConnectionCancel))
        phone.handle = 0x41
        phone.deliver(phone.connectionComplete(role: 0))
        phone.run()
        #expect(phone.last(.disconnect) == "41 00 13")
        #expect(phone.events == [.ready, .connected])
        #expect(phone.counters[.connectionRole] + phone.counters[.connectionDuplicate] == 1)
        phone.handle = 0x40
        phone.pass(milliseconds: 60_000)
        #expect(phone.isConnected)
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test("a link as central that nobody asked for is refused, as ever")
    func unasked() {
        let phone = Phone.central()
        phone.deliver(phone.connectionComplete(role: 0))
        phone.run()
        #expect(phone.events == [.ready])
        #expect(phone.counters[.connectionRole] == 1)
        #expect(phone.last(.disconnect) == "40 00 13")
    }

    @Test("data that overtake the event of their link are kept")
    func early() {
        let phone = Phone.central()
        phone.initiate()
        phone.fragment(0x2000, octets("03 00 04 00 0A 04 00"))
        phone.linked()
        #expect(phone.frames(4) == [octets("0B 47 61 74 65")])
    }
}

/// Parameters of a link that a phone wishes to be otherwise. L2CAP/LE/CPU.
@Suite struct CentralParameterTests {
    static let rows: [(name: String, wish: String, answer: String, update: String?)] = [
        (
            "L2CAP/LE/CPU/BV-02-C a wish that suits is taken", "0C 00 18 00 00 00 90 01", "00 00",
            "40 00 0C 00 18 00 00 00 90 01 00 00 00 00"
        ),
        ("7.5 to 15 ms", "06 00 0C 00 00 00 C8 00", "00 00", "40 00 06 00 0C 00 00 00 C8 00 00 00 00 00"),
        ("slower than a transfer wants it", "18 00 28 00 00 00 90 01", "01 00", nil),
        ("with latency", "0C 00 18 00 04 00 90 01", "01 00", nil),
        ("L2CAP/LE/CPU/BI-01-C below the least interval", "05 00 0C 00 00 00 90 01", "01 00", nil),
        ("backwards", "18 00 0C 00 00 00 90 01", "01 00", nil), ("a supervision below the least", "0C 00 18 00 00 00 09 00", "01 00", nil),
        ("everything", "FF FF FF FF FF FF FF FF", "01 00", nil), ("nothing", "00 00 00 00 00 00 00 00", "01 00", nil),
    ]

    @Test(arguments: rows.indices) func everyRow(index: Int) {
        let row = Self.rows[index]
        let phone = Phone.asCentral()
        #expect(phone.signal("12 07 08 00 \(row.wish)") == "13 07 02 00 \(row.answer)", "\(row.name)")
        #expect(phone.last(.leConnectionUpdate) == row.update, "\(row.name)")
        #expect(phone.isConnected)
    }

    @Test("one update at a time; once it is there, another")
    func one() {
        let phone = Phone.asCentral()
        phone.controller.script.silences = [.leConnectionUpdate: 1]
        #expect(phone.signal("12 01 08 00 0C 00 18 00 00 00 90 01") == "13 01 02 00 00 00")
        #expect(phone.signal("12 02 08 00 0C 00 18 00 00 00 90 01") == "13 02 02 00 01 00")
        phone.deliver("04 3E 0A 03 00 40 00 0C 00 00 00 90 01")
        #expect(phone.signal("12 03 08 00 0C 00 18 00 00 00 90 01") == "13 03 02 00 00 00")
        #expect(phone.host.connectionIntervalMicroseconds == 15_000)
    }

    @Test("a controller that cannot change them has the wish refused, and a wish cut off is no wish")
    func unable() {
        let phone = Phone.asCentral(Script(commands: Script.commandMask(without: [.leConnectionUpdate])))
        #expect(phone.signal("12 01 08 00 0C 00 18 00 00 00 90 01") == "13 01 02 00 01 00")
        #expect(phone.signal("12 02 06 00 0C 00 18 00 00 00") == "01 02 02 00 00 00")
        #expect(phone.signal("12 03 08 00 0C 00 18 00 00 00") == "")
    }
}
