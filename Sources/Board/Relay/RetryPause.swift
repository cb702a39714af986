/// How long nothing is tried after trouble: half a second, doubling to a minute, and a part of it by chance, so that a thousand gates do
/// not come back in one moment.
package struct RetryPause: Hashable, Sendable {
    /// Nanoseconds.
    package static let first: UInt64 = 500_000_000
    package static let most: UInt64 = 60_000_000_000

    private var next = Self.first

    package init() {}

    /// Nanoseconds to wait now; nil for ever.
    ///
    /// - Parameter chance: 0 to 1, of which a quarter of the pause is taken off.
    package mutating func after(_ pause: OutletTrouble.Pause, chance: Double) -> UInt64? {
        let length: UInt64
        switch pause {
        case .short:
            length = next
            next = min(2 * next, Self.most)
        case .minute: length = Self.most
        case .seconds(let seconds): return seconds.multipliedReportingOverflow(by: 1_000_000_000).overflow ? nil : seconds * 1_000_000_000
        case .forever: return nil
        }
        return length - UInt64(Double(length / 4) * min(max(chance, 0), 1))
    }

    /// Something was delivered.
    package mutating func reset() { next = Self.first }
}
