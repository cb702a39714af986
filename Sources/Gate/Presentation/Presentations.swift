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
    }

    /// The kind that somebody has committed to.
    public private(set) var current = Kind.none
    public var tuvali: TuvaliPresentation
    public var code: CodePresentation

    public init(_ tuvali: consuming TuvaliPresentation, _ code: consuming CodePresentation) {
        self.tuvali = tuvali
        self.code = code
    }

    /// Whether somebody has taken up the offer, or held up a code.
    public var isCommitted: Bool { current != .none }
    /// A code is judged. Whatever the radio does meanwhile is not of this visit.
    public var isByCode: Bool { current == .code }

    /// The offer is made: whoever comes first is served. False where something else is under way.
    public mutating func begin(at now: Instant) -> Bool { tuvali.begin(at: now) }

    /// - Parameters:
    ///   - intervalMicroseconds: of the link.
    ///   - step: by which its deadlines are shortened.
    public mutating func take(_ event: HostEvent, intervalMicroseconds: UInt64, shortenedBy step: UInt8, at now: Instant) {
        tuvali.take(event, intervalMicroseconds: intervalMicroseconds, shortenedBy: step, at: now)
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
        // Whoever holds up a code looks at the light.
        case .code: true
        }
    }

    /// Asks whoever is connected to leave. False where nobody is, and no code is judged.
    public mutating func stop(at now: Instant) -> Bool {
        let isConnected = tuvali.stop(at: now)
        return isConnected || isByCode
    }

    /// What is known of how the message came.
    public var report: PresentationReport { isByCode ? code.report : tuvali.report }

    /// Forgets the visit: its key, its message, everything that came from a phone.
    public mutating func end() {
        current = .none
        tuvali.end()
        code.end()
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

    /// As `end`, and nothing stays in any buffer.
    public mutating func wipe() {
        current = .none
        tuvali.wipe()
        code.wipe()
    }
}
