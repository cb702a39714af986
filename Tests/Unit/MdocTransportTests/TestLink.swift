import Bluetooth
import TestSupport
import Testing

@testable import MdocTransport

/// A link with a clock, a radio that takes everything at once, and a gate that does what it is told to.
final class TestLink {
    struct Said: Equatable {
        var command: MdocCommand
        var octets: [UInt8]
    }

    static let peripheral = UUID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)
    static let central = UUID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
    static let request: [UInt8] = (0..<700).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
    /// {"status": 20}
    static let word = octets("a166737461747573 14")

    var link: MdocLink
    private let storage: UnsafeMutablePointer<MdocLinkStorage>
    let incoming: UnsafeMutableRawBufferPointer
    private let outgoing: UnsafeMutableRawBufferPointer
    private let start = Instant(nanoseconds: 55_000_000_000)
    private(set) var now: Instant
    private var value = AttributeValue()

    /// Everything that was told, values apart.
    private(set) var told: [MdocCommand] = []
    /// Everything that left.
    private(set) var said: [Said] = []
    /// Messages that came, in order.
    private(set) var messages: [[UInt8]] = []

    /// What the gate asks once the link is open; nil: nothing.
    var request: [UInt8]? = TestLink.request
    /// The gate ends the session as soon as a message is there.
    var endsAfterMessage = true
    /// The gate looks at messages at once.
    var takesMessages = true
    /// The gate says a last word after a failure.
    var speaks = true
    /// The radio takes no value.
    var isBusy = false
    /// The link ends when it is told to.
    var obeysDisconnect = true
    /// How many octets the channel takes at once.
    var channelTakes = Int.max
    private(set) var isLinkUp = false
    /// Octets of a message that goes on, as `speak(part:)` says it.
    var spoken = 0

    init(timing: MdocTiming = MdocTiming(), service: MdocService = MdocService(), incoming size: Int = MessageSize.buffer) {
        now = start
        incoming = .allocate(byteCount: size, alignment: 64)
        incoming.initializeMemory(as: UInt8.self, repeating: 0)
        outgoing = .allocate(byteCount: MessageSize.longestRequest, alignment: 64)
        outgoing.initializeMemory(as: UInt8.self, repeating: 0)
        storage = .allocate(capacity: 1)
        storage.initialize(to: MdocLinkStorage())
        link = MdocLink(storage: storage, service: service, incoming: incoming, outgoing: outgoing, timing: timing)
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
        incoming.deallocate()
        outgoing.deallocate()
    }

    // MARK: what is so

    var milliseconds: UInt64 { now.milliseconds(since: start) }
    var bearer: MdocBearer { link.bearer }
    var isIdle: Bool { link.isIdle }
    var isOpen: Bool { link.isOpen }
    var deadline: Instant? { link.deadline }
    var channelRoom: Int { link.channelRoom }
    var failure: MdocLinkFailure? { link.failure }
    func count(_ drop: MdocDrop) -> UInt32 { link.count(of: drop) }
    var drops: UInt32 { (0..<MdocDrop.count).reduce(0) { $0 + (MdocDrop(rawValue: UInt8($1)).map(count) ?? 0) } }
    var outgoingIsZero: Bool { outgoing.allSatisfy { $0 == 0 } }
    var incomingIsZero: Bool { incoming.allSatisfy { $0 == 0 } }

    /// What ended the visit, once it is over.
    var end: MdocLinkEnd? {
        for case .ended(let end) in told { return end }
        return nil
    }

    var failures: [MdocLinkFailure] {
        told.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    }

    /// Of what left by `command`, the octets.
    func values(of command: MdocCommand) -> [[UInt8]] { said.filter { $0.command == command }.map(\.octets) }

    func forget() {
        told = []
        said = []
    }

    // MARK: the gate

    func begin(_ offer: MdocOffer, _ first: MdocBearer = .channel, canConnect: Bool = true, canAdvertise: Bool = true) throws {
        try link.begin(offer, MdocPreference(first: first, canConnect: canConnect, canAdvertise: canAdvertise), now: now)
        pump()
    }

    func send(_ message: [UInt8]) throws {
        try link.send(message.span, now: now)
        pump()
    }

    func end(saying word: [UInt8]) throws {
        try link.end(saying: word.span, now: now)
        pump()
    }

    /// Does something of the gate's, and what follows.
    func gate(_ act: (inout MdocLink, Instant) throws -> Void) rethrows {
        try act(&link, now)
        pump()
    }

    // MARK: the air

    /// Something happens, and what follows is done.
    func happens(_ event: (inout MdocLink, Instant) -> Void) {
        event(&link, now)
        pump()
    }

    func connect(asCentral: Bool, step: UInt8 = 0) {
        isLinkUp = true
        happens { $0.connected(asCentral: asCentral, step: step, now: $1) }
    }

    func disconnect() {
        isLinkUp = false
        happens { $0.disconnected(now: $1) }
    }

    func receive(_ characteristic: MdocCharacteristic, _ octets: [UInt8]) {
        happens { $0.received(characteristic, octets.span, now: $1) }
    }

    func receiveChannel(_ octets: [UInt8]) { happens { $0.channelReceived(octets.span, now: $1) } }

    func answer(_ step: MdocStep, _ answer: MdocAnswer) { happens { $0.answered(step, answer, now: $1) } }

    /// Lets time pass, deadline by deadline.
    func pass(milliseconds: UInt64) {
        let end = now.adding(milliseconds: milliseconds)
        for _ in 0..<1000 {
            guard let due = link.deadline, due <= end else {
                now = end
                return
            }
            now = max(now, due)
            link.expire(now: now)
            pump()
        }
        Issue.record("a deadline stays")
    }

    // MARK: what follows

    /// Does what the link wants, until it wants nothing.
    func pump() {
        for _ in 0..<20_000 {
            guard let command = link.next(into: &value, maySend: !isBusy) else { return }
            switch command {
            case .notify, .write, .stream: say(command)
            default:
                told.append(command)
                follow(command)
            }
        }
        Issue.record("a link never falls silent")
    }

    private func say(_ command: MdocCommand) {
        var octets = (0..<value.count).map { value.storage[$0] }
        if command == .stream { octets = Array(octets.prefix(channelTakes)) }
        said.append(Said(command: command, octets: octets))
        link.sent(octets.count, now: now)
    }

    private func follow(_ command: MdocCommand) {
        let word = Self.word
        switch command {
        case .opened: if let request { attempt { try link.send(request.span, now: now) } }
        case .received(let count):
            guard takesMessages else { return }
            take(count)
            if endsAfterMessage, link.isOpen { attempt { try link.end(saying: word.span, now: now) } }
        case .failed(let failure):
            // Where there was no session, nothing is said.
            if speaks, failure.status != nil { try? link.end(saying: word.span, now: now) }
        case .disconnect: if obeysDisconnect { disconnect() }
        default: break
        }
    }

    /// Looks at the oldest message.
    func take(_ count: Int) {
        let message = link.withMessage { octets in (0..<octets.count).map { octets[$0] } }
        #expect(message?.count == count)
        if let message { messages.append(message) }
        link.release()
    }

    private func attempt(_ act: () throws -> Void) {
        do { try act() } catch { Issue.record("\(error)") }
    }
}

func octets(_ hex: String) -> [UInt8] { Hex.bytes(hex) }

/// A message whose octets tell where they were.
func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) } }

/// A message in values of at most `longest` octets.
func fragments(_ message: [UInt8], longest: Int) -> [[UInt8]] {
    let size = longest - 1
    guard !message.isEmpty else { return [[0x00]] }
    return stride(from: 0, to: message.count, by: size).map { start in
        let end = min(start + size, message.count)
        return [end == message.count ? 0x00 : 0x01] + message[start..<end]
    }
}

/// A message as a channel has it.
func stream(_ message: [UInt8]) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: message.count >> (24 - 8 * $0)) } + message }
