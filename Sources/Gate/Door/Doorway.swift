/// A door and its lock: levels and time in; what is open, what happened and when to ask again out. Owns no line and no clock; all times
/// are nanoseconds of one monotonic clock.
///
/// A lock is open for one of three reasons: somebody was let in, somebody inside pressed the exit button, or the emergency release is
/// active. Nothing else opens one: neither a start, nor lines that are lost or come back, nor a press that is seen too late.
public struct Doorway: Sendable {
    private let settings: DoorSettings
    private var inputs: Debouncer
    private var entry = Lock.closed
    /// Of a turnstile's other direction; as closed as it is absent where there is none.
    private var exit = Lock.closed
    private var hasSecond = false
    private var leaf: DoorLeaf
    private var events = DoorEvents()
    private var presses: DoorSignals = []
    private var isAlarmed = false
    /// Until when all is done that was due.
    private var clock: UInt64 = 0

    private enum Lines { case unknown, there, lost }
    private var lines = Lines.unknown
    /// Until when a line that changes has only found its level, since the lines were taken.
    private var foundUntil: UInt64 = 0

    public init(_ settings: DoorSettings) {
        self.settings = settings
        inputs = Debouncer(milliseconds: settings.debounce)
        leaf = DoorLeaf(held: settings.held)
    }

    // MARK: what is asked

    /// What is open now.
    public var openings: DoorOpenings {
        var openings: DoorOpenings = []
        if entry.isOpen { openings.insert(.entry) }
        if exit.isOpen { openings.insert(.exit) }
        return openings
    }

    /// The emergency release is active, as far as anybody knows.
    public var isEmergency: Bool { inputs.levels.contains(.emergency) }

    /// The emergency release seems to be active, and has not lasted yet.
    public var awaitsEmergency: Bool { lines == .there && inputs.awaits(.emergency) }

    /// When `advance` wants to be called.
    public var deadline: UInt64? {
        var earliest = Self.earliest(Self.earliest(entry.deadline, exit.deadline), events.deadline)
        if lines == .there { earliest = Self.earliest(earliest, Self.earliest(inputs.deadline, leaf.heldAt(isLockOpen: isOpen))) }
        return earliest
    }

    /// Something happened at the door that somebody else knows of: its records are bounded like all others.
    public mutating func note(_ event: DoorEvent, at now: UInt64) { events.add(event, at: max(now, clock)) }

    public mutating func takeEvent() -> DoorEvent? { events.next() }

    /// The gate ends: what was only counted so far is an event now.
    public mutating func end() { events.end() }

    /// Something was pressed, and is not taken yet.
    public var hasPresses: Bool { !presses.isEmpty }

    /// The supervisor's key, the guard's button and the visitor's, once for each time they were pressed.
    public mutating func takePresses() -> DoorSignals {
        defer { presses = [] }
        return presses
    }

    /// Whether the door was forced, or counts as held, since this was asked last: also where that has no record.
    public mutating func takeAlarm() -> Bool {
        defer { isAlarmed = false }
        return isAlarmed
    }

    // MARK: the lines

    /// The lines are there, with these levels. Who leant on a button before has not pressed it. Emergency and tamper count only once their
    /// level has lasted from now on: a pull-up that has just been switched on needs its time to charge a long cable. Until then they stay
    /// what they were. For the same reason a button that becomes active within that time is no press, and a door that seems to open then
    /// stood open.
    ///
    /// - Parameter hasSecond: a turnstile's other direction has a line of its own.
    public mutating func begin(_ levels: DoorSignals, hasSecond: Bool, at now: UInt64) {
        advance(to: now)
        if lines == .lost { events.add(.linesBack, at: now) }
        lines = .there
        self.hasSecond = hasSecond
        foundUntil = now.later(milliseconds: settings.debounce)
        inputs.begin(levels, lasting: [DoorSignals(.tamper), DoorSignals(.emergency)], at: now)
        // Of lines that came back without the second, or with it.
        if isEmergency { beginEmergency() }
        add(leaf.find(isOpen: levels.contains(.contact), at: now))
    }

    /// The lines are gone, or are not there yet. A pulse is over: a lock does not open when they are back. An emergency neither begins nor
    /// ends by this.
    public mutating func lose(at now: UInt64) {
        advance(to: now)
        if lines != .lost { events.add(.linesLost, at: now) }
        lines = .lost
        inputs.forget()
        entry.endPulse()
        exit.endPulse()
        if !isOpen { leaf.noteLockClosed(at: now) }
    }

    /// A level began at `moment`, and is read at `now`.
    public mutating func see(_ signal: DoorSignal, isActive: Bool, at moment: UInt64, now: UInt64) {
        guard lines == .there else { return }
        let moment = min(max(moment, clock), max(now, clock))
        advance(to: moment, seenAt: max(now, clock))
        inputs.see(signal, isActive: isActive, at: moment)
    }

    /// Some edges of these inputs may have been missed: whatever they were before, their level begins now. A line that hums must not count
    /// as one that stood while nobody looked.
    public mutating func beginAnew(_ signals: DoorSignals) { inputs.forget(signals) }

    /// What the levels are: the truth, whatever edges were missed.
    public mutating func see(_ levels: DoorSignals, at now: UInt64) {
        for signal in DoorSignal.allCases { see(signal, isActive: levels.contains(signal), at: now, now: now) }
        advance(to: now)
    }

    // MARK: what opens, and time

    /// A visitor was accepted, and the record of it is on the disk.
    ///
    /// - Returns: false where there is no lock that could open.
    @discardableResult
    public mutating func admit(at now: UInt64) -> Bool {
        advance(to: now)
        guard lines == .there else { return false }
        open(\.entry, for: .visit, from: now)
        return true
    }

    /// What is open now was switched so many nanoseconds after it was to be: its pulses last that much longer.
    public mutating func delay(by nanoseconds: UInt64) {
        entry.delay(by: nanoseconds)
        exit.delay(by: nanoseconds)
    }

    /// Does what is due, in the order in which it was due.
    public mutating func advance(to now: UInt64) {
        advance(to: now, seenAt: max(now, clock))
    }

    /// - Parameter seenAt: the time it is. What was pressed so long ago that its time is over opens nothing.
    private mutating func advance(to moment: UInt64, seenAt now: UInt64) {
        if lines == .there {
            while let change = inputs.next(until: moment) {
                expire(at: change.settled)
                take(change, now)
            }
        }
        expire(at: moment)
        clock = max(clock, moment)
    }

    private var isOpen: Bool { entry.isOpen || exit.isOpen }

    private mutating func expire(at moment: UInt64) {
        let ends = Self.earliest(entry.deadline, exit.deadline)
        let isClosed = entry.expire(at: moment), isExitClosed = exit.expire(at: moment)
        if isClosed || isExitClosed, let ends { leaf.noteLockClosed(at: ends) }
        if lines == .there { add(leaf.expire(at: moment, isLockOpen: isOpen), at: moment) }
        events.expire(at: moment)
    }

    private static func earliest(_ a: UInt64?, _ b: UInt64?) -> UInt64? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }

    // MARK: inputs that count

    private mutating func take(_ change: Debouncer.Change, _ now: UInt64) {
        let isFound = change.since < foundUntil
        switch (change.signal, change.isActive) {
        case (.contact, true) where isFound: add(leaf.find(isOpen: true, at: change.settled), at: change.settled)
        case (.exit, true) where isFound, (.supervisor, true) where isFound, (.list, true) where isFound: break
        case (.contact, true): add(leaf.opened(at: change.since, isLockOpen: isOpen), at: change.settled)
        case (.contact, false): add(leaf.closed(), at: change.settled)
        case (.exit, true): exitPressed(at: change.settled, now)
        case (.supervisor, true), (.list, true), (.code, true): presses.insert(DoorSignals(change.signal))
        case (.tamper, _), (.emergency, _): settle(change.signal, change.isActive, at: change.settled)
        case (.exit, false), (.supervisor, false), (.list, false), (.code, false): break
        }
    }

    private mutating func settle(_ signal: DoorSignal, _ isActive: Bool, at moment: UInt64) {
        switch (signal, isActive) {
        case (.tamper, _): events.add(isActive ? .tamper : .tamperEnded, at: moment)
        case (_, true):
            beginEmergency()
            events.add(.emergency, at: moment)
        case (_, false):
            entry.endEmergency(at: moment)
            exit.endEmergency(at: moment)
            if !isOpen { leaf.noteLockClosed(at: moment) }
            leaf.excuse(until: moment.later(milliseconds: settings.grace))
            events.add(.emergencyEnded, at: moment)
        }
    }

    private mutating func beginEmergency() {
        entry.beginEmergency()
        if hasSecond { exit.beginEmergency() } else { exit = .closed }
    }

    private mutating func exitPressed(at moment: UInt64, _ now: UInt64) {
        let end = moment.later(milliseconds: settings.pulse)
        leaf.excuse(until: end.later(milliseconds: settings.grace))
        // A loop that a slow disk held up: who pressed has given up, and somebody else may stand there.
        guard settings.exitOpens, now < end else { return }
        open(hasSecond ? \.exit : \.entry, for: .exit, from: moment)
    }

    private mutating func open(_ lock: WritableKeyPath<Doorway, Lock>, for cause: DoorEvent.Cause, from moment: UInt64) {
        let end = moment.later(milliseconds: settings.pulse)
        self[keyPath: lock].pulse(until: end)
        leaf.excuse(until: end.later(milliseconds: settings.grace))
        events.add(.opened(cause), at: moment)
    }

    private mutating func add(_ event: DoorEvent?, at moment: UInt64? = nil) {
        guard let event else { return }
        if event == .forced || event == .held { isAlarmed = true }
        events.add(event, at: moment ?? clock)
    }
}
