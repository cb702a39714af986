/// How much of what is posted the gate looks at: on a network strangers can always post, and so can whoever took the listener over. What
/// is beyond it waits in the channel, and the radio is served in the meantime.
struct ListenerBudget {
    /// A message costs one, and one more for each of so many octets.
    private static let octetsOfOne = 32 << 10
    /// What may be spent at once: the longest message, and a few small ones beside it.
    private static let most = 24
    /// Nanoseconds until there is one more: two of the longest, or thirty-two small ones, in a second.
    private static let pause: UInt64 = 31_250_000

    private var left = most
    /// Since when `left` is what it is.
    private var since: UInt64 = 0

    /// What was looked at is paid for, also where there was less left.
    mutating func pay(_ octets: Int, at now: UInt64) {
        earn(now)
        left -= 1 + octets / Self.octetsOfOne
    }

    /// When there is something left; nil where there is now.
    mutating func next(_ now: UInt64) -> UInt64? {
        earn(now)
        guard left <= 0 else { return nil }
        return since &+ UInt64(1 - left) &* Self.pause
    }

    private mutating func earn(_ now: UInt64) {
        guard now >= since else { return }
        let earned = (now - since) / Self.pause
        if earned >= UInt64(Self.most - left) {
            (left, since) = (Self.most, now)
        } else {
            left += Int(earned)
            since += earned * Self.pause
        }
    }
}
