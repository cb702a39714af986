/// The places of those whose request is read or judged, and who gets one (aries.md section 6: four at once).
///
/// On a network anybody may connect, again and again, and say nothing. What bounds it is not how long a request may take, but how long a
/// place is safe from the next who comes:
///
/// 1. Nobody has more than two places.
/// 2. A second place is lent: whoever has none takes it.
/// 3. While others wait, a place is safe for five seconds of reading. Then the one that has been read longest makes room.
/// 4. What is whole, and waits for the gate, is safe: that is bounded by the gate.
public struct Places: Hashable, Sendable {
    public enum Admission: Hashable, Sendable {
        /// There was a free place: its number.
        case free(Int)
        /// Whoever has this place is answered that there is none, and it is the newcomer's.
        case instead(of: Int)
        case refused
    }

    private struct Holder: Hashable, Sendable {
        let network: ClientNetwork
        let since: UInt64
        var isWhole = false
    }

    public static var count: Int { 4 }
    public static var mostOfOne: Int { 2 }
    /// Nanoseconds of reading.
    public static var safeTime: UInt64 { 5_000_000_000 }

    private var holders = [Holder?](repeating: nil, count: Places.count)

    public init() {}

    /// Finds a place for somebody new, and notes who has it.
    ///
    /// - Parameter now: nanoseconds of a clock that does not turn back.
    public mutating func admit(_ network: ClientNetwork, at now: UInt64) -> Admission {
        let own = holders.count { $0?.network == network }
        guard own < Self.mostOfOne else { return .refused }
        if let index = holders.firstIndex(of: nil) {
            holders[index] = Holder(network: network, since: now)
            return .free(index)
        }
        guard let index = (own == 0 ? lent : nil) ?? oldest(at: now) else { return .refused }
        holders[index] = Holder(network: network, since: now)
        return .instead(of: index)
    }

    /// Its request is whole: nobody takes its place any more.
    public mutating func keep(_ index: Int) {
        guard holders.indices.contains(index) else { return }
        holders[index]?.isWhole = true
    }

    public mutating func leave(_ index: Int) {
        guard holders.indices.contains(index) else { return }
        holders[index] = nil
    }

    /// The later of two places of one network, if it is still read.
    private var lent: Int? {
        holders.indices.filter { index in
            guard let holder = holders[index], !holder.isWhole else { return false }
            return holders.indices.contains { other in
                guard other != index, let first = holders[other], first.network == holder.network else { return false }
                return first.isWhole || (first.since, other) < (holder.since, index)
            }
        }.min { since($0) < since($1) }
    }

    private func oldest(at now: UInt64) -> Int? {
        holders.indices.filter { index in
            guard let holder = holders[index], !holder.isWhole else { return false }
            return now >= holder.since &+ Self.safeTime
        }.min { since($0) < since($1) }
    }

    private func since(_ index: Int) -> UInt64 { holders[index]?.since ?? .max }
}
