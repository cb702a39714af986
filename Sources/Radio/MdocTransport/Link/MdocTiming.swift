/// How long a link waits, in milliseconds (mdoc.md sections 2.2, 2.3 and 5).
public struct MdocTiming: Sendable {
    /// From the engagement to a link, by whatever way.
    public var seeking: UInt64 = 30_000
    /// By the first way, where there is a second.
    public var firstWay: UInt64 = 8_000
    /// From `connect` to a link, or to the word that there is none. The host is given 2 s to connect and one to give it up.
    public var connecting: UInt64 = 3_000
    /// How often a phone that was found is connected to.
    public var attempts = 3
    /// From the link until messages may go.
    public var opening: UInt64 = 10_000
    /// For the channel, of that; then a GATT client begins, with all its time.
    public var channel: UInt64 = 5_000
    /// From the opening until the request is handed over, and from there until all of it is on its way.
    public var sending: UInt64 = 5_000
    /// From the request to the first octet of an answer: a person reads, unlocks and agrees. Never below `leastAnswer`.
    public var answer: UInt64 = 300_000
    /// Without `quota` values or `quotaOctets` octets of an answer that has begun.
    public var progress: UInt64 = 10_000
    public var quota = 16
    public var quotaOctets = 2_048
    /// From the first octet of an answer to its last, however steadily they dribble in.
    public var response: UInt64 = 120_000
    /// For the last word to leave.
    public var word: UInt64 = 1_000
    /// For the phone to leave, once it was told or has told.
    public var leaving: UInt64 = 1_000

    public init() {}

    /// What a person needs at the least to decide.
    public static var leastAnswer: UInt64 { 60_000 }
    /// Steps by which the patience with a phone can be shortened.
    public static var steps: UInt8 { 3 }

    /// The same with less patience, for a link that comes after others that wasted the gate's time. Beyond `steps` there is no less;
    /// nothing gets longer than it was.
    ///
    /// What an honest phone needs stays in every step. Opening: an exchange of MTU and some 25 round trips of discovery at up to 50 ms,
    /// twice over. An answer: a person. The whole of one: 60 kB at MTU 185 and 50 values a second take 7 s.
    public func shortened(by step: UInt8) -> MdocTiming {
        var timing = self
        switch step {
        case 0: break
        case 1: timing.limit(opening: 8_000, answer: 150_000, quota: 24, response: 90_000)
        case 2: timing.limit(opening: 6_000, answer: 90_000, quota: 36, response: 60_000)
        default: timing.limit(opening: 4_000, answer: Self.leastAnswer, quota: 50, response: 40_000)
        }
        return timing
    }

    private mutating func limit(opening: UInt64, answer: UInt64, quota: Int, response: UInt64) {
        self.opening = min(self.opening, opening)
        self.channel = min(channel, opening)
        self.answer = min(self.answer, answer)
        self.quota = max(self.quota, quota)
        self.response = min(self.response, response)
    }
}
