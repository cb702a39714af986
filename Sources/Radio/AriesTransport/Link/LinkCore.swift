import Bluetooth

/// What a link is made of. It lies in an `AriesLinkStorage`, and nothing of it is ever moved.
struct LinkCore: ~Copyable {
    /// Where the visit stands (aries.md section 1, States).
    enum Phase: UInt8 {
        /// No visit.
        case idle
        /// Nobody is connected.
        case waiting
        /// A wallet is, and has not subscribed.
        case linked
        /// The invitation goes out.
        case inviting
        case asked
        case receiving
        /// The message is whole; the application has not answered.
        case judging
        /// The answer goes out.
        case answering
        /// The wallet is given its time to disconnect.
        case answered
        /// The visit failed or was stopped: the link is to end.
        case closing
    }

    let timing: AriesTiming
    /// The timing that holds for the link: `timing`, or less.
    var patience: AriesTiming
    var phase = Phase.idle
    var assembler: PieceAssembler
    var outbox: Outbox
    var isLinkUp = false
    /// The wallet has subscribed: whatever becomes of the link, the invitation serves no other.
    var isCommitted = false
    /// All of the invitation is confirmed: whatever follows is not taken for part of it.
    var isInvited = false
    /// The wallet has the last word, or cannot be told any more.
    var mayAnswer = false
    /// The answer to a write is held back until the invitation is out.
    var isAnswerHeld = false
    var mtu = AttributeServer.defaultMTU
    var intervalMicroseconds: UInt64 = 0
    var now = Instant(nanoseconds: 0)

    // Deadlines; each is nil while it does not run.
    var phaseDeadline: Instant?
    var transferDeadline: Instant?
    /// The first indication may go.
    var settledAt: Instant?
    /// The invitation serves nobody any more; it is looked at between links only.
    var offerDeadline: Instant?
    /// What `offerDeadline` is never moved beyond.
    var lastDeadline = Instant(nanoseconds: 0)
    /// Octets since the progress deadline was set.
    var freshOctets = 0
    /// Values that were pieces of the message.
    var pieces = 0
    /// The deadline that ended the visit.
    var missed: AriesDeadline?
    /// How the visit ends once the link is gone.
    var end = AriesEnd.walletLeft

    /// There are never more than a few between two pulls: at most six in a visit.
    var events = Ring<8, AriesEvent>()
    private var drops = InlineArray<4, UInt32>(repeating: 0)

    init(incoming: UnsafeMutableRawBufferPointer, outgoing: UnsafeMutableRawBufferPointer, timing: AriesTiming) {
        self.timing = timing
        patience = timing
        assembler = PieceAssembler(memory: incoming)
        outbox = Outbox(memory: outgoing)
    }

    // MARK: counts

    func count(of drop: AriesDrop) -> UInt32 { drops[Int(drop.rawValue)] }

    mutating func note(_ drop: AriesDrop) {
        let index = Int(drop.rawValue)
        if drops[index] < .max { drops[index] += 1 }
    }

    /// Forgets the visit and zeros all that was said.
    mutating func wipe() {
        assembler.wipe()
        outbox.wipe()
        forgetLink()
        isCommitted = false
        offerDeadline = nil
        missed = nil
        end = .walletLeft
        pieces = 0
        mtu = AttributeServer.defaultMTU
        for index in 0..<drops.count { drops[index] = 0 }
    }

    /// What holds for one link only.
    mutating func forgetLink() {
        isInvited = false
        mayAnswer = false
        isAnswerHeld = false
        phaseDeadline = nil
        transferDeadline = nil
        settledAt = nil
        freshOctets = 0
    }
}
