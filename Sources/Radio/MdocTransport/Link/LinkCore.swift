import Bluetooth

/// What a link is made of. It lies in an `MdocLinkStorage`, and nothing of it is ever moved.
struct LinkCore: ~Copyable {
    /// Where the visit stands.
    enum Phase: UInt8 {
        case idle
        /// Advertising or scanning, as the bearer has it.
        case seeking
        /// The phone was found and is being connected to.
        case connecting
        /// The link is up; messages may not go yet.
        case opening
        case open
        /// The last word leaves, then the phone, then the link.
        case closing
    }

    /// Where request and answer stand, while the link is open.
    enum Exchange: UInt8 {
        /// Nothing was asked yet.
        case none
        case sending, awaiting, answering, answered
    }

    /// What is on the air before there is a link.
    enum Air: Hashable {
        case rest, advertise, scan, connect
    }

    let service: MdocService
    let timing: MdocTiming
    /// The timing that holds for the link: `timing`, or less.
    var patience: MdocTiming
    var now = Instant(nanoseconds: 0)
    var phase = Phase.idle

    // The way to the phone.
    var offer = MdocOffer()
    var second: MdocBearer?
    var bearer = MdocBearer.server
    /// Connections that came to nothing on this way.
    var attempts = 0
    /// Who was found by the last scan.
    var peer: Peer?
    /// The host has not begun to connect yet.
    var isConnectDue = false
    /// A link of this visit was up.
    var hadLink = false
    /// A channel was asked for.
    var triedChannel = false
    private(set) var isLinkUp = false
    var mtu = AttributeServer.defaultMTU

    // The opening.
    /// The step that is under way, once a link is up.
    var step = MdocStep.start
    /// The step that the phone owes an answer.
    var asked: MdocStep?
    /// State said start, by whoever has to.
    var hasStarted = false
    var stateSubscribed = false
    var dataSubscribed = false

    // The messages.
    var exchange = Exchange.none
    /// A request was sent: the phone may speak.
    var hasAsked = false
    var messages: MessageBuffer
    var stream = StreamAssembler()
    var outbox: Outbox
    /// A message has begun to come.
    var isReceiving = false
    /// Values and octets since the progress deadline was set.
    var freshValues = 0
    var freshOctets = 0

    // Deadlines; each is nil while it does not run.
    var seekDeadline: Instant?
    var wayDeadline: Instant?
    var phaseDeadline: Instant?
    var channelDeadline: Instant?
    var progressDeadline: Instant?
    var responseDeadline: Instant?

    // What is to be told. The air is a state: it is compared with what was told last.
    var air = Air.rest
    var toldAir = Air.rest
    var isStepDue = false
    var isChannelDue = false
    var isOpenedDue = false
    private(set) var isDisconnectDue = false
    /// The link was told to end.
    private(set) var isDisconnecting = false
    var isFirstTold = false
    var failureDue: MdocLinkFailure?
    var endDue: MdocLinkEnd?

    /// How the visit ends once the link is gone.
    var end = MdocLinkEnd.stopped
    /// The session failed, and its last word was not said yet.
    var maySpeak = false
    /// The failure that ended the visit, until it is forgotten.
    var failure: MdocLinkFailure?
    private var drops = InlineArray<11, UInt32>(repeating: 0)

    init(
        service: MdocService, incoming: UnsafeMutableRawBufferPointer, outgoing: UnsafeMutableRawBufferPointer, timing: MdocTiming
    ) {
        self.service = service
        self.timing = timing
        patience = timing
        messages = MessageBuffer(memory: incoming)
        outbox = Outbox(memory: outgoing)
    }

    // MARK: counts

    mutating func count(of drop: MdocDrop) -> UInt32 { drops[Int(drop.rawValue)] }

    mutating func note(_ drop: MdocDrop) {
        let index = Int(drop.rawValue)
        if drops[index] < .max { drops[index] += 1 }
    }

    /// Forgets the visit and zeros all that was said. The link, if any, is no longer the visit's.
    mutating func wipe() {
        messages.wipe()
        outbox.wipe()
        offer = MdocOffer()
        second = nil
        patience = timing
        attempts = 0
        peer = nil
        isConnectDue = false
        hadLink = false
        forgetLink()
        seekDeadline = nil
        wayDeadline = nil
        isOpenedDue = false
        failureDue = nil
        endDue = nil
        end = .stopped
        failure = nil
        isFirstTold = false
        for index in 0..<drops.count { drops[index] = 0 }
    }

    /// Forgets what belongs to one link; the messages that are whole stay.
    mutating func forgetLink() {
        mtu = AttributeServer.defaultMTU
        triedChannel = false
        step = .start
        asked = nil
        hasStarted = false
        stateSubscribed = false
        dataSubscribed = false
        exchange = .none
        hasAsked = false
        stream = StreamAssembler()
        isStepDue = false
        isChannelDue = false
        maySpeak = false
        phaseDeadline = nil
        channelDeadline = nil
        stopReceiving()
    }

    /// The link is to end. What had a deadline has none any more: the host sees to it that the link ends.
    mutating func disconnect() {
        if !isDisconnecting { isDisconnectDue = true }
    }

    mutating func toldDisconnect() {
        isDisconnectDue = false
        isDisconnecting = true
        phaseDeadline = nil
    }

    /// There is another link, or none: whether it is to end is that one's affair.
    mutating func setLink(up: Bool) {
        isLinkUp = up
        isDisconnectDue = false
        isDisconnecting = false
    }

    mutating func stopReceiving() {
        isReceiving = false
        freshValues = 0
        freshOctets = 0
        progressDeadline = nil
        responseDeadline = nil
    }
}
