/// What a gate says by sound. The lamps say the same: a sound repeats it for whoever looks elsewhere.
public enum SoundPattern: UInt8, CaseIterable, Hashable, Sendable {
    case accepted, rejected, attention
    /// The door is forced, or held: what `attention` sounds like, and nobody's verdict covers it.
    case alarm

    /// A tone and for how long it lasts; 0 Hz is a pause.
    struct Step {
        let milliseconds: UInt32
        let frequency: UInt32
    }

    /// The whole behaviour. Number and length tell them apart on a buzzer that has one tone: one short and one long; three short; two long.
    var steps: [Step] {
        switch self {
        case .accepted:
            [Step(milliseconds: 80, frequency: 1760), Step(milliseconds: 60, frequency: 0), Step(milliseconds: 250, frequency: 2640)]
        case .rejected:
            [
                Step(milliseconds: 100, frequency: 440), Step(milliseconds: 80, frequency: 0), Step(milliseconds: 100, frequency: 440),
                Step(milliseconds: 80, frequency: 0), Step(milliseconds: 100, frequency: 440),
            ]
        case .attention, .alarm:
            [Step(milliseconds: 400, frequency: 880), Step(milliseconds: 200, frequency: 0), Step(milliseconds: 400, frequency: 880)]
        }
    }

    /// In nanoseconds.
    var length: UInt64 { steps.reduce(0) { $0 + UInt64($1.milliseconds) * 1_000_000 } }
}

/// Turns a pattern and the time into the tone of now. Owns no clock and no line.
public struct SoundSequencer: Sendable {
    private var steps: [SoundPattern.Step] = []
    private var since: UInt64 = 0
    private var isAlarm = false

    public init() {}

    /// Plays `pattern` from `now` on, in nanoseconds of a monotonic clock, in place of what sounds. An alarm is heard to its end: whoever
    /// is in radio range can bring about a rejection.
    public mutating func play(_ pattern: SoundPattern, now: UInt64) {
        guard pattern == .alarm || !isAlarm || step(at: now) == nil else { return }
        isAlarm = pattern == .alarm
        steps = pattern.steps
        since = now
    }

    /// The tone at `now` in Hz, 0 for none.
    public func frequency(at now: UInt64) -> UInt32 { step(at: now)?.frequency ?? 0 }

    /// When the tone changes next; nil when nothing sounds any more.
    public func nextChange(after now: UInt64) -> UInt64? { step(at: now)?.end }

    private func step(at now: UInt64) -> (frequency: UInt32, end: UInt64)? {
        var end = since
        for step in steps {
            end = end &+ UInt64(step.milliseconds) * 1_000_000
            if now < end { return (step.frequency, end) }
        }
        return nil
    }
}
