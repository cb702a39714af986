import AnonCreds
import AriesTransport
import Bluetooth
import Cryptography
import DIDComm
import Envelopes
import Trust

/// What a message says and what it is worth, however it came (aries.md sections 2 and 3).
extension AriesPresentation {
    /// What came out of a message.
    enum Opening {
        /// A presentation lies open, unchecked.
        case presented
        case declined
        /// It is no answer to the question.
        ///
        /// - Parameter isForUs: it was made with the key of this visit.
        case fault(AriesCode, isForUs: Bool)
    }

    /// Opens a message for this visit, in the visit's one key.
    mutating func open(_ octets: Span<UInt8>) -> Opening {
        guard let question = question.take() else { return .fault(.envelopeNotForUs, isForUs: false) }
        let reading = AriesReading(octets, for: question)
        self.question = consume question
        switch consume reading {
        case .declined: return .declined
        case .fault(let code, let isForUs): return .fault(code, isForUs: isForUs)
        case .presentation(let message):
            (version, answerKey, returnsRoute) = (message.version, message.answerKey, message.returnsRoute)
            received = consume message
            return .presented
        }
    }

    /// The whole message of a wallet on the link is there.
    mutating func hear(at now: Instant) -> PresentationStep {
        let octets: [UInt8] = link.withMessage { message in message.withUnsafeBufferPointer { Array($0) } } ?? []
        switch open(octets.span) {
        case .presented: return .presented
        case .declined:
            // There is no answer to that (aries.md section 3).
            link.close(now: now)
            return .declined
        case .fault(let code, _):
            problem = ProblemCode(code)
            return .unread(code)
        }
    }

    /// What the presentation is worth. Its octets are wiped by that, and so is the nonce: there is no second answer. Only where somebody
    /// has posted what proves nothing, the question stands: the nonce is on the screen, and a stranger must not take it from whoever is
    /// reading it.
    ///
    /// - Parameters:
    ///   - belief: whom to believe.
    ///   - now: seconds since 1970.
    ///   - hasEnded: whether there is no more time for it; asked often.
    public mutating func finding(
        by belief: AnonCredsBelief, at now: Seconds, hasEnded: @escaping () -> Bool
    ) -> ProofFinding {
        guard let message = received.take(), var question = question.take() else {
            return .reject(.message(.attachmentMalformed), nil)
        }
        let judgement = ProofJudgement(wishes: wishes, demands: question.demands, belief: belief, needsPortrait: needsPortrait, now: now)
        let finding = Self.judge(message, question.content, judgement, at: now, hasEnded: hasEnded)
        if !isPosted || finding.isOfGenuineCredential { question.forget() }
        self.question = consume question
        if case .reject(let reason, _) = finding { problem = reason.problem }
        return finding
    }

    private static func judge(
        _ message: borrowing PresentationMessage, _ content: [UInt8], _ judgement: ProofJudgement, at now: Seconds,
        hasEnded: @escaping () -> Bool
    ) -> ProofFinding {
        let request: AnonCreds.PresentationRequest
        do throws(RequestFault) { request = try .init(parsing: content.span) } catch { return .reject(.presentation(.unavailable), nil) }
        let verifier = AnonCredsVerifier(context: judgement.belief.context)
        return message.attachment.withOctets { octets in
            do throws(PresentationReason) {
                return judgement.finding(try verifier.verify(octets, for: request, now: now, hasEnded: hasEnded))
            } catch {
                return .reject(.presentation(error), nil)
            }
        }
    }

    // MARK: the answer

    /// Tells the wallet the verdict. False where nobody waits for one any more.
    mutating func tell(_ isAccepted: Bool, at now: Instant) -> Bool {
        guard let octets = answer(isAccepted: isAccepted) else {
            guard isPosted else { return link.close(now: now) }
            // No message can be made, and whoever posted waits all the same.
            (reply, owesReply) = (.taken, false)
            return true
        }
        guard isPosted else { return link.answer(octets.span, now: now) }
        reply = posted(octets)
        owesReply = false
        return true
    }

    /// A wallet whose message did not come is told so, where it listens.
    mutating func tell(_ fault: AriesFault, at now: Instant) {
        switch fault {
        case .timedOut: problem = .expired
        case .messageTooLarge: problem = .tooLarge
        case .messageMalformed: problem = .malformed
        }
        if let octets = answer(isAccepted: false) { _ = link.answer(octets.span, now: now) }
    }

    /// An ack, or a problem report with a coarse code. Nil where nobody is to be told, and without randomness.
    private func answer(isAccepted: Bool) -> [UInt8]? {
        switch question {
        case .none: return nil
        case .some(let question):
            guard let identifier = try? MessageIdentifier().description else { return nil }
            let version = version ?? question.version
            if isAccepted { return Acknowledgement(identifier: identifier, version: version, thread: question.thread).text }
            guard let problem else { return nil }
            return ProblemReport(identifier: identifier, version: version, thread: question.thread, problem).text
        }
    }
}

/// What came out of a message, with the presentation's octets.
private enum AriesReading: ~Copyable {
    case presentation(PresentationMessage)
    case declined
    case fault(AriesCode, isForUs: Bool)

    init(_ octets: Span<UInt8>, for question: borrowing AriesQuestion) {
        let opened: OpenedEnvelope
        do throws(EnvelopeFault) {
            opened = try Envelope(parsing: octets).open(by: question.key)
        } catch {
            self = .fault(error.code, isForUs: false)
            return
        }
        let thread = question.thread
        self = opened.message.withOctets { text in Self.read(text, thread) }
    }

    private static func read(_ text: Span<UInt8>, _ thread: MessageThread) -> AriesReading {
        do throws(WalletMessageFault) {
            switch try WalletMessage.read(text, answering: thread) {
            case .presentation(let message): return .presentation(message)
            case .declined: return .declined
            }
        } catch {
            return .fault(error.code, isForUs: true)
        }
    }
}
