import Bluetooth
import MdocTransport

/// Any events in any order against the rules of a visit (mdoc.md sections 1.2, 2 and 5).
func fuzzMdocVisit(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    var play = MdocPlay()
    play.run(&script)
}

let mdocVisitSeeds: [[UInt8]] = [
    // The gate as server, as client and by a channel, each to an answer and an end.
    [0, 2, 3, 1, 5, 1, 9, 4, 0, 1, 2, 3, 11, 3, 14], [0, 2, 3, 1, 5, 1, 9, 4, 1, 1, 2, 3, 14, 14],
    [0, 1, 2, 3, 0, 7, 0x38, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 9, 3, 0, 1, 2, 11, 3, 14], [0, 1, 2, 3, 0, 7, 0x18, 7, 0x18],
    [0, 5, 2, 3, 0, 8, 0, 9, 5, 0, 0, 0, 1, 7, 11, 3, 14], [0, 5, 2, 3, 0, 8, 1, 7, 0x38, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 14],
    // Nobody comes by one way, then by the other; somebody comes and goes.
    [0, 3, 14, 14, 14], [0, 3, 2, 1, 2, 1, 2, 1, 14, 3, 1, 4, 3, 1, 5, 3], [0, 2, 3, 1, 4, 10, 20],
]

/// A visit of any events.
private struct MdocPlay: ~Copyable {
    private var link: MdocLink
    private let storage = UnsafeMutablePointer<MdocLinkStorage>.allocate(capacity: 1)
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var value = AttributeValue()
    private var isLinkUp = false
    private var mtu: UInt16 = 23
    private var asked: MdocStep?

    // What was told in this visit.
    private var isBegun = false
    private var hasOpened = false
    private var hasFailed = false
    private var hasDisconnected = false

    private static let one = UUID(high: 1, low: 2)
    private static let other = UUID(high: 3, low: 4)

    init() {
        storage.initialize(to: MdocLinkStorage())
        link = MdocLink(storage: storage, service: MdocService(), incoming: mdocIncoming, outgoing: mdocOutgoing)
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    mutating func run(_ script: inout Script) {
        while !script.isAtEnd {
            step(&script)
            settle()
        }
        // Whatever happened: the link goes, time passes, and the visit is over.
        if isLinkUp { drop() }
        for _ in 0..<8 where link.deadline != nil {
            pass(milliseconds: 400_000)
            if isLinkUp { drop() }
        }
        require(link.isIdle && link.deadline == nil && !isBegun, "a visit without a link comes to its end")
        link.reset()
        require(mdocIncoming.prefix(4096).allSatisfy { $0 == 0 } && mdocOutgoing.allSatisfy { $0 == 0 }, "what is forgotten is zero")
    }

    private mutating func drop() {
        isLinkUp = false
        link.disconnected(now: now)
        settle()
    }

    private mutating func step(_ script: inout Script) {
        switch script.octet() & 0x0F {
        case 0: begin(script.octet())
        case 1: link.notConnected(now: now)
        case 2: link.found(now: now)
        case 3: connect(asCentral: script.octet() & 1 == 0)
        case 4: if isLinkUp { drop() }
        case 5:
            let bits = script.octet()
            link.subscribed(state: bits & 2 == 0, data: bits & 4 == 0, now: now)
            let state: [UInt8] = [bits & 0x0F]
            link.received(.state, state.span, now: now)
        case 6:
            mtu = script.word()
            link.mtuAgreed(mtu, now: now)
        case 7: answer(script.octet())
        case 8: channel(script.octet())
        case 9:
            let octets = script.block()
            link.received(link.bearer == .server ? .clientToServer : .serverToClient, octets.span, now: now)
            link.channelReceived(octets.span, now: now)
        case 10: pass(milliseconds: 1 << UInt64(script.octet() & 0x1F))
        case 11: finish(script.octet())
        case 12: send([UInt8](repeating: 7, count: Int(script.word())))
        case 13: link.sent(Int(script.octet()), now: now)
        case 14: if let deadline = link.deadline { pass(to: deadline) }
        default:
            let octets = script.block()
            link.received(MdocCharacteristic(rawValue: script.octet() & 3) ?? .state, octets.span, now: now)
        }
    }

    private mutating func begin(_ bits: UInt8) {
        let offer = MdocOffer(
            peripheral: bits & 1 != 0 ? Self.one : nil, central: bits & 2 != 0 ? Self.other : nil, spsm: bits & 4 != 0 ? 0x0080 : nil)
        let preference = MdocPreference(first: MdocBearer(rawValue: bits >> 3 & 3) ?? .channel, canConnect: bits & 0x20 == 0)
        do throws(MdocLinkRefusal) {
            try link.begin(offer, preference, now: now)
            require(!isBegun, "one visit at a time")
            (isBegun, hasOpened, hasFailed) = (true, false, false)
        } catch {}
    }

    private mutating func connect(asCentral: Bool) {
        guard !isLinkUp else { return link.connected(asCentral: asCentral, now: now) }
        isLinkUp = true
        hasDisconnected = false
        mtu = 23
        link.connected(asCentral: asCentral, now: now)
    }

    private mutating func answer(_ bits: UInt8) {
        let step = bits & 0x80 == 0 ? asked : MdocStep(rawValue: bits & 7)
        guard let step else { return }
        let answers: [MdocAnswer] = [.done, .done, .done, .notFound, .refused(5), .malformed, .timedOut, .mtu(100)]
        link.answered(step, answers[Int(bits >> 3 & 7)], now: now)
        if case .mtu = answers[Int(bits >> 3 & 7)] { mtu = 517 }
    }

    private mutating func channel(_ bits: UInt8) {
        switch bits & 3 {
        case 0, 3: link.channelOpened(now: now)
        case 1: link.channelRefused(now: now)
        default: link.channelClosed(now: now)
        }
    }

    private mutating func finish(_ bits: UInt8) {
        let word: [UInt8] = [0xA0]
        do throws(MdocLinkRefusal) {
            switch bits & 7 {
            case 0: link.stop(now: now)
            case 1: try link.end(now: now)
            case 2: try link.leave(now: now)
            case 3: try link.end(saying: word.span, now: now)
            case 4:
                link.reset()
                isBegun = false
            default: break
            }
        } catch {}
    }

    private mutating func send(_ request: [UInt8]) {
        do throws(MdocLinkRefusal) { try link.send(request.span, now: now) } catch {}
    }

    private mutating func pass(milliseconds: UInt64) { pass(to: now.adding(milliseconds: milliseconds)) }

    private mutating func pass(to time: Instant) {
        now = min(max(now, time), Instant(nanoseconds: .max / 4))
        for _ in 0..<40 {
            guard let deadline = link.deadline, deadline <= now else { return }
            link.expire(now: now)
            settle()
        }
        require(false, "a deadline that has passed goes away")
    }

    private mutating func settle() {
        for _ in 0..<20_000 {
            guard let command = link.next(into: &value, maySend: true) else { return }
            follow(command)
        }
        require(false, "a link falls silent")
    }

    private mutating func follow(_ command: MdocCommand) {
        switch command {
        case .notify, .write, .stream:
            require(isLinkUp && !hasDisconnected, "nothing is sent without a link")
            if command != .stream { require(value.count <= 512 && value.count >= 1, "a value has a bound") }
            require(hasOpened || command == .write(.state) && value.storage[0] == 1, "before a session there is start, and nothing else")
            link.sent(now: now)
        case .ask(let step): asked = step
        case .openChannel, .advertise, .scan, .connect: require(isBegun && !hasFailed, "a visit that is over looks for nobody")
        case .rest: break
        case .disconnect:
            require(isLinkUp && !hasDisconnected, "a link is ended once")
            hasDisconnected = true
        case .opened:
            hasOpened = true
            let request: [UInt8] = [1, 2, 3]
            send(request)
        case .received(let count):
            require(count <= MessageSize.longest, "a message has a bound")
            let found = link.withMessage { $0.count }
            require(found == count, "a message is there")
            link.release()
        case .failed:
            require(!hasFailed, "a visit fails once")
            hasFailed = true
        case .ended(let end):
            require(isBegun && link.isIdle, "the end is the end")
            require((end == .failed) == hasFailed, "a visit that failed was told to")
            isBegun = false
        }
    }
}
