import AriesTransport
import Bluetooth
import Credentials
import Cryptography
import Envelopes
import Trust
import Tuvali

/// How credentials come in and how verdicts go back. Every kind is there from the start and one is in use: no allocation, no existential.
///
/// Each kind has the same verbs, by convention: `begin`, `take` an event of the host's, `step`, `tell` the verdict, `stop` and `end`. (A
/// noncopyable enum with payloads cannot be changed in place by a `switch`: hence a struct with a tag.)
public struct Presentations: ~Copyable {
    public enum Kind: UInt8, Sendable {
        /// Whatever is offered may still begin.
        case none
        case tuvali
        case code
        case mdoc
        case aries
        case trustedKey
    }

    /// The kind that somebody has committed to.
    public private(set) var current = Kind.none
    public var tuvali: TuvaliPresentation
    public var code: CodePresentation
    public var mdoc: MdocPresentation
    public var aries: AriesPresentation
    public var trustedKey: TrustedKeyPresentation
    /// Until somebody has committed, Tuvali's session says what becomes of the offer and its link; else the link of DIDComm.
    private var isLedByTuvali = true

    public init(
        _ tuvali: consuming TuvaliPresentation, _ code: consuming CodePresentation, _ mdoc: consuming MdocPresentation,
        _ aries: consuming AriesPresentation, _ trustedKey: consuming TrustedKeyPresentation
    ) {
        self.tuvali = tuvali
        self.code = code
        self.mdoc = mdoc
        self.aries = aries
        self.trustedKey = trustedKey
    }

    /// Whether somebody has taken up the offer, or held up a code.
    public var isCommitted: Bool { current != .none }
    /// A code is judged. Whatever the radio does meanwhile is not of this visit.
    public var isByCode: Bool { current == .code }
    /// A phone's engagement is answered.
    public var isByMdoc: Bool { current == .mdoc }
    /// A wallet was asked for a proof.
    public var isByAries: Bool { current == .aries }
    /// The answer of a Trusted Key wallet is judged, whatever brought it.
    public var isByTrustedKey: Bool { current == .trustedKey }
    /// A proof came by the gate's own network.
    public var isByPost: Bool { isByAries && aries.isPosted }
    /// It came whole, and is judged: no radio is part of the visit, and nobody has to hear its verdict before the next.
    public var isWhole: Bool { isByCode || isByPost || isByTrustedKey }
    /// What is judged came by the gate's own network: nobody has to stand there.
    public var isFromNetwork: Bool { isByPost || isByTrustedKey && trustedKey.carrier == .network }
    /// The visit began before the camera, or on the gate's own network. The gate's own offer over the radio, and whoever is connected by
    /// it, is not of this visit.
    public var isFromCamera: Bool { isWhole || isByMdoc }

    /// By which wallets of DIDComm find the gate; nil where none is to.
    public var service: UUID? { aries.service }

    /// The question of the next visit is made, of whom is believed now: the code of it is lent then.
    ///
    /// - Parameter now: seconds since 1970.
    public mutating func renewQuestion(_ belief: AnonCredsBelief, at now: Seconds) { aries.renew(belief, at: now) }

    /// What is asked was reckoned on another day: of dates it proves too little, or soon will.
    ///
    /// - Parameter now: seconds since 1970.
    public func isQuestionOfAnotherDay(at now: Seconds) -> Bool { aries.isOfAnotherDay(at: now) }

    /// What the code of the question says; empty where nobody can be asked. The caller wipes it.
    public func questionText() -> [UInt8] { aries.withCode { text in text.withUnsafeBufferPointer { Array($0) } } ?? [] }

    /// The offer is made: whoever comes first is served. False where something else is under way.
    ///
    /// - Parameter settings: what is offered.
    public mutating func begin(_ settings: OfferSettings, at now: Instant) -> Bool {
        let isAriesWaiting = settings.kinds.contains(.aries) && aries.begin(at: now)
        // Where nobody comes by radio, its session tells the time of the offer all the same.
        isLedByTuvali = settings.kinds.contains(.tuvali) || !isAriesWaiting
        return isLedByTuvali ? tuvali.begin(sharesLink: isAriesWaiting, at: now) : true
    }

    /// Whoever comes is served: nobody has come yet.
    public var isOffering: Bool { isLedByTuvali ? tuvali.session.isAdvertising : aries.link.isWaiting }

    /// - Parameter step: by which the deadlines of the link are shortened.
    public mutating func take(_ event: HostEvent, of host: borrowing Host, shortenedBy step: UInt8, at now: Instant) {
        if isByMdoc, mdoc.awaitsLink || mdoc.isLinkUp { return mdoc.take(event, of: host, shortenedBy: step, at: now) }
        tuvali.take(event, intervalMicroseconds: host.connectionIntervalMicroseconds, shortenedBy: step, at: now)
        aries.take(event, of: host, shortenedBy: step, at: now)
    }

    /// The next thing that somebody has to do about what is presented; ask until there is none.
    public mutating func step(at now: Instant) -> PresentationStep? {
        while let step = tuvali.step(at: now) {
            if step == .committed, current == .none {
                current = .tuvali
                // Its invitation serves nobody any more.
                aries.end()
            }
            return step
        }
        while let step = aries.step(at: now) {
            if step == .committed, current == .none {
                current = .aries
                // The link goes on, as the other's.
                tuvali.end()
                return step
            }
            // Before that, what becomes of the link is told once.
            if current == .none, isLedByTuvali { continue }
            return step
        }
        return nil
    }

    /// Tells whoever presented the verdict. False where nobody waits for one any more.
    public mutating func tell(_ isAccepted: Bool, at now: Instant) -> Bool {
        switch current {
        case .none: false
        case .tuvali: tuvali.tell(isAccepted, at: now)
        case .aries: aries.tell(isAccepted, at: now)
        // Whoever holds up a code looks at the light; so does whoever holds a phone, which the answer has ended the session for.
        case .code, .mdoc: true
        case .trustedKey: trustedKey.tell(isAccepted)
        }
    }

    /// Asks whoever is connected to leave. False where nobody is, and no code is judged.
    public mutating func stop(at now: Instant) -> Bool {
        let isConnected = stopOffer(at: now), isAnswering = mdoc.stop(at: now)
        return isConnected || isWhole || isAnswering
    }

    /// Asks whoever is connected by the gate's own offer to leave. False where nobody is.
    public mutating func stopOffer(at now: Instant) -> Bool {
        let isTuvaliConnected = tuvali.stop(at: now), isAriesConnected = aries.stop(at: now)
        return isTuvaliConnected || isAriesConnected
    }

    /// What is known of how the message came.
    public var report: PresentationReport {
        switch current {
        case .code: code.report
        case .aries: aries.report
        case .mdoc:
            PresentationReport(missed: nil, mtu: mdoc.report.mtu, pieces: 0, checksumFailures: 0, size: mdoc.report.size)
        case .trustedKey: trustedKey.report
        case .none, .tuvali: tuvali.report
        }
    }

    // MARK: the link

    /// The packet goes through the host to whoever is served.
    public mutating func receive(_ packet: borrowing Span<UInt8>, through host: inout Host, at now: Instant) -> HostEvent? {
        if mdoc.takesPackets { return mdoc.receive(packet, through: &host, at: now) }
        if aries.link.isIdle { return tuvali.receive(packet, through: &host, at: now) }
        advance(to: now)
        let event = host.receive(packet, now: now, to: &self)
        advance(to: now, intervalMicroseconds: host.connectionIntervalMicroseconds)
        return event
    }

    /// What a phone sent before the controller told of its link; ask until there is no event.
    public mutating func receiveEarlyData(through host: inout Host, at now: Instant) -> HostEvent? {
        if mdoc.takesPackets { return mdoc.receiveEarlyData(through: &host, at: now) }
        if aries.link.isIdle { return tuvali.receiveEarlyData(through: &host, at: now) }
        advance(to: now, intervalMicroseconds: host.connectionIntervalMicroseconds)
        return host.receiveEarlyData(now: now, to: &self)
    }

    private mutating func advance(to now: Instant, intervalMicroseconds: UInt64? = nil) {
        tuvali.session.advance(to: now, intervalMicroseconds: intervalMicroseconds)
        aries.link.advance(to: now, intervalMicroseconds: intervalMicroseconds)
    }

    /// Hands what has to be told to the link, as fast as it takes it.
    public mutating func push(to host: inout Host, at now: Instant) {
        if isByMdoc { mdoc.pump(to: &host, at: now) }
        pushOffer(to: &host, at: now)
    }

    /// The same for whoever came by the gate's own offer.
    public mutating func pushOffer(to host: inout Host, at now: Instant) {
        tuvali.push(to: &host, at: now)
        // The table of an engagement may have another value in the place of the invitation's.
        if !mdoc.hasTable { aries.push(to: &host, at: now) }
    }

    /// When `expire` wants to be called.
    public var deadline: Instant? { Instant.earliest(Instant.earliest(tuvali.session.deadline, aries.deadline), mdoc.deadline) }

    public mutating func expire(at now: Instant) {
        tuvali.session.expire(now: now)
        mdoc.expire(at: now)
        code.expire(at: now)
        aries.expire(at: now)
    }

    /// The controller is lost under a visit that needs none: the offer is over. A posted message is judged all the same.
    public mutating func radioLost() {
        tuvali.end()
        if !isByPost { aries.end() }
    }

    /// Forgets the visit: its key, its message, everything that came from a phone.
    public mutating func end() {
        current = .none
        tuvali.end()
        code.end()
        mdoc.end()
        aries.end()
        trustedKey.end()
    }

    // MARK: a code

    /// The code's text is taken up: until its verdict nothing else begins.
    public mutating func commit(_ text: Span<UInt8>, _ credential: consuming ReceivedCredential, at now: Instant) {
        current = .code
        code.commit(text, credential, at: now)
    }

    /// The same, to be refused by name.
    public mutating func commit(_ text: Span<UInt8>, refused reason: RejectReason, isEngagement: Bool, at now: Instant) {
        current = .code
        code.commit(text, refused: reason, isEngagement: isEngagement, at: now)
    }

    /// The visit of the code, of a wallet's answer or of a posted message is over; so is the offer that a message answered.
    ///
    /// - Parameter isLasting: it was rejected, and would be again.
    /// - Returns: whether the code was not rejected so before.
    public mutating func endCode(isLasting: Bool) -> Bool {
        let isPosted = isByPost
        current = .none
        trustedKey.end()
        guard isPosted else { return code.end(isLasting: isLasting) }
        tuvali.end()
        aries.end()
        return true
    }

    // MARK: an answer

    /// The answer in a code is taken up, whatever it is worth: until its verdict nothing else begins.
    public mutating func commit(answer text: Span<UInt8>, at now: Instant) {
        current = .trustedKey
        code.note(answer: text, at: now)
        trustedKey.commit(text, at: now)
    }

    /// The same of one that was sent, and is judged.
    ///
    /// - Parameter size: octets of what was sent.
    public mutating func commit(_ finding: TrustedKeyFinding, size: Int) {
        current = .trustedKey
        trustedKey.commit(finding, size: size)
    }

    // MARK: an engagement

    /// The engagement of a phone is taken up, or refused: until the visit is over nothing else begins.
    ///
    /// - Parameters:
    ///   - canAdvertise, canConnect: what the controller is able to do.
    public mutating func commit(engagement text: Span<UInt8>, canAdvertise: Bool, canConnect: Bool, at now: Instant) {
        current = .mdoc
        code.note(engagement: text, at: now)
        mdoc.commit(text, canAdvertise: canAdvertise, canConnect: canConnect, at: now)
    }

    /// The next thing that has come of the engagement; ask until there is none.
    public mutating func mdocStep() -> MdocProgress? { isByMdoc ? mdoc.step() : nil }

    /// The controller is lost. What has been answered already needs none.
    public mutating func mdocRadioLost(at now: Instant) { mdoc.radioLost(at: now) }

    /// The visit of the engagement is over.
    public mutating func endMdoc() {
        current = .none
        mdoc.end()
        _ = code.end(isLasting: false)
    }

    /// As `end`, and nothing stays in any buffer.
    public mutating func wipe() {
        current = .none
        tuvali.wipe()
        code.wipe()
        mdoc.end()
        aries.wipe()
        trustedKey.wipe()
    }

    // MARK: a posted message

    /// Opens a message that was posted. It is no visitor's before a proof in it has held, and nothing waits for that.
    public mutating func open(post octets: Span<UInt8>, at now: Instant) -> PostOpening {
        switch aries.take(post: octets, at: now) {
        case .fault(let code, _): return .unopened(code)
        case .declined: return .unopened(.declined)
        case .presented: return .presented
        }
    }

    /// A posted message waits to be judged, and nobody has taken up the offer.
    public var hasPost: Bool { current == .none && aries.hasPost }

    /// What was posted is a visitor's: until its verdict is told nothing else begins.
    public mutating func commitPost() { current = .aries }

    /// What was posted proves nothing: whoever posted it is told so, and all else goes on.
    public mutating func refusePost(at now: Instant) { aries.refusePost(at: now) }

    /// What whoever posted the message is told, once.
    public mutating func takePostReply() -> PostReply? { aries.takeReply() }
}

/// What phones write goes to the service that it is written to.
extension Presentations: HostApplication {
    public mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError? {
        AriesService.owns(handle) ? aries.link.read(handle, into: &value) : tuvali.session.read(handle, into: &value)
    }

    public mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError? {
        AriesService.owns(handle)
            ? aries.link.write(handle, value, isCommand: isCommand) : tuvali.session.write(handle, value, isCommand: isCommand)
    }
}
