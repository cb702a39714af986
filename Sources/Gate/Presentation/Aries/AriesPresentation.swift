import AriesTransport
import Bluetooth
import Cryptography
import DIDComm
import Envelopes
import Trust
import Tuvali

/// A presentation of AnonCreds in a DIDComm message: the gate invites, the wallet answers once, and is told the verdict (aries.md).
///
/// How the message comes is apart from what it says: over Bluetooth by the link, or posted on the gate's own network
/// (`AriesPresentation+Post`); it is opened and judged alike (`AriesPresentation+Message`).
public struct AriesPresentation: ~Copyable {
    public var link: AriesLink
    public let wishes: ProofWishes
    let needsPortrait: Bool
    /// Of this visit, until its answer is judged; its key and its thread until the verdict is told.
    var question: AriesQuestion?
    /// What came in answer, unchecked.
    var received: PresentationMessage?
    /// Of a message that was opened: the version that the gate answers in, and who waits for the answer of a posted one.
    var version: ProofVersion?
    var answerKey: EnvelopeRecipient?
    var returnsRoute = false
    /// What the wallet is told where it is not accepted.
    var problem: ProblemCode? = .rejected
    /// The message was posted: no link is this visit's.
    var isPosted = false
    /// Octets of a posted message.
    var postedSize = 0
    /// Until when it may wait to be judged.
    var postUntil: Instant?
    /// Whoever posted waits for a word.
    var owesReply = false
    /// For whoever posted, once it is known.
    var reply: PostReply?
    public internal(set) var counters = PostCounters()
    /// Why nobody can be asked; nil where somebody is, or nobody is to be.
    public private(set) var obstacle: ProofObstacle?
    private var consent = ConsentBar()
    private var shortening: UInt8 = 0
    private var value = AttributeValue()

    /// - Parameters:
    ///   - storage: initialized; the link's for as long as this lives.
    ///   - incoming: `PieceSize.longest` octets for what wallets say.
    ///   - outgoing: `AriesLink.longestOutgoing` octets for what they are told.
    ///   - needsPortrait: faces are compared with portraits.
    public init(
        storage: UnsafeMutablePointer<AriesLinkStorage>, incoming: UnsafeMutableRawBufferPointer, outgoing: UnsafeMutableRawBufferPointer,
        wishes: ProofWishes, needsPortrait: Bool, timing: AriesTiming = AriesTiming()
    ) {
        link = AriesLink(storage: storage, incoming: incoming, outgoing: outgoing, timing: timing)
        self.wishes = wishes
        self.needsPortrait = needsPortrait
    }

    // MARK: the question

    /// Makes the question of the next visit, of whom is believed now; none where nobody can be asked (`obstacle`).
    ///
    /// - Parameter now: seconds since 1970.
    mutating func renew(_ belief: AnonCredsBelief, at now: Seconds) {
        end()
        do throws(ProofObstacle) {
            let plan = try ProofPlan(wishes, belief, needsPortrait: needsPortrait, at: now)
            question = try AriesQuestion(plan, wishes, at: now)
            obstacle = nil
        } catch {
            obstacle = error
        }
    }

    /// What is asked was reckoned on another day than that of `now`, in seconds since 1970.
    func isOfAnotherDay(at now: Seconds) -> Bool {
        switch question {
        case .some(let question): question.dayCount != AriesQuestion.dayCount(now, zone: wishes.zone)
        case .none: false
        }
    }

    /// Lends what the code on the screen says; nil where nobody is asked.
    func withCode<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        switch question {
        case .some(let question): body(question.code.span)
        case .none: nil
        }
    }

    /// By which phones find the gate; nil where none is to.
    var service: UUID? {
        switch question {
        case .some(let question): question.service
        case .none: nil
        }
    }

    // MARK: the verbs of every presentation

    /// Whoever finds the service is invited. False where no phone is.
    mutating func begin(at now: Instant) -> Bool {
        switch question {
        case .some(let question) where question.service != nil:
            do throws(AriesRefusal) {
                try link.begin(question.invitation.span, now: now)
                return true
            } catch {
                return false
            }
        default: return false
        }
    }

    /// - Parameter step: by which the deadlines of the link are shortened.
    mutating func take(_ event: HostEvent, of host: borrowing Host, shortenedBy step: UInt8, at now: Instant) {
        if event == .connected { shortening = step }
        link.take(event, of: host, shortenedBy: step, now: now)
    }

    mutating func step(at now: Instant) -> PresentationStep? {
        while let event = link.nextEvent() {
            switch event {
            case .committed: return .committed
            case .asked: consent.begin(for: link.timing.shortened(by: shortening).consent, at: now)
            case .wantsSpeed:
                consent.end()
                return .wants(.speed)
            case .received:
                consent.end()
                return hear(at: now)
            case .failed(let fault):
                consent.end()
                tell(fault, at: now)
                return .broken(fault)
            case .disconnectNow: return .wants(.rest)
            case .released(let end): return .released(SessionEnd(end))
            case .ended(let end): return .ended(SessionEnd(end))
            }
        }
        return nil
    }

    /// Hands what the wallet has to be told to the link, and finds out whether it listens.
    mutating func push(to host: inout Host, at now: Instant) { link.pump(to: &host, value: &value, now: now) }

    mutating func stop(at now: Instant) -> Bool { !link.isIdle && link.stop(now: now) }

    /// Forgets the visit: nonce, key, message, and everything that came from a wallet.
    mutating func end() {
        if var question = question.take() { question.forget() }
        // Whoever waits does not wait in vain.
        forgetPost()
        consent.end()
        link.reset()
        value.wipe()
    }

    /// As `end`, and nobody who posted is answered any more.
    mutating func wipe() {
        end()
        reply = nil
    }

    // MARK: what is so

    /// When `expire` wants to be called.
    public var deadline: Instant? { Instant.earliest(Instant.earliest(link.deadline, consent.deadline), postDeadline) }

    mutating func expire(at now: Instant) {
        link.expire(now: now)
        consent.expire(at: now)
        expirePost(at: now)
    }

    /// How much of the time for the holder's consent is over, in per cent; nil while nobody is asked.
    public var consentPercent: UInt8? { link.isAsking ? consent.percent : nil }

    /// How much of the message has come, in per cent. How long it will be nobody says before it is there: what such messages have is taken
    /// for it, and all but the last twentieth is the most.
    public var receivedPercent: UInt8? {
        guard link.isReceiving else { return nil }
        return UInt8(min(95, link.received * 100 / expectedSize))
    }

    /// Octets, as measured with the reference wallet: a proof, each predicate, and non-revocation (anoncreds.md section 10); a portrait.
    private var expectedSize: Int {
        let predicates =
            switch question {
            case .some(let question): question.demands.count
            case .none: 0
            }
        return 14_000 + 24_000 * predicates + (needsPortrait ? 40_000 : 0)
    }

    public var report: PresentationReport {
        PresentationReport(
            missed: nil, mtu: isPosted ? 0 : link.attributeMTU, pieces: isPosted ? 0 : link.pieces, checksumFailures: 0,
            size: isPosted ? postedSize : link.received)
    }

    /// Nothing of a visit is left.
    public var isForgotten: Bool {
        let hasQuestion =
            switch question {
            case .some: true
            case .none: false
            }
        let hasMessage =
            switch received {
            case .some: true
            case .none: false
            }
        return !hasQuestion && !hasMessage && link.isIdle && answerKey == nil && link.withMessage { _ in true } == nil
    }
}

extension SessionEnd {
    fileprivate init(_ end: AriesEnd) {
        self =
            switch end {
            case .complete: .complete
            case .walletLeft: .walletLeft
            case .timedOut: .timedOut
            case .failed: .failed
            case .stopped: .stopped
            }
    }
}
