import Bluetooth

/// How soon the next code is looked into, after codes that came to nothing.
///
/// A code has no address, and whoever holds the next one is most often somebody else. So only codes that were not rejected before count (a
/// poster that is read again and again costs nobody anything), those of a credential that an issuer signed only where they kept phones
/// away, and the wait is at most a quarter of a minute: a stranger who leaves is forgotten before the next visitor is impatient.
struct CodePatience {
    private var count: UInt8 = 0
    private var last = Instant(nanoseconds: 0)

    /// As long as an address waits after as many links, but never longer.
    static var longestMilliseconds: UInt64 { 16_000 }
    /// 3 free ones, then 2, 4, 8 and 16 s.
    private static var mostCounted: UInt8 { 7 }

    /// Codes are not looked into: the next one, that is still there when this is over, is.
    func isPaused(at now: Instant) -> Bool {
        now.milliseconds(since: last) < min(PenaltyBox.refusalMilliseconds(count), Self.longestMilliseconds)
    }

    mutating func countFruitless(at now: Instant) {
        let forgiven = now.milliseconds(since: last) / PenaltyBox.unitMilliseconds
        let before = count - UInt8(truncatingIfNeeded: min(UInt64(count), forgiven))
        (count, last) = (min(before + 1, Self.mostCounted), now)
    }

    /// Somebody was let in, or the gate forgets.
    mutating func forget() { count = 0 }
}
