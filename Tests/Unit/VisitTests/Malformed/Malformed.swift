import Bluetooth
import Testing

@testable import Visit

/// One malformed input, and everything that may come of it: the counters by name, what is answered, and how the visit
/// that is under way goes on. What is not said is nothing.
struct Malformed: Sendable, CustomTestStringConvertible {
    enum Moment: String, Sendable, CaseIterable {
        /// The gate advertises.
        case beforeAConnection
        /// Half of the chunks have come.
        case inATransfer
        /// The wallet has been told, and is still there.
        case afterTheVerdict
    }

    enum Ending: Sendable, Equatable {
        /// The visit goes on, on the same link, to its verdict.
        case unharmed
        /// The link is ended.
        case linkEnds
        /// The visit fails with an error, and the wallet is sent away.
        case visitFails
        /// The controller is taken for broken.
        case fault(RecoveryStep)
    }

    var name: String
    /// H4 packets from the controller.
    var packets: [[UInt8]]
    var drops: [Drop: Int] = [:]
    /// What is counted when no link is up; without it, each packet of data is one of an unknown handle.
    var dropsWithoutLink: [Drop: Int]?
    /// ATT, LE signalling and SMP PDUs that reach the phone.
    var attributes: [[UInt8]] = []
    var signals: [[UInt8]] = []
    var security: [[UInt8]] = []
    /// HCI commands sent because of it.
    var commands: [[UInt8]] = []
    var ending = Ending.unharmed
    var endingWithoutLink = Ending.unharmed
    /// Of a visit that has its verdict nothing can fail any more.
    var endingAfterVerdict: Ending?
    /// All packets are there before anything is answered.
    var isBurst = false
    var mtu: UInt16 = 185

    /// Moments in which the input means something else, and is not malformed at all.
    var skips: Set<Moment> = []

    var testDescription: String { name }

    /// An input at one moment of a visit.
    struct Case: Sendable, CustomTestStringConvertible {
        var input: Malformed
        var moment: Moment

        var testDescription: String { "\(input.name), \(moment.rawValue)" }

        func run(sourceLocation: SourceLocation = #_sourceLocation) throws { try input.run(moment, sourceLocation: sourceLocation) }
    }

    static func cases(_ inputs: [Malformed]) -> [Case] {
        inputs.flatMap { input in Moment.allCases.filter { !input.skips.contains($0) }.map { Case(input: input, moment: $0) } }
    }
}

extension Malformed {
    /// The input at `moment` of a visit, and then the complete visit that follows through the same gate.
    func run(_ moment: Moment, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let test = try TestGate()
        let visit = try HonestVisit(test, mtu: mtu)
        if moment != .beforeAConnection { try visit.begin() }
        if moment == .afterTheVerdict { #expect(visit.finish(), sourceLocation: sourceLocation) }
        inject(test, isLinked: moment != .beforeAConnection, sourceLocation: sourceLocation)
        let ending =
            switch moment {
            case .beforeAConnection: endingWithoutLink
            case .inATransfer: ending
            case .afterTheVerdict: endingAfterVerdict ?? ending
            }
        switch ending {
        case .unharmed:
            #expect(test.isConnected == (moment != .beforeAConnection), sourceLocation: sourceLocation)
            if moment == .inATransfer { #expect(visit.finish(), "the visit under way", sourceLocation: sourceLocation) }
            #expect(test.faults.isEmpty, sourceLocation: sourceLocation)
        case .linkEnds, .visitFails:
            if moment == .inATransfer { test.expectNoAccept(sourceLocation: sourceLocation) }
            test.wait(2000)
            #expect(!test.isConnected, sourceLocation: sourceLocation)
            #expect(test.faults.isEmpty, sourceLocation: sourceLocation)
            let outcomes: [VisitRecord.Outcome] = moment == .afterTheVerdict ? [.accepted] : ending == .visitFails ? [.failed] : [.left]
            #expect(test.outcomes == outcomes, sourceLocation: sourceLocation)
        case .fault(let step):
            if moment == .inATransfer { test.expectNoAccept(sourceLocation: sourceLocation) }
            #expect(test.faults == [step], sourceLocation: sourceLocation)
            #expect(!test.isConnected, sourceLocation: sourceLocation)
            if step != .reset { test.open() }
        }
        try Self.expectNextVisit(test, sourceLocation: sourceLocation)
        let isCutShort = ending != .unharmed && moment == .inATransfer
        let accepted = moment == .beforeAConnection || isCutShort ? 1 : 2
        #expect(test.outcomes.filter { $0 == .accepted }.count == accepted, sourceLocation: sourceLocation)
        #expect(test.controller.offences == [], sourceLocation: sourceLocation)
    }

    /// Several inputs, one behind the other, as one.
    static func merged(_ inputs: some Collection<Malformed>) -> Malformed {
        var whole = Malformed(name: inputs.first?.name ?? "", packets: [])
        for input in inputs {
            whole.packets += input.packets
            whole.drops.merge(input.drops) { $0 + $1 }
            whole.attributes += input.attributes
            whole.signals += input.signals
            whole.security += input.security
            whole.commands += input.commands
        }
        return whole
    }

    /// Many small inputs against one gate: each before a connection, in a transfer and after its verdict, every time with
    /// the visit whole and the visitor let in, so that each is followed by all of the next.
    static func sweep(_ inputs: [Malformed], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let test = try TestGate()
        for (index, input) in inputs.enumerated() {
            input.inject(test, isLinked: false, sourceLocation: sourceLocation)
            let visit = try HonestVisit(test, mtu: input.mtu)
            try visit.begin()
            input.inject(test, sourceLocation: sourceLocation)
            #expect(visit.finish(), "\(input.name): the visit", sourceLocation: sourceLocation)
            input.inject(test, sourceLocation: sourceLocation)
            #expect(test.isConnected, "\(input.name): the link", sourceLocation: sourceLocation)
            test.leave()
            test.wait(4000)
            #expect(test.outcomes.count == index + 1, sourceLocation: sourceLocation)
        }
        try expectNextVisit(test, sourceLocation: sourceLocation)
        #expect(test.outcomes == [VisitRecord.Outcome](repeating: .accepted, count: inputs.count + 1), sourceLocation: sourceLocation)
        #expect(test.lights.allSatisfy { $0 != .reject && $0 != .fault }, sourceLocation: sourceLocation)
        #expect(test.controller.offences == [], sourceLocation: sourceLocation)
    }

    /// Delivers the packets and looks at everything that came of them.
    func inject(_ test: TestGate, isLinked: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) {
        let before = Trace(test)
        for packet in packets {
            if isBurst { test.gate.receive(packet.span, at: test.now) } else { test.controller.inject(packet) }
            if !isBurst { test.turn() }
        }
        test.turn()
        // Data that comes before any link is held for a second, and given up when no link claims it.
        if !isLinked { test.wait(1000) }
        let after = Trace(test)
        let data = packets.filter { $0.first == 0x02 }.count
        let expected = isLinked ? drops : dropsWithoutLink ?? (data > 0 ? [.dataUnclaimed: data] : drops)
        var counted = after.drops(since: before)
        if !isLinked, data > 0, let nobodys = counted.removeValue(forKey: .unknownHandle) { counted[.dataUnclaimed, default: 0] += nobodys }
        // The link it would have come from is ended, if there is one.
        if !isLinked, data > 0 { counted[.disconnectionUnknownHandle] = nil }
        #expect(counted == expected, "\(name): counted", sourceLocation: sourceLocation)
        #expect(
            after.attributes(since: before) == (isLinked ? attributes.map { text($0) } : []), "\(name): ATT", sourceLocation: sourceLocation
        )
        #expect(
            after.others(since: before, 5) == (isLinked ? signals.map { text($0) } : []), "\(name): signalling",
            sourceLocation: sourceLocation)
        #expect(
            after.others(since: before, 6) == (isLinked ? security.map { text($0) } : []), "\(name): security",
            sourceLocation: sourceLocation)
        // A link that ends brings the next advertisement, a fault a whole bring-up: that is another test's.
        if isLinked, ending == .unharmed {
            #expect(after.commands(since: before) == commands.map { text($0) }, "\(name): commands", sourceLocation: sourceLocation)
        }
    }

    /// Whoever was there leaves; the next visitor is discovered, served and let in.
    static func expectNextVisit(_ test: TestGate, sourceLocation: SourceLocation = #_sourceLocation) throws {
        test.leave()
        test.wait(4000)
        #expect(!test.isConnected, sourceLocation: sourceLocation)
        #expect(test.light == .ready, sourceLocation: sourceLocation)
        #expect(try HonestVisit.complete(test), "the next visit", sourceLocation: sourceLocation)
    }
}

/// What a gate has counted and said until now.
struct Trace {
    private var counters: DropCounters
    private var attributes: [[UInt8]]
    private var others: [(channel: UInt16, payload: [UInt8])]
    private var commands: [[UInt8]]

    init(_ test: TestGate) {
        counters = test.gate.counters
        attributes = test.answers
        others = test.controller.otherFrames
        commands = test.controller.commandPackets
    }

    func drops(since before: Trace) -> [Drop: Int] {
        var drops: [Drop: Int] = [:]
        for raw in 0..<UInt8(Drop.count) {
            guard let drop = Drop(rawValue: raw) else { continue }
            let count = Int(counters[drop]) - Int(before.counters[drop])
            if count != 0 { drops[drop] = count }
        }
        return drops
    }

    func attributes(since before: Trace) -> [String] { attributes.dropFirst(before.attributes.count).map { text($0) } }

    func others(since before: Trace, _ channel: UInt16) -> [String] {
        others.dropFirst(before.others.count).filter { $0.channel == channel }.map { text($0.payload) }
    }

    func commands(since before: Trace) -> [String] { commands.dropFirst(before.commands.count).map { text($0) } }
}

// MARK: packets

/// An ACL packet of the link; `flags` are packet boundary and broadcast, 2 for a first fragment.
func acl(_ data: [UInt8], flags: UInt16 = 2, handle: UInt16 = TestController.handle) -> [UInt8] {
    [0x02] + pair(handle | flags << 12) + pair(data.count) + data
}

/// A whole L2CAP frame in one ACL packet.
func frame(_ channel: UInt16, _ payload: [UInt8]) -> [UInt8] { acl(pair(payload.count) + pair(channel) + payload) }

func attribute(_ pdu: [UInt8]) -> [UInt8] { frame(4, pdu) }
func attribute(_ pdu: String) -> [UInt8] { frame(4, hex(pdu)) }
func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] { [0x04, code, UInt8(parameters.count)] + parameters }
func event(_ code: UInt8, _ parameters: String) -> [UInt8] { event(code, hex(parameters)) }

/// Error Response.
func refusal(_ opcode: UInt8, _ handle: UInt16, _ code: UInt8) -> [UInt8] { [0x01, opcode] + pair(handle) + [code] }
