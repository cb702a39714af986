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
public final class EventLoop {
    private let descriptor: Int32
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private var count = 0

    /// - Parameter capacity: events taken per turn; more than that wait for the next.
    public init(capacity: Int = 16) throws(EventLoopError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw EventLoopError(errno: errno) }
        events = .allocate(capacity: max(capacity, 1))
        events.initialize(repeating: epoll_event())
    }

    deinit {
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
        var timeout: Int32 = -1
        if let deadline {
            let now = Clock.monotonic()
            // Rounded up, or the loop would spin through the last part of a millisecond.
            let milliseconds = deadline <= now ? 0 : (deadline - now - 1) / 1_000_000 + 1
            timeout = Int32(clamping: milliseconds)
        }
        count = 0
        guard let first = events.baseAddress else { return 0 }
        let result = epoll_wait(descriptor, first, Int32(clamping: events.count), timeout)
        if result < 0 {
            if errno == EINTR { return 0 }
            throw EventLoopError(errno: errno)
        }
        count = min(Int(result), events.count)
        return count
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
