import Glibc
import Linux

/// Asks for a controller that nothing else revives to be started anew: its driver unbound and bound again, which takes rights the gate does
/// not have.
///
/// The request is a file that says which controller (`hci:0`); whoever may do it watches for the file, removes it and acts
/// (`image/overlay/usr/lib/gatehouse/controller-reset`). Nothing of what a controller or a visitor said is in it.
public final class ControllerReset {
    private let path: String
    private var words: String
    /// When it was last asked, in nanoseconds of the monotonic clock.
    private var askedAt: UInt64?
    /// Since when the link cannot be opened for want of a controller that works, in nanoseconds of the monotonic clock.
    private var failingSince: UInt64?
    private var wasOpen = false

    /// Nanoseconds within which a controller that fails again has not been helped.
    static let trial: UInt64 = 600_000_000_000
    /// Nanoseconds for a driver to make a controller work, firmware and all.
    static let patience: UInt64 = 60_000_000_000

    /// - Parameters:
    ///   - path: of the request, in a folder in which this process may make files.
    ///   - controller: of the gate; one that is none of the kernel's has no driver that could be bound.
    public init(_ path: String, controller: HCIMoniker) {
        self.path = path
        words = if case .userChannel(let index) = controller { "hci:\(index)\n" } else { "none\n" }
    }

    /// What came of wanting a restart.
    public enum Answer: Hashable, Sendable {
        case asked
        /// It was done already, and did not help.
        case inVain
        /// The request cannot be made.
        case refused(errno: Int32)
    }

    /// The link to the controller is open.
    public func opened() {
        wasOpen = true
        failingSince = nil
    }

    /// The link cannot be opened. Asks where that has gone on for a minute though there is a controller, or was one in the life of this
    /// process: a driver that could not set its controller up does not try again. A controller that never was there is waited for. Nil:
    /// nothing is to be done yet.
    public func openingFailed(_ error: LinkError, now: UInt64 = Clock.monotonic()) -> Answer? {
        switch error {
        case .controllerBusy, .controllerFailed, .timedOut: break
        case .noSuchController, .unplugged: guard wasOpen || askedAt != nil else { return nil }
        default: return nil
        }
        guard let since = failingSince else {
            failingSince = now
            return nil
        }
        guard now >= since &+ Self.patience else { return nil }
        failingSince = nil
        return ask(now: now)
    }

    /// Asks, unless that was done a short while ago: then there is nothing more this process can do.
    public func ask(now: UInt64 = Clock.monotonic()) -> Answer {
        if let askedAt, now < askedAt &+ Self.trial { return .inVain }
        askedAt = now
        // Whoever watches for it reads it at once: whole, or not yet.
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return .refused(errno: errno) }
        let count = words.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
        guard close(descriptor) == 0, count == words.utf8.count, rename(new, path) == 0 else { return .refused(errno: errno) }
        return .asked
    }
}
