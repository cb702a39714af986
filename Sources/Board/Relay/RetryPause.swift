/// How long nothing is tried after trouble: up to half a second, doubling to a minute. How much of it, chance decides: a thousand gates
/// that lose one broker in one moment must not come back in one.
package struct RetryPause: Hashable, Sendable {
    /// Nanoseconds.
    package static let first: UInt64 = 500_000_000
    package static let most: UInt64 = 60_000_000_000
    /// No pause is shorter, whatever chance says.
    package static let least: UInt64 = 200_000_000

    private var next = Self.first

    package init() {}

    /// Nanoseconds to wait now; nil for ever.
    ///
    /// - Parameter chance: 0 to 1: how much of the way from the shortest pause to the longest. An outlet's own seconds are never cut short,
    ///   and a tenth longer at most.
    package mutating func after(_ pause: OutletTrouble.Pause, chance: Double) -> UInt64? {
        switch pause {
        case .short:
            let length = Self.between(Self.least, next, chance)
            next = min(2 * next, Self.most)
            return length
        // By a person's pace; and yet not each second, where nobody comes.
        case .minute: return Self.between(Self.most / 4, Self.most, chance)
        case .seconds(let seconds):
            let (length, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            guard !isOver else { return nil }
            let longer = length.addingReportingOverflow(min(length / 10, Self.most))
            return longer.overflow ? length : Self.between(length, longer.partialValue, chance)
        case .forever: return nil
        }
    }

    private static func between(_ least: UInt64, _ most: UInt64, _ chance: Double) -> UInt64 {
        least + UInt64(Double(most - least) * min(max(chance, 0), 1))
    }

    /// Something was delivered.
    package mutating func reset() { next = Self.first }
}
