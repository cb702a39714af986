import CLinux
import Glibc

/// The system refused something the loop is made of.
public struct EventLoopError: Error, Hashable, Sendable {
    public let errno: Int32
}

/// What to watch a descriptor for. Errors and hang-ups are always reported.
public struct Interest: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let readable = Interest(rawValue: UInt32(EPOLLIN.rawValue))
    public static let writable = Interest(rawValue: UInt32(EPOLLOUT.rawValue))
    static let broken = Interest(rawValue: UInt32(EPOLLERR.rawValue) | UInt32(EPOLLHUP.rawValue))
}

/// Something happened on a descriptor.
public struct Readiness: Hashable, Sendable {
    /// What the descriptor was added under.
    public let token: UInt32
    private let events: Interest

    init(token: UInt32, events: UInt32) {
        self.token = token
        self.events = Interest(rawValue: events)
    }

    /// There is something to read, which may be the error or the end that `isBroken` announces: read to learn it.
    public var isReadable: Bool { !events.isDisjoint(with: [.readable, .broken]) }
    public var isWritable: Bool { events.contains(.writable) }
    /// An error or a hang-up.
    public var isBroken: Bool { !events.isDisjoint(with: .broken) }
}

/// `epoll`, level-triggered, with room for a fixed number of events per turn.
///
/// Deadlines are kept by a timer of their own. The time that `epoll_wait` is told is whole milliseconds, and the kernel adds up to a
/// thousandth of it, of a nice process a two-hundredth: three to fifteen milliseconds of a lock's pulse.
public final class EventLoop {
    private let descriptor: Int32
    private let timer: Int32
    /// When the timer fires; nil where it does not. Before the next deadline, maybe: to set it anew at each packet would be in vain.
    private var armed: UInt64?
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private var count = 0

    /// - Parameter capacity: events taken per turn; more than that wait for the next.
    public init(capacity: Int = 16) throws(EventLoopError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw EventLoopError(errno: errno) }
        timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        events = .allocate(capacity: max(capacity, 1))
        events.initialize(repeating: epoll_event())
        guard timer >= 0 else { throw EventLoopError(errno: errno) }
        try add(timer, for: .readable, token: Self.timerToken)
    }

    /// Nobody else's.
    private static let timerToken = UInt32.max

    deinit {
        if timer >= 0 { close(timer) }
        close(descriptor)
        events.deallocate()
    }

    /// Watches `target`; what happens on it is reported under `token`.
    public func add(_ target: Int32, for interest: Interest, token: UInt32) throws(EventLoopError) {
        try control(EPOLL_CTL_ADD, target, interest, token)
    }

    /// Changes what `target` is watched for.
    public func modify(_ target: Int32, for interest: Interest, token: UInt32) throws(EventLoopError) {
        try control(EPOLL_CTL_MOD, target, interest, token)
    }

    /// Stops watching. A descriptor that is closed already has left by itself, so this never fails.
    public func remove(_ target: Int32) {
        var event = epoll_event()
        epoll_ctl(descriptor, EPOLL_CTL_DEL, target, &event)
    }

    /// Sleeps until something happens or the deadline passes.
    ///
    /// - Parameter deadline: in nanoseconds of `Clock.monotonic`; nil sleeps without end, one in the past only looks.
    /// - Returns: how many descriptors have something to say, to be asked for with `readiness(at:)`; 0 at the deadline or
    ///   after a signal.
    public func wait(until deadline: UInt64?) throws(EventLoopError) -> Int {
        count = 0
        guard let first = events.baseAddress else { return 0 }
        while true {
            let result = epoll_wait(descriptor, first, Int32(clamping: events.count), timeout(until: deadline))
            if result < 0 {
                if errno == EINTR { return 0 }
                throw EventLoopError(errno: errno)
            }
            count = min(Int(result), events.count)
            let hasFired = takeTimer()
            if count > 0 || !hasFired { return count }
            // The timer of a deadline that is none any more wakes nobody.
            if let deadline, deadline <= Clock.monotonic() { return 0 }
        }
    }

    /// What `epoll_wait` is told; the timer is set to do the rest.
    private func timeout(until deadline: UInt64?) -> Int32 {
        guard let deadline else { return -1 }
        let now = Clock.monotonic()
        guard deadline > now else { return 0 }
        if let armed, armed > now, armed <= deadline { return -1 }
        var times = itimerspec()
        times.it_value = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        if timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &times, nil) == 0 {
            armed = deadline
            return -1
        }
        // Rounded up, or the loop would spin through the last part of a millisecond.
        return Int32(clamping: (deadline - now - 1) / 1_000_000 + 1)
    }

    /// Takes the timer out of what was found.
    private func takeTimer() -> Bool {
        guard let index = events[..<count].firstIndex(where: { $0.data.u32 == Self.timerToken }) else { return false }
        count -= 1
        events[index] = events[count]
        var ticks: UInt64 = 0
        _ = read(timer, &ticks, MemoryLayout<UInt64>.size)
        armed = nil
        return true
    }

    /// What the last `wait` found; nil past the end.
    public func readiness(at index: Int) -> Readiness? {
        guard index >= 0, index < count else { return nil }
        return Readiness(token: events[index].data.u32, events: events[index].events)
    }

    private func control(_ operation: Int32, _ target: Int32, _ interest: Interest, _ token: UInt32) throws(EventLoopError) {
        var event = epoll_event()
        event.events = interest.rawValue
        event.data.u32 = token
        guard epoll_ctl(descriptor, operation, target, &event) == 0 else { throw EventLoopError(errno: errno) }
    }
}
