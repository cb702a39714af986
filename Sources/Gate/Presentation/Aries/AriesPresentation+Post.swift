import Cryptography
import DIDComm

/// Messages that are posted on the gate's own network, each as one text (aries.md section 6). Who posts has no link, and can be anybody on
/// that network: what does not open with the visit's key changes nothing.
extension AriesPresentation {
    /// Somebody is asked to post an answer.
    public var awaitsPost: Bool { wishes.endpoint != nil && withCode { _ in true } == true && !isPosted }

    /// Takes the first presentation that opens. What else comes is counted, and the visit goes on: whoever sees the code can seal a message
    /// for its key, and a refusal or nonsense must not take the question from whoever is reading it.
    mutating func take(post octets: Span<UInt8>) -> Opening {
        let opening = open(octets)
        guard case .presented = opening else {
            PostCounters.count(&counters.unopened)
            return opening
        }
        PostCounters.count(&counters.opened)
        isPosted = true
        postedSize = octets.count
        return opening
    }

    /// What whoever posted is told, once.
    mutating func takeReply() -> PostReply? { reply.take() }

    /// The answer in an envelope where the message named a key for it, else plain; nothing where nobody waits for it on the same
    /// connection.
    func posted(_ message: [UInt8]) -> PostReply {
        guard returnsRoute else { return PostReply(octets: []) }
        guard let answerKey else { return PostReply(octets: message) }
        switch question {
        case .none: return PostReply(octets: [])
        case .some(let question):
            do throws(CryptographyError) {
                return PostReply(octets: try Envelope.authcrypt(message.span, for: [answerKey], from: question.key))
            } catch {
                return PostReply(octets: [])
            }
        }
    }
}

/// What came of opening a posted message.
public enum PostOpening: Hashable, Sendable {
    /// It does not open with the key of this visit, or holds no presentation: nothing has changed.
    case unopened(AriesCode)
    /// A presentation lies open, unchecked.
    case presented
}

/// What whoever posted a message is told with the verdict.
public struct PostReply: Hashable, Sendable {
    /// UTF-8 octets of one message, in an envelope or plain; empty where nobody waits for one (`202`).
    public let octets: [UInt8]
}

/// What a listener says at once to whoever has posted.
public enum PostReceipt: Hashable, Sendable {
    /// It is the visit's message: the answer comes with the verdict.
    case taken
    /// It does not open, and nothing has changed.
    case unopened(AriesCode)
    /// Nobody is asked, or somebody has answered already.
    case nobodyAsked
}

/// What was posted since the gate's start.
public struct PostCounters: Hashable, Sendable {
    /// Messages that opened, each the one of its visit.
    public var opened: UInt64 = 0
    /// Others.
    public var unopened: UInt64 = 0

    public init() {}

    static func count(_ counter: inout UInt64) { if counter < .max { counter += 1 } }
}
