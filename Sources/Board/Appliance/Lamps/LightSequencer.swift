import Devices
import Visit

/// Which lamps show one state, and how they blink.
public struct LightPattern: Hashable, Sendable {
    public let lamps: LampSet
    /// Milliseconds from one lighting to the next; 0 is steady.
    public let period: UInt32
    /// Milliseconds of a period in which the lamps are lit.
    public let lit: UInt32

    static func steady(_ lamps: LampSet) -> LightPattern {
        LightPattern(lamps: lamps, period: 0, lit: 0)
    }

    static func blinking(_ lamps: LampSet, period: UInt32, lit: UInt32) -> LightPattern {
        LightPattern(lamps: lamps, period: period, lit: lit)
    }

    /// What a state looks like: the first of these whose lamps are all fitted. The table is the whole behaviour of the lights.
    ///
    /// The accept lamp belongs to the accept state alone: no other row may name it.
    static func choices(for state: LightState) -> [LightPattern] {
        switch state {
        case .off: []
        case .ready: [.steady(.ready)]
        case .busy: [.steady(.busy), .blinking(.ready, period: 400, lit: 200)]
        case .accept: [.steady(.accept)]
        case .reject: [.steady(.reject)]
        case .look: [.steady(.look), .blinking(.busy, period: 600, lit: 300), .blinking(.ready, period: 200, lit: 100)]
        // Four times as slow as the fault, on either lamp: whoever stands before the gate can tell them apart.
        case .closed: [.blinking(.fault, period: 4000, lit: 2000), .blinking(.reject, period: 4000, lit: 100)]
        case .fault: [.blinking(.fault, period: 1000, lit: 500), .blinking(.reject, period: 1000, lit: 100)]
        }
    }
}

/// Turns the state of the lights and the time into lamps that are lit now. Owns no clock and no line.
public struct LightSequencer: Sendable {
    /// What is shown.
    public private(set) var state: LightState = .off
    /// One row per state, chosen once from what is fitted.
    private let patterns: [LightPattern]
    /// When the state began, in nanoseconds: a blink starts lit.
    private var since: UInt64 = 0

    /// - Parameter fitted: the lamps this gate has.
    public init(fitted: LampSet) {
        patterns = LightState.allCases.map { state in
            LightPattern.choices(for: state).first { fitted.isSuperset(of: $0.lamps) } ?? .steady([])
        }
    }

    /// Shows `state` from `now` on, in nanoseconds of a monotonic clock. Showing what is shown already does not restart its blinking.
    public mutating func show(_ state: LightState, now: UInt64) {
        guard state != self.state else { return }
        self.state = state
        since = now
    }

    /// The lamps of the state, and the period in milliseconds with which they blink; 0 where they are steady.
    public var manner: (lamps: LampSet, period: Int) { (pattern.lamps, Int(pattern.period)) }

    /// The lamps lit at `now`.
    public func lamps(at now: UInt64) -> LampSet {
        let pattern = self.pattern
        guard pattern.period > 0 else { return pattern.lamps }
        return phase(of: pattern, at: now) < UInt64(pattern.lit) * 1_000_000 ? pattern.lamps : []
    }

    /// When the lamps change next by themselves, or nil when they are steady.
    public func nextChange(after now: UInt64) -> UInt64? {
        let pattern = self.pattern
        guard pattern.period > 0 else { return nil }
        let phase = phase(of: pattern, at: now)
        let lit = UInt64(pattern.lit) * 1_000_000
        let rest = phase < lit ? lit - phase : UInt64(pattern.period) * 1_000_000 - phase
        return now &+ rest
    }

    /// Nanoseconds into the current period.
    private func phase(of pattern: LightPattern, at now: UInt64) -> UInt64 {
        now < since ? 0 : (now - since) % (UInt64(pattern.period) * 1_000_000)
    }

    private var pattern: LightPattern {
        // One row per case, in the order of the raw values.
        let index = Int(state.rawValue)
        return index < patterns.count ? patterns[index] : .steady([])
    }
}
