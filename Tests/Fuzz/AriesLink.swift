import AriesTransport
import Bluetooth

/// Any events in any order against the rules of a visit (aries.md section 1).
func fuzzAriesLink(_ octets: UnsafeBufferPointer<UInt8>) {
    var script = Script(octets)
    var play = AriesPlay()
    play.run(&script)
}

let ariesLinkSeeds: [[UInt8]] = [
    // A whole visit; an eager wallet; a second message; a wallet that leaves and one that stays.
    [0, 1, 2, 12, 3, 3, 3, 3, 5, 9, 5, 0x80, 7, 9, 3, 3, 4], [0, 1, 2, 5, 9, 12, 3, 3, 3, 3, 5, 0x80, 7, 3, 3, 3, 4],
    [0, 1, 2, 12, 3, 3, 3, 3, 5, 9, 5, 0x80, 5, 0x80, 5, 9, 5, 0x80, 8, 4], [0, 1, 4, 1, 2, 4], [0, 1, 2, 12, 3, 3, 3, 3, 5, 9, 6, 0xFF],
    // Nothing comes, too much comes, what is no message comes.
    [0, 1, 6, 0xFF, 4, 1, 6, 0xFF], [0, 1, 2, 12, 3, 3, 3, 3, 5, 0x80, 7, 4], [0, 1, 2, 12, 3, 3, 3, 3, 11, 11, 11, 7, 3, 3, 4],
    [0, 1, 2, 9, 10, 0, 1, 2],
]

private nonisolated(unsafe) let incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 64)
private nonisolated(unsafe) let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 64)

/// A visit of any events.
private struct AriesPlay: ~Copyable {
    private var link: AriesLink
    private let storage = UnsafeMutablePointer<AriesLinkStorage>.allocate(capacity: 1)
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var value = AttributeValue()
    private var isLinkUp = false
    private var isAwaiting = false

    // What was told in this visit, and what was written.
    private var isBegun = false
    private var hasCommitted = false
    private var hasAsked = false
    private var hasReceived = false
    private var hasFailed = false
    private var hasEnded = false
    private var message: [UInt8] = []

    init() {
        storage.initialize(to: AriesLinkStorage())
        incoming.initializeMemory(as: UInt8.self, repeating: 0)
        outgoing.initializeMemory(as: UInt8.self, repeating: 0)
        link = AriesLink(storage: storage, incoming: incoming, outgoing: outgoing)
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
        for _ in 0..<8 where isLinkUp || link.deadline != nil {
            if isLinkUp { drop() }
            pass(milliseconds: 700_000)
        }
        require(link.isIdle && link.deadline == nil && !isBegun, "a visit without a link comes to its end")
        link.reset()
        require(incoming.allSatisfy { $0 == 0 } && outgoing.allSatisfy { $0 == 0 }, "what is forgotten is zero")
    }

    private mutating func step(_ script: inout Script) {
        switch script.octet() & 0x0F {
        case 0: begin()
        case 1: connect(step: script.isAtEnd ? 0 : script.octet())
        case 2: link.subscribed(isLinkUp, now: now)
        case 3: confirm()
        case 4: if isLinkUp { drop() }
        case 5: write(script.octet())
        case 6: pass(milliseconds: UInt64(script.octet()) * 2_000)
        case 7: answer(script.octet())
        case 8: _ = link.stop(now: now)
        case 9: link.mtuExchanged(script.word(), now: now)
        case 10: if link.close(now: now) { require(hasReceived || hasFailed, "nothing is closed before it has come") }
        case 11: write(0x7F)
        case 12: pass(milliseconds: 300)
        case 13: link.subscribed(false, now: now)
        case 14: forget()
        default: pass(milliseconds: UInt64(script.octet()))
        }
    }

    private mutating func begin() {
        let invitation: [UInt8] = Array(repeating: 0x7B, count: 100)
        do throws(AriesRefusal) {
            try link.begin(invitation.span, now: now)
            require(!isBegun, "a visit begins when the last is over")
            (isBegun, hasCommitted, hasAsked, hasReceived, hasFailed, hasEnded) = (true, false, false, false, false, false)
            message = []
        } catch {
            require(isBegun, "a visit begins when none is under way")
        }
    }

    private mutating func connect(step: UInt8) {
        guard !isLinkUp else { return }
        isLinkUp = true
        isAwaiting = false
        link.connected(intervalMicroseconds: UInt64(step) * 1_000, step: step & 3, now: now)
    }

    private mutating func drop() {
        isLinkUp = false
        isAwaiting = false
        link.disconnected(now: now)
        settle()
    }

    private mutating func confirm() {
        guard isAwaiting else { return }
        isAwaiting = false
        link.confirmed(now: now)
    }

    /// A piece of that many octets; the marker for 0x80, nothing for 0.
    private mutating func write(_ size: UInt8) {
        let octets = size == 0x80 ? Array("EOM".utf8) : Array(repeating: UInt8(0x61), count: Int(size) * 4)
        guard isLinkUp else { return }
        let wasReceived = hasReceived, wasFailed = hasFailed, before = link.received
        let refusal = link.write(AriesService.message, octets.span, isCommand: false)
        settle()
        if !hasCommitted || !isBegun { require(refusal == .unlikely, "nothing is taken from whoever has not subscribed") }
        if wasReceived || wasFailed { require(link.received == before || !isBegun, "nothing is put behind a message") }
        if link.received > before { message += octets }
        require(link.received == message.count || !isBegun, "what was taken is there")
    }

    private mutating func answer(_ size: UInt8) {
        let octets = Array(repeating: UInt8(0x7D), count: Int(size))
        if link.answer(octets.span, now: now) {
            require(hasAsked && (hasReceived || hasFailed) && isLinkUp, "an answer follows a message")
            require(size > 0 && size <= 128, "an answer fits")
        }
    }

    private mutating func pass(milliseconds: UInt64) {
        let end = now.adding(milliseconds: milliseconds)
        for _ in 0..<64 {
            guard let due = link.deadline, due <= end else { break }
            now = max(now, due)
            link.expire(now: now)
            settle()
            require(link.deadline.map { $0 > now } ?? true, "what has expired waits no longer")
        }
        now = max(now, end)
    }

    private mutating func forget() {
        link.reset()
        (isBegun, isAwaiting) = (false, false)
        message = []
        require(incoming.allSatisfy { $0 == 0 } && outgoing.allSatisfy { $0 == 0 }, "what is forgotten is zero")
    }

    /// Looks at what was told, and hands over what is to be said.
    private mutating func settle() {
        while let event = link.nextEvent() { take(event) }
        if link.isIdle { isBegun = false }
        while !isAwaiting, link.nextPush(into: &value) {
            require(isLinkUp && hasCommitted, "nothing is said to nobody")
            require(value.count > 0 && value.count <= Int(max(link.attributeMTU, 23)) - 3, "a piece fits the link")
            isAwaiting = true
            link.didPush(now: now)
        }
        require(!link.isAnswerHeld || !hasAsked, "no answer is held for longer than the invitation takes")
    }

    private mutating func take(_ event: AriesEvent) {
        require(!hasEnded, "after its end a visit is silent")
        switch event {
        case .committed:
            require(!hasCommitted, "one wallet has the visit")
            hasCommitted = true
        case .asked:
            require(hasCommitted && !hasAsked, "who has subscribed is asked once")
            hasAsked = true
        case .wantsSpeed: require(hasCommitted, "a message comes from who has subscribed")
        case .received:
            require(hasAsked && !hasReceived && !hasFailed, "one message a visit")
            hasReceived = true
            require(link.withMessage { $0.count } == link.received, "a message is what its pieces were")
        case .failed:
            require(hasCommitted && !hasReceived && !hasFailed, "a visit fails once, before its message")
            hasFailed = true
        case .disconnectNow: require(isLinkUp, "only a link is ended")
        case .released: require(!hasCommitted, "an invitation that was taken up serves no other")
        case .ended:
            hasEnded = true
            isBegun = false
        }
    }
}
