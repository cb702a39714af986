/// What of a confinement could not be had.
public enum ConfinementError: Error, Hashable, Sendable {
    /// There is no user of that name.
    case noSuchUser
    /// Only root can become another user.
    case notRoot
    /// Root is no ordinary user.
    case userIsRoot
    /// The system did not let the process become the user.
    case user(errno: Int32)
    /// Somebody else runs in the process, and would keep what this thread gives up.
    case otherThreads
    case capabilities(errno: Int32)
    /// No new privileges, not dumpable, limits of resources.
    case process(errno: Int32)
    /// The kernel has Landlock, but refuses the rules.
    case files(errno: Int32)
    /// The filter of system calls. EPERM or EINVAL where a container forbids a filter of one's own.
    case systemCalls(errno: Int32)
}

extension ConfinementError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSuchUser: "there is no such user"
        case .notRoot: "only root can become another user"
        case .userIsRoot: "root is no ordinary user"
        case .user(let code): "the system does not let it become the user (\(systemCause(code)))"
        case .otherThreads: "something else runs in the process already"
        case .capabilities(let code): "capabilities cannot be given up (\(systemCause(code)))"
        case .process(let code): "privileges and limits cannot be given up (\(systemCause(code)))"
        case .files(let code): "Landlock refuses its rules (\(systemCause(code)))"
        case .systemCalls(let code): "system calls cannot be filtered (\(systemCause(code))): a container may forbid it"
        }
    }
}
