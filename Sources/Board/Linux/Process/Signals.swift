import CLinux
import Glibc

/// A request from outside the process.
public enum Signal: Hashable, Sendable {
    /// SIGTERM or SIGINT: end cleanly.
    case terminate
    /// SIGHUP: read the configuration again.
    case reload
    /// SIGUSR1: show the last verdicts.
    case list
}

/// SIGTERM, SIGINT, SIGHUP and SIGUSR1 as something to read, so that no code runs inside a signal.
///
/// Make it before the first thread: threads inherit the blocked signals. Programs started later inherit them too and must
/// unblock them (`posix_spawnattr_setsigmask`). SIGPIPE and SIGXFSZ are ignored from then on; a closed reader and a file at its
/// limit are then errors of `write`.
public final class Signals {
    /// What to watch with `epoll`.
    public let descriptor: Int32

    public init() throws(EventLoopError) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGHUP)
        sigaddset(&set, SIGUSR1)
        let code = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard code == 0 else { throw EventLoopError(errno: code) }
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK) | Int32(SFD_CLOEXEC))
        guard descriptor >= 0 else { throw EventLoopError(errno: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// The next signal that came, or nil.
    public func next() -> Signal? {
        var info = signalfd_siginfo()
        while true {
            let count = read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
            if count < 0 && errno == EINTR { continue }
            guard count == MemoryLayout<signalfd_siginfo>.size else { return nil }
            switch Int32(bitPattern: info.ssi_signo) {
            case SIGHUP: return .reload
            case SIGUSR1: return .list
            default: return .terminate
            }
        }
    }
}
