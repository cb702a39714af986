import Linux

/// What the service manager is told of a gate at work: that it is ready, how it is, and that its loop turns.
final class StatusDesk {
    /// When `passTime` wants to be called, in nanoseconds of the monotonic clock; nil where nobody watches.
    private(set) var aliveAt: UInt64?
    /// What was told last.
    private(set) var status: GateStatus?

    private let manager = ServiceManager()
    private var isReady = false

    init(now: UInt64) {
        aliveAt = manager.watchdogInterval.map { now + $0 / 2 }
    }

    func tell(_ now: GateStatus) {
        if now != status {
            status = now
            manager.status(now.text)
        }
        if now.isControllerUp, !isReady {
            isReady = true
            manager.ready()
        }
    }

    func passTime(_ now: UInt64) {
        guard let due = aliveAt, now >= due, let interval = manager.watchdogInterval else { return }
        manager.alive()
        aliveAt = now + interval / 2
    }

    /// Whatever may take its time is done in between.
    func patiently(_ isSlow: Bool, _ work: () -> Void) {
        if isSlow { manager.bePatient() }
        work()
        if isSlow { manager.beStrict() }
    }

    func stopping() { manager.stopping() }
}
