/// Levels that have lasted. A contact that closes bounces for some milliseconds, and a long cable picks up what is none of the gate's
/// affair: a level counts once it has stood for the whole time, counted from its edge, however late anybody looks.
struct Debouncer: Sendable {
    /// A level that has lasted.
    struct Change: Hashable, Sendable {
        var signal: DoorSignal
        var isActive: Bool
        /// When its edge came.
        var since: UInt64
        /// From when on it counts.
        var settled: UInt64
    }

    /// What counts.
    private(set) var levels: DoorSignals = []
    /// What was seen last.
    private var seen: DoorSignals = []
    /// When that began, for each signal.
    private var since: [UInt64]
    private let milliseconds: UInt64

    init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
        since = Array(repeating: 0, count: DoorSignal.allCases.count)
    }

    /// Lines are there, with these levels.
    ///
    /// - Parameter lasting: those that count only once they have lasted from now on; until then what counted before does. The others count
    ///   at once: nothing is known of before.
    mutating func begin(_ levels: DoorSignals, lasting: DoorSignals, at now: UInt64) {
        self.levels = levels.subtracting(lasting).union(self.levels.intersection(lasting))
        seen = levels
        since = Array(repeating: now, count: since.count)
    }

    /// What has not lasted yet does not count: nobody sees any more whether it would have.
    mutating func forget() { seen = levels }

    /// The same of some inputs.
    mutating func forget(_ signals: DoorSignals) {
        seen = seen.subtracting(signals).union(levels.intersection(signals))
    }

    /// A level is seen. What the one before it has come to is asked for first.
    mutating func see(_ signal: DoorSignal, isActive: Bool, at moment: UInt64) {
        guard seen.contains(signal) != isActive else { return }
        seen.set(signal, isActive)
        since[Int(signal.rawValue)] = moment
    }

    /// The earliest level that counts from now on, and did not before.
    mutating func next(until now: UInt64) -> Change? {
        guard let change = waiting, change.settled <= now else { return nil }
        levels.set(change.signal, change.isActive)
        return change
    }

    /// It is active, and does not count yet.
    func awaits(_ signal: DoorSignal) -> Bool { seen.contains(signal) && !levels.contains(signal) }

    /// When the next level counts, if it lasts.
    var deadline: UInt64? { waiting?.settled }

    private var waiting: Change? {
        // Mostly.
        guard seen != levels else { return nil }
        var earliest: Change?
        for signal in DoorSignal.allCases where seen.contains(signal) != levels.contains(signal) {
            let begun = since[Int(signal.rawValue)]
            let change = Change(
                signal: signal, isActive: seen.contains(signal), since: begun, settled: begun.later(milliseconds: milliseconds))
            if change.settled < earliest?.settled ?? .max || earliest == nil { earliest = change }
        }
        return earliest
    }
}
