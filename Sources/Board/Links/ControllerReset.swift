import Glibc

/// Asks for a controller that nothing else revives to be started anew: its driver unbound and bound again, which takes rights the gate does not have.
///
/// The request is an empty file; whoever may do it watches for the file, removes it and acts (`image/overlay/usr/libexec/gatehouse/controller-reset`).
/// Nothing of what a controller or a visitor said is in it.
public final class ControllerReset {
    private let path: String
    /// When it was last asked, in nanoseconds of the monotonic clock.
    private var askedAt: UInt64?

    /// Nanoseconds within which a controller that fails again has not been helped.
    static let trial: UInt64 = 600_000_000_000

    /// - Parameter path: of the request, in a folder in which this process may make files.
    public init(_ path: String) {
        self.path = path
    }

    /// What came of wanting a restart.
    public enum Answer: Hashable, Sendable {
        case asked
        /// It was done already, and did not help.
        case inVain
        /// The request cannot be made.
        case refused(errno: Int32)
    }

    /// Asks, unless that was done a short while ago: then there is nothing more this process can do.
    public func ask(now: UInt64 = Clock.monotonic()) -> Answer {
        if let askedAt, now < askedAt &+ Self.trial { return .inVain }
        askedAt = now
        let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return .refused(errno: errno) }
        close(descriptor)
        return .asked
    }
}
