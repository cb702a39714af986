import Bluetooth

/// How long a link waits, in milliseconds (aries.md section 1).
///
/// On a slow link what has to travel is waited for longer (`LinkCore.patient`): progress, the answer and the wallet's leaving. Subscribing,
/// the invitation, the holder and the whole message are not: they bound the link.
public struct AriesTiming: Sendable {
    /// From the connection to the subscription.
    public var subscription: UInt64 = 30_000
    /// From the subscription to the first indication: the app registers its listener after its own event of that write.
    public var settling: UInt64 = 300
    /// From the subscription until all of the invitation is confirmed. At the smallest MTU it has some 120 pieces, which take 12 s at an
    /// interval of 50 ms; a stranger who confirms each one late gains no more than this.
    public var invitation: UInt64 = 60_000
    /// From the invitation to the first write: the holder reads and agrees.
    public var consent: UInt64 = 300_000
    /// Without `quota` new octets of the message.
    public var progress: UInt64 = 5_000
    /// Octets that count as progress.
    public var quota = 1_000
    /// From the first write to the end marker, however steadily the pieces dribble in.
    public var transfer: UInt64 = 90_000
    /// From `failed` until the gate says what it has to say to that.
    public var word: UInt64 = 1_000
    /// Until all of the answer is confirmed.
    public var answer: UInt64 = 10_000
    /// For the wallet to disconnect after the answer.
    public var leaving: UInt64 = 2_000
    /// How long one invitation is offered while nobody subscribes, and how much longer whoever has seen it is served: as a Tuvali key.
    public var offer: UInt64 = 600_000
    public var handover: UInt64 = 10_000

    public init() {}

    /// Steps by which the patience with a wallet can be shortened.
    public static var steps: UInt8 { 3 }

    /// The same with less patience, for a link that comes after others that wasted the gate's time. Beyond `steps` there is no less;
    /// nothing gets longer than it was.
    ///
    /// What an honest wallet needs stays in every step. Subscription: an exchange of MTU and some 25 round trips of discovery at up to
    /// 50 ms. The invitation: 120 pieces at 50 ms an interval. Consent: a person. The message: 107 kB, the largest seen, at 8 kB a second
    /// take 14 s, and in 5 s come 40 kB.
    public func shortened(by step: UInt8) -> AriesTiming {
        var timing = self
        switch step {
        case 0: break
        case 1: timing.limit(subscription: 15_000, invitation: 45_000, consent: 150_000, quota: 1_500, transfer: 75_000)
        case 2: timing.limit(subscription: 10_000, invitation: 30_000, consent: 90_000, quota: 2_000, transfer: 60_000)
        default: timing.limit(subscription: 6_000, invitation: 20_000, consent: 90_000, quota: 3_000, transfer: 45_000)
        }
        return timing
    }

    private mutating func limit(subscription: UInt64, invitation: UInt64, consent: UInt64, quota: Int, transfer: UInt64) {
        self.subscription = min(self.subscription, subscription)
        self.invitation = min(self.invitation, invitation)
        self.consent = min(self.consent, consent)
        self.quota = max(self.quota, quota)
        self.transfer = min(self.transfer, transfer)
    }
}

/// The deadline a wallet missed.
public enum AriesDeadline: UInt8, Hashable, Sendable {
    /// It did not subscribe.
    case subscription
    /// It did not confirm all of the invitation.
    case invitation
    /// It wrote nothing.
    case consent
    /// Too few octets of the message came to be progress.
    case progress
    /// The message took too long as a whole.
    case transfer
    /// It did not confirm all of the answer.
    case answer
}
