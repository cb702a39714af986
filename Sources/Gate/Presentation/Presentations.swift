import Bluetooth
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
    }

    /// The kind that somebody has committed to.
    public private(set) var current = Kind.none
    public var tuvali: TuvaliPresentation

    public init(_ tuvali: consuming TuvaliPresentation) { self.tuvali = tuvali }

    /// Whether somebody has taken up the offer.
    public var isCommitted: Bool { current != .none }

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
        if step == .committed { current = .tuvali }
        return step
    }

    /// Tells whoever presented the verdict. False where nobody waits for one any more.
    public mutating func tell(_ isAccepted: Bool, at now: Instant) -> Bool {
        switch current {
        case .none: false
        case .tuvali: tuvali.tell(isAccepted, at: now)
        }
    }

    /// Asks whoever is connected to leave. False where nobody is.
    public mutating func stop(at now: Instant) -> Bool { tuvali.stop(at: now) }

    /// Forgets the visit: its key, its message, everything that came from a phone.
    public mutating func end() {
        current = .none
        tuvali.end()
    }

    /// As `end`, and nothing stays in any buffer.
    public mutating func wipe() {
        current = .none
        tuvali.wipe()
    }
}
