/// When the camera looks for codes.
public enum CodePolicy: String, Hashable, Sendable, CaseIterable {
    /// Never: visitors come by radio alone.
    case off
    /// Ten times a second, whenever a visit may begin.
    case always
    /// Twice a second, and ten times a second for a while after something moved or a code came into sight.
    case motion
    /// The camera is off until somebody presses the button on the door's input `code`.
    case button
}

/// The camera's duty for codes: when it has to be on, and which of its pictures are looked at. It knows no camera, no worker and no clock.
/// Times are nanoseconds of one monotonic clock.
struct CodeDuty: Sendable {
    /// From one look to the next, where a code is expected and where nobody is.
    static let period: UInt64 = 100_000_000
    static let idlePeriod: UInt64 = 500_000_000
    /// A picture that comes so much before its time is taken all the same: else a camera of ten pictures a second would give five.
    static let slack: UInt64 = period / 4
    /// For how long a code is expected after something moved, and after the button.
    static let alertTime: UInt64 = 10_000_000_000
    static let buttonTime: UInt64 = 30_000_000_000
    /// For how long the camera stays on after codes were wanted last. Its driver takes its time to stop and to start, which no visit is to
    /// wait for, and most visits are shorter.
    static let lingerTime: UInt64 = 60_000_000_000
    /// The mean difference of a small grey picture to the one before it, of 255, from which on something moved. The noise of a dark
    /// picture comes to about 5; a hand with a card before the camera to 15 and more.
    static let motion: UInt8 = 8

    let policy: CodePolicy
    /// A visit may begin.
    private(set) var isWanted = false
    private var unwantedAt: UInt64?
    /// Until when a code is expected.
    private var alertUntil: UInt64 = 0
    /// The picture before had a code in it.
    private var hadCode = false
    private var dueAt: UInt64 = 0

    init(_ policy: CodePolicy) {
        self.policy = policy
    }

    // MARK: what happens

    /// The gate wants codes, or no more. Whoever was before the gate may have somebody behind them: the end of a visit counts as motion.
    mutating func want(_ isWanted: Bool, at now: UInt64) {
        guard isWanted != self.isWanted else { return }
        self.isWanted = isWanted
        unwantedAt = isWanted ? nil : now
        if isWanted, policy == .motion { alert(for: Self.alertTime, at: now) }
    }

    /// The visitor's button. Held for longer it is pressed once.
    mutating func press(at now: UInt64) {
        guard policy == .button else { return }
        alert(for: Self.buttonTime, at: now)
    }

    /// What was seen in a picture. A code that hangs on a wall keeps nobody awake.
    mutating func see(change: UInt8, hasCode: Bool, at now: UInt64) {
        let comes = hasCode && !hadCode
        hadCode = hasCode
        guard policy == .motion, comes || change >= Self.motion else { return }
        alert(for: Self.alertTime, at: now)
    }

    private mutating func alert(for time: UInt64, at now: UInt64) { alertUntil = max(alertUntil, now &+ time) }

    // MARK: what follows

    /// A code is expected now.
    func isAlert(at now: UInt64) -> Bool {
        switch policy {
        case .off: false
        case .always: true
        case .motion, .button: now < alertUntil
        }
    }

    /// The camera has to be on.
    func needsCamera(at now: UInt64) -> Bool {
        guard policy != .off, isWanted || now < lingersUntil else { return false }
        return policy != .button || isAlert(at: now)
    }

    /// A picture taken now would be looked at.
    func isDue(at now: UInt64) -> Bool {
        isWanted && needsCamera(at: now) && now &+ Self.slack >= dueAt
    }

    /// A picture is looked at.
    mutating func look(at now: UInt64) {
        let period = isAlert(at: now) ? Self.period : Self.idlePeriod
        // In the long run one a period, whatever the camera's own rate is.
        dueAt = max(dueAt &+ period, now &+ period - Self.slack)
    }

    /// When what the camera is needed for changes by itself; nil where it does not.
    func deadline(at now: UInt64) -> UInt64? {
        guard needsCamera(at: now) else { return nil }
        let ends = [policy == .button ? alertUntil : .max, isWanted ? .max : lingersUntil]
        return ends.min().flatMap { $0 == .max ? nil : $0 }
    }

    private var lingersUntil: UInt64 { unwantedAt.map { $0 &+ Self.lingerTime } ?? 0 }
}
