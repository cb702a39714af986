import Bluetooth
import Testing

@testable import Tuvali
@testable import Visit

/// One thing a stranger can do in the seconds in which another's verdict is shown, and which brings no verdict on himself.
struct StrangerMischief: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// What he does, in less than two seconds.
    var act: @Sendable (TestGate) throws -> Void
    /// He identifies: the next link has a new key, and the screen its code.
    var usesCodeUp = false

    init(_ name: String, usesCodeUp: Bool = false, _ act: @escaping @Sendable (TestGate) throws -> Void) {
        testDescription = name
        self.usesCodeUp = usesCodeUp
        self.act = act
    }

    static let all = comings + identifications + sizes + chunks + messages + departures + frames + writes + floods

    /// A link with a good key, as far as Identify.
    static func identify(_ test: TestGate) throws {
        test.connect()
        test.write(.identifyRequest, try TestWallet().identify)
    }

    private static func frame(_ test: TestGate, channel: UInt8, _ payload: [UInt8]) {
        let length = payload.count
        test.controller.inject([0x02, 0x40, 0x20, UInt8(length + 4), 0, UInt8(length), 0, channel, 0] + payload)
        test.turn()
    }

    private static func ask(_ test: TestGate, _ pdu: [UInt8]) {
        test.controller.send(pdu)
        test.turn()
    }

    private static func prepare(_ test: TestGate, _ handle: UInt16, _ offset: UInt8, _ value: [UInt8]) {
        ask(test, [0x16] + pair(handle) + [offset, 0] + value)
    }

    // MARK: who only comes

    private static let comings: [StrangerMischief] = [
        StrangerMischief("connects and leaves") {
            $0.connect(mtu: nil)
            $0.leave()
        },
        StrangerMischief("connects and stays silent") { $0.connect(mtu: nil) },
        StrangerMischief("connects and stays silent, of an interval of 4 s") { $0.connect(mtu: nil, interval: 3200) },
        StrangerMischief("a link nothing is heard on") {
            $0.connect(mtu: nil)
            $0.controller.drop(reason: 0x3E)
            $0.turn()
        },
        StrangerMischief("an MTU of 23") { $0.connect(mtu: 23) },
        StrangerMischief("an MTU of 0, and again, and again") {
            $0.connect(mtu: 0)
            $0.exchange(517)
            $0.exchange(23)
        },
        StrangerMischief("is sent away for coming in vain") {
            for _ in 0..<8 {
                $0.connect(mtu: nil)
                $0.leave()
            }
        },
    ]

    // MARK: Identify

    private static let identifications: [StrangerMischief] = [
        StrangerMischief("identifies with junk", usesCodeUp: true) {
            $0.connect()
            $0.write(.identifyRequest, [UInt8](repeating: 0xA5, count: 44))
        },
        StrangerMischief("identifies with a key that agrees on nothing", usesCodeUp: true) {
            $0.connect()
            $0.write(.identifyRequest, [UInt8](repeating: 0, count: 44))
        },
        StrangerMischief("identifies with nothing, too little and 43 octets") {
            $0.connect()
            for count in [0, 1, 12, 43] { $0.write(.identifyRequest, [UInt8](repeating: 9, count: count)) }
        },
        StrangerMischief("identifies with too much", usesCodeUp: true) {
            $0.connect()
            $0.write(.identifyRequest, [UInt8](repeating: 9, count: 200))
        },
        StrangerMischief("identifies with a good key and stays silent", usesCodeUp: true) { try identify($0) },
        StrangerMischief("identifies twice", usesCodeUp: true) {
            try identify($0)
            $0.write(.identifyRequest, try TestWallet().identify)
            $0.leave()
        },
        StrangerMischief("identifies, then has an MTU of 23", usesCodeUp: true) {
            try identify($0)
            $0.exchange(23)
        },
    ]

    // MARK: Response Size and report requests

    private static let sizes: [StrangerMischief] = [
        StrangerMischief("a size before Identify") {
            $0.connect()
            $0.write(.responseSize, [0, 0, 1, 0])
        },
        StrangerMischief("a report request before Identify") {
            $0.connect()
            $0.write(.transferReportRequest, [1])
        },
        StrangerMischief("a failure told before Identify") {
            $0.connect()
            $0.write(.transferReportRequest, [2])
        },
        StrangerMischief("a report request before the size", usesCodeUp: true) {
            try identify($0)
            $0.write(.transferReportRequest, [1])
        },
        StrangerMischief("a failure told before the size", usesCodeUp: true) {
            try identify($0)
            $0.write(.transferReportRequest, [2])
        },
        StrangerMischief("unknown report requests", usesCodeUp: true) {
            try identify($0)
            for value: [UInt8] in [[], [0], [3], [0xFF, 1]] { $0.write(.transferReportRequest, value) }
        },
        StrangerMischief("a size of nothing", usesCodeUp: true) {
            try identify($0)
            $0.write(.responseSize, [0, 0, 0, 0])
        },
        StrangerMischief("a size cut off", usesCodeUp: true) {
            try identify($0)
            $0.write(.responseSize, [0, 1])
        },
        StrangerMischief("a size of 4 GiB", usesCodeUp: true) {
            try identify($0)
            $0.write(.responseSize, [0xFF, 0xFF, 0xFF, 0xFF])
        },
        StrangerMischief("two sizes", usesCodeUp: true) {
            try identify($0)
            $0.write(.responseSize, [0, 0, 4, 0])
            $0.write(.responseSize, [0, 0, 0, 1])
            $0.leave()
        },
        StrangerMischief("a failure told in the transfer", usesCodeUp: true) {
            try identify($0)
            $0.write(.responseSize, [0, 0, 4, 0])
            $0.write(.transferReportRequest, [2])
        },
    ]

    // MARK: chunks

    private static let chunks: [StrangerMischief] = [
        StrangerMischief("chunks before Identify") {
            $0.connect()
            for index in 0..<4 { $0.write(.submitResponse, TestGate.chunk(index, [1, 2, 3])) }
        },
        StrangerMischief("chunks before the size", usesCodeUp: true) {
            try identify($0)
            for index in 0..<4 { $0.write(.submitResponse, TestGate.chunk(index, [1, 2, 3])) }
            $0.leave()
        },
        StrangerMischief("damaged chunks", usesCodeUp: true) {
            try identify($0)
            $0.write(.responseSize, [0, 0, 4, 0])
            for index in 0..<4 { $0.write(.submitResponse, [0, UInt8(index), 0xDE, 0xAD] + [UInt8](repeating: 7, count: 505)) }
            $0.write(.submitResponse, [])
            $0.write(.submitResponse, TestGate.chunk(40_000, [1]))
            $0.write(.transferReportRequest, [1])
        },
        StrangerMischief("too many missing", usesCodeUp: true) {
            try identify($0)
            $0.write(.responseSize, [0, 1, 0, 0])
            $0.write(.transferReportRequest, [1])
        },
    ]

    // MARK: messages that do not open

    private static let messages: [StrangerMischief] = [
        StrangerMischief("a message of noise", usesCodeUp: true) { $0.visit(try TestWallet(), [UInt8](repeating: 0x5A, count: 700)) },
        StrangerMischief("a message of one octet", usesCodeUp: true) { $0.visit(try TestWallet(), [1]) },
        StrangerMischief("a message sealed for another key", usesCodeUp: true) {
            let wallet = try TestWallet()
            $0.visit(wallet, try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: TestWallet().publicKey))
            $0.wait(50)
            $0.leave()
        },
        StrangerMischief("a message that is not compressed", usesCodeUp: true) {
            let wallet = try TestWallet()
            $0.visit(wallet, try wallet.seal(TestIssuer.payload(), for: $0.key))
        },
    ]

    // MARK: leaving

    private static let departures: [StrangerMischief] = TestGate.Step.allCases.flatMap { step in
        ([0x13, 0x08] as [UInt8]).map { reason in
            StrangerMischief("leaves for \(reason) when \(step)", usesCodeUp: step >= .identified) {
                try $0.goodVisit(upTo: step)
                $0.controller.drop(reason: reason)
                $0.turn()
            }
        }
    }

    // MARK: other channels, and the controller's events about him

    private static let frames: [StrangerMischief] = [
        StrangerMischief("signalling garbage") {
            $0.connect()
            for payload: [UInt8] in [
                [], [1], [0xFF, 1, 0, 0], [0x14, 1, 10, 0] + [UInt8](repeating: 1, count: 10), [UInt8](repeating: 0xEE, count: 60),
            ] {
                frame($0, channel: 5, payload)
            }
        },
        StrangerMischief("requests for parameters") {
            $0.connect()
            for identifier in 1...20 as ClosedRange<UInt8> {
                frame($0, channel: 5, [0x12, identifier, 8, 0, 0x80, 0x0C, 0x80, 0x0C, 0, 0, 0x80, 0x0C])
            }
        },
        StrangerMischief("an interval of 4 s, later") {
            $0.connect()
            $0.controller.inject([0x04, 0x3E, 10, 0x03, 0, 0x40, 0, 0x80, 0x0C, 0, 0, 0x80, 0x0C])
            $0.turn()
        },
        StrangerMischief("pairing and security garbage") {
            $0.connect()
            for payload: [UInt8] in [[1, 3, 0, 5, 0x10, 3, 3], [], [0x0B, 1], [UInt8](repeating: 0xFF, count: 65)] {
                frame($0, channel: 6, payload)
            }
        },
        StrangerMischief("a key asked for") {
            $0.connect()
            $0.controller.inject([0x04, 0x3E, 13, 0x05, 0x40, 0] + [UInt8](repeating: 3, count: 10))
            $0.turn()
        },
        StrangerMischief("channels nobody has") {
            $0.connect()
            for channel: UInt8 in [0, 1, 2, 3, 7, 0x3A, 0x40, 0xFF] { frame($0, channel: channel, [1, 2, 3]) }
        },
        StrangerMischief("frames cut, overlong and never finished") {
            $0.connect()
            for packet: [UInt8] in [
                [0x02, 0x40, 0x20, 2, 0, 0xFF, 0xFF], [0x02, 0x40, 0x10, 1, 0, 9], [0x02, 0x40, 0x30, 0, 0], [0x02, 0x40], [0x02], [],
            ] {
                $0.controller.inject(packet)
                $0.turn()
            }
        },
    ]

    // MARK: attributes

    private static let writes: [StrangerMischief] = [
        StrangerMischief("every opcode, empty and with noise") {
            $0.connect()
            for opcode in 0...255 as ClosedRange<UInt8> {
                ask($0, [opcode])
                ask($0, [opcode] + [UInt8](repeating: 0x11, count: 9))
            }
        },
        StrangerMischief("writes and reads of every handle", usesCodeUp: true) {
            $0.connect()
            for handle in 0...0x40 as ClosedRange<UInt8> {
                ask($0, [0x0A, handle, 0])
                ask($0, [0x12, handle, 0, 3, 3])
                ask($0, [0x52, handle, 0, 1])
            }
        },
        StrangerMischief("subscribes, and confirms nothing", usesCodeUp: true) {
            $0.confirms = false
            $0.connect()
            for characteristic in [Characteristic.transferReportResponse, .verificationStatus, .disconnect] {
                $0.subscribe(characteristic, 2)
            }
            $0.write(.identifyRequest, try TestWallet().identify)
            $0.write(.transferReportRequest, [1])
            $0.confirms = true
        },
        StrangerMischief("executes a prepared Identify and asks for a report", usesCodeUp: true) {
            $0.connect()
            prepare($0, $0.service.handle(.identifyRequest), 0, try TestWallet().identify)
            ask($0, [0x18, 1])
            $0.write(.transferReportRequest, [1])
        },
        StrangerMischief("executes a queue with a bad offset") {
            $0.connect()
            prepare($0, $0.service.handle(.identifyRequest), 0, try TestWallet().identify)
            prepare($0, $0.service.handle(.responseSize), 9, [1])
            ask($0, [0x18, 1])
        },
        StrangerMischief("fills the queue, cancels, executes nothing") {
            $0.connect()
            for _ in 0..<60 {
                prepare($0, $0.service.handle(.submitResponse), 0, [UInt8](repeating: 1, count: 40))
            }
            ask($0, [0x18, 0])
            ask($0, [0x18, 1])
            ask($0, [0x18, 7])
        },
    ]

    // MARK: many links

    private static let floods: [StrangerMischief] = [
        StrangerMischief("twenty links, each identified and failed", usesCodeUp: true) {
            for _ in 0..<20 {
                $0.renewPhone()
                try identify($0)
                $0.write(.transferReportRequest, [1])
                $0.leave()
                $0.wait(40)
            }
        },
        StrangerMischief("twenty links of all kinds, one after another", usesCodeUp: true) {
            for index in 0..<20 {
                $0.renewPhone()
                try $0.goodVisit(upTo: TestGate.Step.allCases[index % TestGate.Step.allCases.count])
                $0.leave()
            }
        },
    ]
}
