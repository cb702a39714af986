import Bluetooth
import Credentials
import Cryptography
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
    }

    /// The kind that somebody has committed to.
    public private(set) var current = Kind.none
    public var tuvali: TuvaliPresentation
    public var code: CodePresentation
    public var mdoc: MdocPresentation

    public init(_ tuvali: consuming TuvaliPresentation, _ code: consuming CodePresentation, _ mdoc: consuming MdocPresentation) {
        self.tuvali = tuvali
        self.code = code
        self.mdoc = mdoc
    }

    /// Whether somebody has taken up the offer, or held up a code.
    public var isCommitted: Bool { current != .none }
    /// A code is judged. Whatever the radio does meanwhile is not of this visit.
    public var isByCode: Bool { current == .code }
    /// A phone's engagement is answered.
    public var isByMdoc: Bool { current == .mdoc }
    /// The visit began before the camera. The gate's own offer, and whoever is connected by it, is not of this visit.
    public var isFromCamera: Bool { isByCode || isByMdoc }

    /// The offer is made: whoever comes first is served. False where something else is under way.
    public mutating func begin(at now: Instant) -> Bool { tuvali.begin(at: now) }

    /// - Parameter step: by which the deadlines of the link are shortened.
    public mutating func take(_ event: HostEvent, of host: borrowing Host, shortenedBy step: UInt8, at now: Instant) {
        if isByMdoc, mdoc.awaitsLink || mdoc.isLinkUp { return mdoc.take(event, of: host, shortenedBy: step, at: now) }
        tuvali.take(event, intervalMicroseconds: host.connectionIntervalMicroseconds, shortenedBy: step, at: now)
    }

    /// The next thing that somebody has to do about what is presented; ask until there is none.
    public mutating func step(at now: Instant) -> PresentationStep? {
        let step = tuvali.step(at: now)
        if step == .committed, current == .none { current = .tuvali }
        return step
    }

    /// Tells whoever presented the verdict. False where nobody waits for one any more.
    public mutating func tell(_ isAccepted: Bool, at now: Instant) -> Bool {
        switch current {
        case .none: false
        case .tuvali: tuvali.tell(isAccepted, at: now)
        // Whoever holds up a code looks at the light; so does whoever holds a phone, which the answer has ended the session for.
        case .code, .mdoc: true
        }
    }

    /// Asks whoever is connected to leave. False where nobody is, and no code is judged.
    public mutating func stop(at now: Instant) -> Bool {
        let isConnected = tuvali.stop(at: now), isAnswering = mdoc.stop(at: now)
        return isConnected || isByCode || isAnswering
    }

    /// What is known of how the message came.
    public var report: PresentationReport {
        switch current {
        case .code: code.report
        case .mdoc:
            PresentationReport(missed: nil, mtu: mdoc.report.mtu, pieces: 0, checksumFailures: 0, size: mdoc.report.size)
        case .none, .tuvali: tuvali.report
        }
    }

    // MARK: the link

    /// The packet goes through the host to whoever is served.
    public mutating func receive(_ packet: borrowing Span<UInt8>, through host: inout Host, at now: Instant) -> HostEvent? {
        mdoc.takesPackets ? mdoc.receive(packet, through: &host, at: now) : tuvali.receive(packet, through: &host, at: now)
    }

    /// What a phone sent before the controller told of its link; ask until there is no event.
    public mutating func receiveEarlyData(through host: inout Host, at now: Instant) -> HostEvent? {
        mdoc.takesPackets ? mdoc.receiveEarlyData(through: &host, at: now) : tuvali.receiveEarlyData(through: &host, at: now)
    }

    /// Hands what has to be told to the link, as fast as it takes it.
    public mutating func push(to host: inout Host, at now: Instant) {
        if isByMdoc { mdoc.pump(to: &host, at: now) }
        tuvali.push(to: &host, at: now)
    }

    /// When `expire` wants to be called.
    public var deadline: Instant? { Instant.earliest(tuvali.session.deadline, mdoc.deadline) }

    public mutating func expire(at now: Instant) {
        tuvali.session.expire(now: now)
        mdoc.expire(at: now)
        code.expire(at: now)
    }

    /// Forgets the visit: its key, its message, everything that came from a phone.
    public mutating func end() {
        current = .none
        tuvali.end()
        code.end()
        mdoc.end()
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

    /// The visit of the code is over.
    ///
    /// - Parameter isLasting: it was rejected, and would be again.
    /// - Returns: whether the code was not rejected so before.
    public mutating func endCode(isLasting: Bool) -> Bool {
        current = .none
        return code.end(isLasting: isLasting)
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
    }
}
