// <sys/socket.h> belongs to whichever of CLinux and Glibc the compiler met first in this module.
import CLinux
import Glibc

/// Words for people, on a terminal, a pipe or the journal, written without ever waiting for a reader: one that stopped reading must not
/// stop the gate.
///
/// What does not go at once waits here, whole messages up to a bound; what comes after that is dropped and counted, and the count is told
/// when there is room again.
public final class Words {
    /// Standard error and standard output of this process. Used by its one thread.
    public nonisolated(unsafe) static let errors = Words(descriptor: 2)
    public nonisolated(unsafe) static let output = Words(descriptor: 1)

    /// Octets that may wait.
    public static let capacity = 65_536
    /// Octets a pipe or a socket that is writable takes without blocking (`PIPE_BUF`).
    private static let step = 4096

    private let descriptor: Int32
    /// The descriptor is this value's own, and never blocks: the one it was made of belongs to other processes as well, whose writes would
    /// fail.
    private let isOwn: Bool
    private var waiting: [[UInt8]] = []
    /// Octets of the first that waits; `isTorn` when some of it went before it had to wait.
    private var sent = 0
    private var isTorn = false
    private var octets = 0
    /// Messages that found no room since the last that did.
    private var dropped = 0

    public init(descriptor: Int32) {
        let own = Self.unblocking(descriptor)
        self.descriptor = own ?? descriptor
        isOwn = own != nil
    }

    deinit {
        if isOwn { close(descriptor) }
    }

    /// Messages wait for a reader; `flush` wants to be called now and then.
    public var areWaiting: Bool { octets > 0 || dropped > 0 }

    /// Writes a message, or keeps it, or drops it whole.
    public func write(_ message: UnsafeRawBufferPointer) {
        flush()
        let begun = areWaiting ? 0 : pass(message)
        guard begun < message.count else { return }
        guard begun > 0 || (dropped == 0 && octets + message.count <= Self.capacity) else {
            dropped += 1
            return
        }
        // The end of a message that has begun is kept in any case: a torn line would be taken for another.
        keep(Array(message[begun...]))
        isTorn = isTorn || begun > 0
    }

    public func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes what waits, as much as goes without waiting.
    public func flush() {
        while let first = waiting.first {
            sent += first.withUnsafeBytes { pass(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            guard sent == first.count else { return }
            waiting.removeFirst()
            octets -= first.count
            sent = 0
            isTorn = false
        }
        guard dropped > 0 else { return }
        let notice = "gatehouse: \(dropped) lines are missing here: nobody read them in time\n"
        dropped = 0
        keep(Array(notice.utf8))
        flush()
    }

    /// Forgets what waits, but for the rest of a message that has begun: for one that comes in the place of those before.
    public func forget() {
        let begun = isTorn || sent > 0 ? waiting.first : nil
        waiting = begun.map { [$0] } ?? []
        octets = begun?.count ?? 0
        dropped = 0
    }

    /// Writes what waits, for at most so many milliseconds: at the end of the process.
    public func finish(patience: Int32) {
        let end = Clock.monotonic() &+ UInt64(max(patience, 0)) * 1_000_000
        flush()
        while areWaiting, Clock.monotonic() < end {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&entry, 1, 10)
            flush()
        }
    }

    private func keep(_ message: [UInt8]) {
        waiting.append(message)
        octets += message.count
    }

    /// Writes as much as goes now.
    ///
    /// - Returns: how many octets went. A descriptor that refuses them for good takes all of them: nobody will ever read them.
    private func pass(_ octets: UnsafeRawBufferPointer) -> Int {
        var start = 0
        while start < octets.count {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&entry, 1, 0)
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { return start }
            let from = octets.baseAddress.map { $0 + start }, most = min(octets.count - start, Self.step)
            var count = send(descriptor, from, most, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            if count < 0 && errno == ENOTSOCK { count = Glibc.write(descriptor, from, most) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN { return start }
            guard count > 0 else { return octets.count }
            start += count
        }
        return start
    }

    /// The same terminal or pipe once more, for this process alone and without blocking. nil for what cannot be opened again (a socket, a
    /// pipe of somebody else's) or has no need (a file): there `poll` says how much goes.
    private static func unblocking(_ descriptor: Int32) -> Int32? {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, [S_IFCHR, S_IFIFO].contains(facts.st_mode & S_IFMT) else { return nil }
        let own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return own >= 0 ? own : nil
    }
}
