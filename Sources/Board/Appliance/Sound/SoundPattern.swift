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

/// Turns a pattern and the time into the tone of now. A step lasts from the moment it sounded, and none is left out: behind a slow write a
/// pattern takes longer, and stays the one it is. Owns no clock and no line.
public struct SoundSequencer: Sendable {
    /// The one that sounds and those that follow.
    private var steps: ArraySlice<SoundPattern.Step> = []
    private var end: UInt64 = 0
    private var isAlarm = false

    public init() {}

    /// Plays `pattern` from `now` on, in nanoseconds of a monotonic clock, in place of what sounds. An alarm is heard to its end: whoever
    /// is in radio range can bring about a rejection.
    public mutating func play(_ pattern: SoundPattern, now: UInt64) {
        passTime(now)
        guard pattern == .alarm || !isAlarm || steps.isEmpty else { return }
        isAlarm = pattern == .alarm
        steps = pattern.steps[...]
        began(now)
    }

    /// The tone in Hz, 0 for none.
    public var frequency: UInt32 { steps.first?.frequency ?? 0 }

    /// When the tone changes next; nil when nothing sounds any more.
    public var nextChange: UInt64? { steps.isEmpty ? nil : end }

    /// Goes on to the next step, where the time of this one is over.
    public mutating func passTime(_ now: UInt64) {
        guard !steps.isEmpty, now >= end else { return }
        steps = steps.dropFirst()
        began(now)
    }

    /// The step of now sounds only since then.
    public mutating func began(_ now: UInt64) {
        end = now &+ UInt64(steps.first?.milliseconds ?? 0) * 1_000_000
    }
}
