import Bluetooth
import Cryptography
import DIDComm

/// Messages that are posted on the gate's own network, each as one text (aries.md section 6). Who posts has no link, and can be anybody on
/// that network: what does not open with the visit's key changes nothing, and neither does what opens and proves nothing.
extension AriesPresentation {
    /// Somebody is asked to post an answer.
    public var awaitsPost: Bool { wishes.endpoint != nil && withCode { _ in true } == true && !isPosted }

    /// A posted presentation lies open, and nobody has judged it.
    public var hasPost: Bool {
        switch received {
        case .some: isPosted
        case .none: false
        }
    }

    /// Milliseconds for which a message waits to be judged. Its wallet is told by then that it was taken, and the person goes away.
    static var longestWait: UInt64 { 10_000 }

    /// Takes a presentation that opens. What else comes is counted, and nothing changes: whoever sees the code can seal a message for its
    /// key, and a refusal or nonsense must not take the question from whoever is reading it.
    mutating func take(post octets: Span<UInt8>, at now: Instant) -> Opening {
        let opening = open(octets)
        guard case .presented = opening else {
            PostCounters.count(&counters.unopened)
            return opening
        }
        PostCounters.count(&counters.opened)
        (isPosted, owesReply) = (true, true)
        postedSize = octets.count
        postUntil = now.adding(milliseconds: Self.longestWait)
        return opening
    }

    /// When a message has waited too long; nil while none waits.
    var postDeadline: Instant? { hasPost ? postUntil : nil }

    mutating func expirePost(at now: Instant) {
        if let until = postDeadline, now >= until { forgetPost() }
    }

    /// What was posted proves nothing: whoever posted it is told so, and the question stands.
    mutating func refusePost(at now: Instant) {
        _ = tell(false, at: now)
        forgetPost()
    }

    /// Nothing is left of what was posted, and the question stands.
    mutating func forgetPost() {
        if owesReply { (reply, owesReply) = (.gone, false) }
        received = nil
        (version, answerKey, returnsRoute, problem) = (nil, nil, false, .rejected)
        (isPosted, postedSize, postUntil) = (false, 0, nil)
    }

    /// What whoever posted is told, once.
    mutating func takeReply() -> PostReply? { reply.take() }

    /// The answer in an envelope where the message named a key for it, else plain; nothing where nobody waits for it on the same
    /// connection.
    func posted(_ message: [UInt8]) -> PostReply {
        guard returnsRoute else { return .taken }
        guard let answerKey else { return .message(message) }
        switch question {
        case .none: return .taken
        case .some(let question):
            do throws(CryptographyError) {
                return .message(try Envelope.authcrypt(message.span, for: [answerKey], from: question.key))
            } catch {
                return .taken
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

/// What whoever posted a message is told, with the verdict or once there will be none.
public enum PostReply: Hashable, Sendable {
    /// UTF-8 octets of one message, in an envelope or plain.
    case message([UInt8])
    /// There is a verdict, and nobody waits for a message about it, or none can be made.
    case taken
    /// Somebody else came first, or what was asked is asked no more.
    case gone
}

/// What a listener says at once to whoever has posted.
public enum PostReceipt: Hashable, Sendable {
    /// It is looked at: the answer comes with what it is worth.
    case taken
    /// It does not open, and nothing has changed.
    case unopened(AriesCode)
    /// Nobody is asked, somebody has answered already, or nothing is looked at for a while after posts in vain.
    case nobodyAsked
}

/// What was posted since the gate's start.
public struct PostCounters: Hashable, Sendable {
    /// Messages that opened.
    public var opened: UInt64 = 0
    /// Others.
    public var unopened: UInt64 = 0

    public init() {}

    static func count(_ counter: inout UInt64) { if counter < .max { counter += 1 } }
}
