/// How long something took in any number of visits, in a fixed room.
///
/// Each millisecond below 8,192 has a counter of its own; above, every doubling of the time has 4,096 counters. So a time that comes out is
/// exact below 8.2 s, and too short by at most one part in 4,096 above: 75 ms in five minutes.
struct AuditHistogram {
    private static let exact: Int64 = 8192
    private static let steps: Int64 = 4096
    /// Doublings up to `longest`.
    private static let doublings: Int64 = 11
    /// In milliseconds: more than four and a half hours. Longer times count as this one; the deadlines of a visit add up to minutes.
    static let longest: Int64 = 1 << 24 - 1

    private(set) var count: UInt64 = 0
    private var counts = [UInt32](repeating: 0, count: Int(Self.exact + Self.doublings * Self.steps))

    mutating func add(_ milliseconds: Int64) {
        let place = Self.place(min(max(0, milliseconds), Self.longest))
        // More visits of one length than a log can have.
        guard counts[place] < .max else { return }
        counts[place] += 1
        count += 1
    }

    /// The least time that so many percent of the visits did not exceed (nearest rank); nil where there are none.
    func percentile(_ percent: UInt64) -> Int64? {
        guard count > 0 else { return nil }
        let rank = max(1, (count * min(percent, 100) + 99) / 100)
        var seen: UInt64 = 0
        for (place, number) in counts.enumerated() {
            seen += UInt64(number)
            if seen >= rank { return Self.time(of: Int64(place)) }
        }
        return nil
    }

    private static func place(_ time: Int64) -> Int {
        guard time >= exact else { return Int(time) }
        let doubling = exact.leadingZeroBitCount - time.leadingZeroBitCount
        return Int(exact + Int64(doubling) * steps + (time >> Int64(doubling + 1)) - steps)
    }

    /// The shortest time that is counted there.
    private static func time(of place: Int64) -> Int64 {
        guard place >= exact else { return place }
        let (doubling, step) = (place - exact).quotientAndRemainder(dividingBy: steps)
        return (steps + step) << (doubling + 1)
    }
}
