/// A lock, which is open for a reason or closed.
enum Lock: Hashable, Sendable {
    case closed
    /// Open for whoever may pass, until then.
    case pulse(until: UInt64)
    /// Open for everybody, until the emergency ends; the rest of a pulse is its visitor's all the same.
    case emergency(pulse: UInt64?)

    var isOpen: Bool { self != .closed }

    /// When it closes by itself.
    var deadline: UInt64? {
        if case .pulse(let until) = self { until } else { nil }
    }

    /// Opens for somebody. What was to stay open for longer does.
    mutating func pulse(until end: UInt64) {
        self =
            switch self {
            case .closed: .pulse(until: end)
            case .pulse(let until): .pulse(until: max(until, end))
            case .emergency(let until): .emergency(pulse: max(until ?? 0, end))
            }
    }

    /// It was opened so many nanoseconds late: nobody gets less than a whole pulse.
    mutating func delay(by nanoseconds: UInt64) {
        switch self {
        case .closed, .emergency(pulse: nil): break
        case .pulse(let until): self = .pulse(until: until.later(nanoseconds: nanoseconds))
        case .emergency(let until?): self = .emergency(pulse: until.later(nanoseconds: nanoseconds))
        }
    }

    mutating func beginEmergency() {
        switch self {
        case .closed: self = .emergency(pulse: nil)
        case .pulse(let until): self = .emergency(pulse: until)
        case .emergency: break
        }
    }

    mutating func endEmergency(at now: UInt64) {
        guard case .emergency(let pulse) = self else { return }
        self = .closed
        if let pulse, now < pulse { self = .pulse(until: pulse) }
    }

    /// Whoever was let in has had their time, or nobody knows any more whether they passed.
    mutating func endPulse() {
        switch self {
        case .closed, .pulse: self = .closed
        case .emergency: self = .emergency(pulse: nil)
        }
    }

    /// - Returns: whether it has closed.
    mutating func expire(at now: UInt64) -> Bool {
        guard case .pulse(let until) = self, now >= until else { return false }
        self = .closed
        return true
    }
}
