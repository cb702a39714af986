import Testing

@testable import Bluetooth

/// A credit based channel, opened by either side. L2CAP/LE/CFC.
@Suite struct ChannelTests {
    /// SPSM 80, endpoint 40, MTU 2048, MPS 498, 8 credits.
    static let request = "14 01 0A 00 80 00 40 00 00 08 F2 01 08 00"

    /// A channel that the host has asked for. The phone takes SDUs of 512 and frames of 100 octets.
    static func opened(credits: Int = 10) -> Phone {
        let phone = Phone.asCentral()
        #expect(phone.openChannel(0x80))
        #expect(phone.frames(5) == [octets(request)])
        #expect(phone.signal("15 01 0A 00 41 00 00 02 64 00 " + text(pair(credits)) + " 00 00") == "")
        #expect(phone.events == [.ready, .connected, .channelOpened])
        return phone
    }

    /// A channel that the phone has asked for, of a host in the peripheral's role.
    static func listened() -> Phone {
        let phone = Phone.connected()
        phone.host.listen(0x80)
        #expect(phone.signal("14 07 0A 00 80 00 41 00 00 02 64 00 0A 00") == "15 07 0A 00 40 00 00 08 F2 01 08 00 00 00")
        #expect(phone.events.last == .channelOpened)
        return phone
    }

    // MARK: opening

    @Test("L2CAP/LE/CFC/BV-01-C a channel is asked for and opens")
    func open() {
        let phone = Self.opened()
        #expect(!phone.openChannel(0x81))
        phone.pass(milliseconds: 60_000)
        #expect(phone.events.count == 3)
    }

    @Test(
        "L2CAP/LE/CFC/BV-04-C and others: a channel is refused, and may be asked for again",
        arguments: [
            ("15 01 0A 00 00 00 00 00 00 00 00 00 02 00", ChannelRefusal.result(2)),
            ("15 01 0A 00 00 00 00 00 00 00 00 00 05 00", .result(5)),
            ("15 01 0A 00 00 00 00 00 00 00 00 00 04 00", .result(4)), ("01 01 02 00 00 00", .notUnderstood),
            // Endpoints that nobody has, and an answer cut off.
            ("15 01 0A 00 3F 00 17 00 17 00 01 00 00 00", .malformed), ("15 01 0A 00 80 00 17 00 17 00 01 00 00 00", .malformed),
            ("15 01 08 00 41 00 17 00 17 00 01 00", .malformed), ("15 01 00 00", .malformed),
        ] as [(String, ChannelRefusal)])
    func refused(answer: String, refusal: ChannelRefusal) {
        let phone = Phone.asCentral()
        #expect(phone.openChannel(0x80))
        #expect(phone.signal(answer) == "")
        #expect(phone.events.last == .channelRefused(refusal))
        #expect(phone.pour([1]) == 0)
        phone.pass(milliseconds: 60_000)
        #expect(phone.events.count == 3)
        #expect(phone.openChannel(0x80))
        #expect(phone.frames(5).count == 1)
    }

    @Test("an MTU or MPS below 23 is refused, and the phone told that the channel is closed")
    func tooSmall() {
        for answer in ["41 00 16 00 17 00 01 00 00 00", "41 00 17 00 16 00 01 00 00 00"] {
            let phone = Phone.asCentral()
            #expect(phone.openChannel(0x80))
            #expect(phone.signal("15 01 0A 00 " + answer) == "06 02 04 00 41 00 40 00")
            #expect(phone.events.last == .channelRefused(.malformed))
            #expect(phone.signal("07 02 04 00 41 00 40 00") == "")
            #expect(phone.events.count == 3)
            #expect(phone.openChannel(0x80))
        }
    }

    @Test("no answer in 15 s is a refusal; answers to other requests are none")
    func silence() {
        let phone = Phone.asCentral()
        #expect(phone.openChannel(0x80))
        #expect(phone.signal("15 02 0A 00 41 00 00 02 64 00 0A 00 00 00") == "")
        #expect(phone.signal("01 02 02 00 00 00") == "")
        #expect(phone.counters[.signallingIgnored] == 2)
        phone.pass(milliseconds: 14_999)
        #expect(phone.events.count == 2)
        phone.pass(milliseconds: 1)
        #expect(phone.events.last == .channelRefused(.timedOut))
        // Late, it opens nothing.
        #expect(phone.signal("15 01 0A 00 41 00 00 02 64 00 0A 00 00 00") == "")
        #expect(phone.events.count == 3)
    }

    @Test("L2CAP/LE/CFC/BV-03-C a channel that is listened for opens; every other request has its result")
    func listen() {
        let phone = Self.listened()
        let taken = "15 08 0A 00 00 00 00 00 00 00 00 00 0A 00"
        #expect(phone.signal("14 08 0A 00 80 00 41 00 00 02 64 00 0A 00") == taken)
        #expect(phone.signal("14 08 0A 00 80 00 42 00 00 02 64 00 0A 00") == "15 08 0A 00 00 00 00 00 00 00 00 00 04 00")
        #expect(phone.signal("14 08 0A 00 81 00 42 00 00 02 64 00 0A 00") == "15 08 0A 00 00 00 00 00 00 00 00 00 02 00")
        let rows = [
            ("80 00 3F 00 17 00 17 00 01 00", "09 00"), ("80 00 80 00 17 00 17 00 01 00", "09 00"),
            ("80 00 41 00 16 00 17 00 01 00", "0B 00"),
            ("80 00 41 00 17 00 16 00 01 00", "0B 00"), ("27 00 41 00 17 00 17 00 01 00", "02 00"),
        ]
        for (request, result) in rows {
            let phone = Phone.connected()
            phone.host.listen(0x80)
            #expect(phone.signal("14 09 0A 00 " + request) == "15 09 0A 00 00 00 00 00 00 00 00 00 " + result)
            #expect(phone.signal("14 09 0A 00 80 00 41 00 17 00 17 00 00 00").hasPrefix("15 09 0A 00 40 00"))
        }
        // Nobody listens any more.
        phone.disconnect()
        phone.host.listen(nil)
        phone.advertise()
        phone.connect()
        #expect(phone.signal("14 09 0A 00 80 00 41 00 17 00 17 00 01 00") == "15 09 0A 00 00 00 00 00 00 00 00 00 02 00")
    }

    // MARK: data

    @Test("L2CAP/LE/CFC/BV-06-C each frame that is sent is an SDU of its own, as long as the phone takes")
    func send() {
        let phone = Self.opened(credits: 3)
        let message = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        var sent = 0
        for _ in 0..<5 {
            sent += phone.pour(Array(message[sent...]))
            // One frame at a time.
            #expect(phone.pour(message) == 0)
            phone.run()
        }
        #expect(sent == 294)
        let frames = phone.frames(0x41)
        #expect(frames.map(\.count) == [100, 100, 100])
        #expect(frames.map { Array($0.prefix(2)) } == [[98, 0], [98, 0], [98, 0]])
        #expect(frames.flatMap { $0.dropFirst(2) } == Array(message.prefix(294)))
        // Credits go on where they ended.
        #expect(phone.signal("16 09 04 00 41 00 01 00") == "")
        #expect(phone.pour(Array(message[sent...])) == 6)
        phone.run()
        #expect(phone.frames(0x41) == [[6, 0] + message[294...]])
        #expect(phone.pour(message) == 0)
        #expect(phone.pour([]) == 0)
    }

    @Test("a large MPS is used as far as a frame of ours goes, and a small MTU kept to")
    func sizes() {
        for (parameters, count) in [("FF FF FF FF", 496), ("17 00 FF FF", 23), ("FF FF 17 00", 21)] {
            let phone = Phone.asCentral()
            phone.openChannel(0x80)
            _ = phone.signal("15 01 0A 00 7F 00 \(parameters) FF FF 00 00")
            #expect(phone.pour([UInt8](repeating: 1, count: 4000)) == count)
            phone.run()
            #expect(phone.frames(0x7F).map(\.count) == [count + 2])
        }
    }

    @Test("L2CAP/LE/CFC/BV-07-C SDUs of one frame and of many come out as a stream")
    func receive() {
        let phone = Self.opened()
        phone.application.room = 0
        phone.send(0x40, octets("03 00 01 02 03"))
        phone.send(0x40, octets("05 00 04 05"))
        phone.send(0x40, octets("06 07"))
        phone.send(0x40, octets(""))
        phone.send(0x40, octets("08"))
        phone.send(0x40, octets("00 00"))
        phone.send(0x40, octets("01 00 09"))
        #expect(phone.application.channel == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(phone.frames(5) == [])
        #expect(phone.counters.total == 0)
    }

    @Test("L2CAP/LE/CFC/BV-05-C credits come back when half are used and there is room for all")
    func credits() {
        let phone = Self.opened()
        for _ in 0..<3 { phone.send(0x40, octets("01 00 01")) }
        #expect(phone.frames(5) == [])
        phone.send(0x40, octets("01 00 01"))
        #expect(phone.frames(5) == [octets("16 02 04 00 40 00 04 00")])
        // Without room there are none; for one frame there is one, when there are none left.
        phone.application.room = phone.application.channel.count + 3000
        for _ in 0..<7 { phone.send(0x40, octets("01 00 01")) }
        #expect(phone.frames(5) == [])
        phone.send(0x40, octets("01 00 01"))
        #expect(phone.frames(5) == [octets("16 03 04 00 40 00 01 00")])
        phone.application.room = 0
        phone.send(0x40, octets("01 00 01"))
        #expect(phone.frames(5) == [])
        // Room that comes by itself is said.
        phone.host.offerRoom(8 * 498)
        phone.run()
        #expect(phone.frames(5) == [octets("16 04 04 00 40 00 08 00")])
        #expect(phone.events.count == 3)
    }

    @Test("a phone never has credits for more than there is room for")
    func room() {
        let phone = Self.opened()
        var numbers = SystemRandomNumberGenerator()
        phone.application.room = 20_000
        var credits = 8
        for _ in 0..<2000 {
            for frame in phone.frames(5) where frame.first == 0x16 {
                credits += Int(frame[6])
                #expect(credits * 498 <= max(phone.application.channelRoom, 0))
            }
            if credits == 0 {
                // The application has looked at what came.
                phone.application.channel = []
                phone.host.offerRoom(20_000)
                phone.run()
                continue
            }
            let count = Int.random(in: 0...496, using: &numbers)
            phone.send(0x40, pair(count) + [UInt8](repeating: 1, count: count))
            credits -= 1
        }
        #expect(phone.events.count == 3)
    }

    // MARK: what breaks the rules

    @Test(
        "L2CAP/LE/CFC/BI-01-C and others: what breaks the rules closes the channel, and nothing else",
        arguments: [
            // An SDU above the MTU, more than was announced, a frame above the MPS, one without so much as a length.
            ["40 01 08"], ["40 02 00 01 02 03"], ["40 05 00 01 02", "40 03 04 05 06"], ["40 " + String(repeating: "01 ", count: 499)],
            ["40 01"], ["40 "],
            // Without credits.
            [String](repeating: "40 00 00", count: 9),
        ])
    func violated(frames: [String]) {
        let phone = Self.opened()
        phone.application.room = 0
        for frame in frames { phone.send(0x40, Array(octets(frame).dropFirst())) }
        #expect(phone.events.last == .channelClosed)
        #expect(phone.counters[.channelViolation] == 1)
        #expect(phone.frames(5) == [octets("06 02 04 00 41 00 40 00")])
        // What comes now is passed over, until the phone has agreed.
        phone.send(0x40, octets("01 00 01"))
        #expect(phone.pour([1]) == 0)
        #expect(!phone.openChannel(0x80))
        #expect(phone.signal("07 02 04 00 41 00 40 00") == "")
        #expect(phone.events.count == 4)
        #expect(phone.openChannel(0x80))
        #expect(phone.att("0A 04 00") == "0B 47 61 74 65")
    }

    @Test("no credits at all, or more than there can be, close the channel")
    func wrongCredits() {
        for credits in ["00 00", "F6 FF", "FF FF"] {
            let phone = Self.opened()
            #expect(phone.signal("16 09 04 00 41 00 " + credits) == "06 02 04 00 41 00 40 00")
            #expect(phone.events.last == .channelClosed)
        }
        let phone = Self.opened()
        #expect(phone.signal("16 09 04 00 41 00 F5 FF") == "")
        // Of another channel, and cut off.
        #expect(phone.signal("16 09 04 00 40 00 00 00") == "")
        #expect(phone.signal("16 09 03 00 41 00 00") == "")
        #expect(phone.events.last == .channelOpened)
    }

    @Test("credits are taken while an answer waits for the lane")
    func busyLane() {
        let phone = Self.opened(credits: 0)
        phone.fragment(0x2000, octets("04 00 05 00 7F 01 00 00"))
        phone.fragment(0x2000, octets("08 00 05 00 16 09 04 00 41 00 05 00"))
        #expect(phone.counters.total == 0)
        #expect(phone.pour([1]) == 1)
    }

    // MARK: closing

    @Test("L2CAP/LE/CFC/BV-08-C the channel is closed, and told so once the phone agrees, or in five seconds")
    func close() {
        let phone = Self.opened()
        phone.closeChannel()
        #expect(phone.frames(5) == [octets("06 02 04 00 41 00 40 00")])
        #expect(phone.events.last == .channelOpened)
        #expect(phone.signal("07 02 04 00 41 00 40 00") == "")
        #expect(phone.events.last == .channelClosed)
        let silent = Self.opened()
        silent.closeChannel()
        silent.pass(milliseconds: 4999)
        #expect(silent.events.last == .channelOpened)
        silent.pass(milliseconds: 1)
        #expect(silent.events.last == .channelClosed)
    }

    @Test("L2CAP/LE/CFC/BV-09-C the phone closes the channel, its own end first")
    func closed() {
        for phone in [Self.opened(), Self.listened()] {
            // Another channel, and this one's end with somebody else's.
            #expect(phone.signal("06 0A 04 00 42 00 41 00") == "01 0A 06 00 02 00 42 00 41 00")
            #expect(phone.signal("06 0A 04 00 40 00 42 00") == "")
            #expect(phone.events.last == .channelOpened)
            #expect(phone.signal("06 0B 04 00 40 00 41 00") == "07 0B 04 00 40 00 41 00")
            #expect(phone.events.last == .channelClosed)
            phone.send(0x40, octets("01 00 01"))
            #expect(phone.counters[.channelUnknown] == 1)
            #expect(phone.pour([1]) == 0)
        }
    }

    @Test("both close at once")
    func bothClose() {
        let phone = Self.opened()
        phone.closeChannel()
        #expect(phone.signal("06 0B 04 00 40 00 41 00") == "07 0B 04 00 40 00 41 00")
        #expect(phone.events.last == .channelClosed)
        #expect(phone.signal("07 02 04 00 41 00 40 00") == "")
        #expect(phone.events.count == 4)
    }

    @Test("with its link a channel is gone without a word, and the next link has its own")
    func linkLost() {
        let phone = Self.opened()
        phone.disconnect()
        #expect(phone.events.last == .disconnected(.remoteUserTerminated))
        #expect(!phone.openChannel(0x80))
        phone.initiate()
        phone.linked()
        phone.send(0x40, octets("01 00 01"))
        #expect(phone.counters[.channelUnknown] == 1)
        #expect(phone.openChannel(0x80))
        #expect(phone.frames(5).count == 1)
    }

    @Test("frames of the channel and values take turns")
    func turns() {
        let phone = Phone.asCentral(Script(commands: Script.commandMask(without: [Opcode]()), leLength: 27, leCount: 1))
        phone.discover()
        phone.openChannel(0x80)
        _ = phone.signal("15 01 0A 00 41 00 00 02 64 00 64 00 00 00")
        for _ in 0..<4 {
            #expect(phone.pour([UInt8](repeating: 1, count: 98)) == 98)
            #expect(phone.hand(1, [UInt8](repeating: 2, count: 20)) == .taken)
            phone.run()
        }
        let order = phone.controller.frames.filter { $0.channel == 4 && $0.payload.first == 0x52 || $0.channel == 0x41 }.map(\.channel)
        #expect(order.count == 8)
        #expect(order.filter { $0 == 4 }.count == 4)
    }

    @Test("any signalling and any frames: the host goes on, and never takes what it has no room for")
    func random() {
        var numbers = SystemRandomNumberGenerator()
        for round in 0..<100 {
            let phone = round % 2 == 0 ? Self.opened() : Self.listened()
            phone.host.listen(0x80)
            phone.application.room = 10_000
            for _ in 0..<60 {
                let rest = (0..<Int.random(in: 0...12, using: &numbers)).map { _ in
                    UInt8([0, 1, 8, 0x40, 0x41, 0x80][Int.random(in: 0..<6, using: &numbers)])
                }
                let code: UInt8 = [0x01, 0x06, 0x07, 0x14, 0x15, 0x16][Int.random(in: 0..<6, using: &numbers)]
                if Bool.random(using: &numbers) {
                    phone.send(5, [code, UInt8.random(in: 1...4, using: &numbers)] + pair(rest.count) + rest)
                } else {
                    phone.send(0x40, rest)
                }
                _ = phone.pour([1, 2, 3])
            }
            phone.pass(milliseconds: 60_000)
            #expect(phone.isConnected)
            #expect(phone.application.channel.count <= 10_000)
        }
    }
}
