/// The door itself, by its contact: whether it stands open, and whether it may.
struct DoorLeaf: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case closed
        case open(since: UInt64)
        /// Open for too long, and said so.
        case held
        /// Opened while nobody was let through, and said so.
        case forced
    }

    private var state = State.closed
    /// Until when an opening door is that of somebody who was let through.
    private var excusedUntil: UInt64?
    /// When the lock closed last.
    private var lockClosed: UInt64 = 0
    private let held: UInt64

    init(held: UInt64) {
        self.held = held
    }

    /// Whoever opens the door until then forces nothing.
    mutating func excuse(until moment: UInt64) { excusedUntil = max(excusedUntil ?? 0, moment) }

    mutating func noteLockClosed(at now: UInt64) { lockClosed = max(lockClosed, now) }

    /// It stands like this, and nobody saw how it came to it.
    mutating func find(isOpen: Bool, at now: UInt64) -> DoorEvent? {
        guard isOpen else { return closed() }
        if state == .closed { state = .open(since: now) }
        return nil
    }

    /// - Parameter moment: when it began to open.
    mutating func opened(at moment: UInt64, isLockOpen: Bool) -> DoorEvent? {
        guard state == .closed else { return nil }
        if !isLockOpen, moment > excusedUntil ?? 0 || excusedUntil == nil {
            state = .forced
            return .forced
        }
        state = .open(since: moment)
        return nil
    }

    mutating func closed() -> DoorEvent? {
        defer { state = .closed }
        return state == .held ? .heldEnded : nil
    }

    /// When it counts as held, while it is open and the lock is not.
    func heldAt(isLockOpen: Bool) -> UInt64? {
        guard case .open(let since) = state, !isLockOpen else { return nil }
        return max(since, lockClosed).later(milliseconds: held)
    }

    mutating func expire(at now: UInt64, isLockOpen: Bool) -> DoorEvent? {
        guard let due = heldAt(isLockOpen: isLockOpen), now >= due else { return nil }
        state = .held
        return .held
    }
}
