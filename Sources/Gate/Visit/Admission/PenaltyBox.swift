import Bluetooth
import Tuvali

/// What the gate remembers of abandoned links: their addresses, for minutes and in memory only, and how much of the gate's time has gone
/// to nobody. A link was abandoned when it ended before a message opened, or nobody was let in after some seconds.
///
/// By address: whoever keeps abandoning links is sent away at once, for longer each time. By progress: the more time went to nobody,
/// whatever their addresses, the less patience the next link meets.
struct PenaltyBox: ~Copyable {
    struct Entry {
        fileprivate var address = DeviceAddress()
        /// Abandoned links; 0 in a free place.
        fileprivate var count: UInt8 = 0
        fileprivate var last = Instant(nanoseconds: 0)
    }

    /// Addresses remembered at the most.
    static var capacity: Int { 32 }

    private let entries: UnsafeMutableBufferPointer<Entry>
    private var wasted: UInt64 = 0
    private var wastedAt = Instant(nanoseconds: 0)

    /// - Parameter entries: lent; of `capacity`, initialized, and of nobody else's use for as long as the box is there.
    init(_ entries: UnsafeMutableBufferPointer<Entry>) { self.entries = entries }

    /// Abandoned links of an address that cost it nothing: a phone that walked off, and the person who tries again.
    static var free: UInt8 { 3 }
    /// An address is sent away for 2 s after one more than those, for twice as long after each further one, up to a minute.
    static var firstMilliseconds: UInt64 { 2_000 }
    static var longestMilliseconds: UInt64 { 60_000 }
    /// An address has one abandoned link less after each minute without another: resolvable private addresses change every
    /// quarter of an hour, and a new owner of an old one starts anew.
    static var forgetMilliseconds: UInt64 { 60_000 }
    /// The last count that lengthens anything: 3 free ones, then 2, 4, 8, 16, 32 and 60 s.
    private static var mostCounted: UInt8 { 9 }

    /// Time that went to nobody counts in units of this, and one unit is forgiven for each that passes.
    static var unitMilliseconds: UInt64 { 30_000 }
    /// Units to each step of `SessionTiming.shortened`.
    static var unitsPerStep: UInt64 { 3 }
    /// The most units of one link: one person who took long does not take the patience with everybody.
    static var mostUnitsOfOne: UInt64 { 4 }
    /// A visit that was rejected sooner is no loss to anybody.
    static var promptMilliseconds: UInt64 { 5_000 }
    /// Patience is back six minutes after the last abandoned link at the latest.
    static var mostUnits: UInt64 { 12 }

    // MARK: by address

    /// Whether whoever connects from this address is sent away.
    func isRefused(_ address: DeviceAddress, at now: Instant) -> Bool {
        guard let index = index(of: address) else { return false }
        return now.milliseconds(since: entries[index].last) < Self.refusalMilliseconds(entries[index].count)
    }

    /// How long an address with so many abandoned links is sent away after the last.
    static func refusalMilliseconds(_ count: UInt8) -> UInt64 {
        count <= free ? 0 : min(firstMilliseconds << UInt64(min(count - free - 1, 8)), longestMilliseconds)
    }

    // MARK: by progress

    /// The step by which a link that begins now has its deadlines shortened.
    func step(at now: Instant) -> UInt8 {
        UInt8(truncatingIfNeeded: min(units(at: now) / Self.unitsPerStep, UInt64(SessionTiming.steps)))
    }

    private func units(at now: Instant) -> UInt64 {
        let forgiven = now.milliseconds(since: wastedAt) / Self.unitMilliseconds
        return wasted - min(wasted, forgiven)
    }

    // MARK: what happened

    /// A link of `held` milliseconds was abandoned. Short ones count as one unit each: they come in floods. `address` is nil
    /// where it is nobody's for sure.
    mutating func countAbandoned(_ address: DeviceAddress?, held: UInt64, at now: Instant) {
        // The time the link itself took forgives nothing.
        let passed = now.milliseconds(since: wastedAt)
        let forgiven = (passed - min(passed, held)) / Self.unitMilliseconds
        wasted = min(wasted - min(wasted, forgiven) + min(1 + held / Self.unitMilliseconds, Self.mostUnitsOfOne), Self.mostUnits)
        wastedAt = now
        guard let address else { return }
        let index = index(of: address) ?? leastRemembered(at: now)
        let before = entries[index].address == address ? count(at: index, now) : 0
        entries[index] = Entry(address: address, count: min(before + 1, Self.mostCounted), last: now)
    }

    /// Somebody was let in: patience is back for everybody, and the address is forgotten.
    ///
    /// Only that. A rejected credential clears nothing and, within some seconds, counts against nobody: it is an honest
    /// end, but any stranger can bring it about with one chunk of nonsense under the key that is on the air.
    mutating func welcome(_ address: DeviceAddress?) {
        wasted = 0
        if let address, let index = index(of: address) { entries[index] = Entry() }
    }

    mutating func forget() {
        for index in 0..<entries.count { entries[index] = Entry() }
        wasted = 0
    }

    // MARK: the ring

    private func index(of address: DeviceAddress) -> Int? {
        for index in 0..<entries.count where entries[index].count > 0 && entries[index].address == address { return index }
        return nil
    }

    /// Abandoned links of a place, less what time has forgiven.
    private func count(at index: Int, _ now: Instant) -> UInt8 {
        let forgiven = now.milliseconds(since: entries[index].last) / Self.forgetMilliseconds
        return entries[index].count - UInt8(truncatingIfNeeded: min(UInt64(entries[index].count), forgiven))
    }

    /// The place to use for an address that has none: whoever changes the address for each link overwrites only such
    /// strangers, never those who keep coming back.
    private func leastRemembered(at now: Instant) -> Int {
        var least = 0
        for index in 1..<entries.count {
            let (count, leastCount) = (count(at: index, now), count(at: least, now))
            if count < leastCount || count == leastCount && entries[index].last < entries[least].last { least = index }
        }
        return least
    }
}
