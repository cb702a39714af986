import Glibc
import Linux

/// What a process gave up, and what it could not.
public struct ConfinementReport: Hashable, Sendable {
    public let strictness: Confinement.Strictness
    /// Whom it runs as.
    public let user: uid_t
    /// What it may raise.
    public let capabilities: Capabilities
    /// The version of Landlock in force; 0 for none.
    public let landlock: Int
    /// Whether system calls are filtered.
    public let isFiltered: Bool
    /// What was wanted and could not be had.
    public let missing: [ConfinementError]

    /// One line for the person at the terminal.
    public var line: String {
        if strictness == .off { return "not confined: everything its user may do, it may do" }
        var parts = ["user \(user)" + (user == 0 ? " (root: name an ordinary one with --user, or User= in the unit)" : "")]
        let held =
            switch capabilities {
            case []: "none"
            case .networkAdministration: "CAP_NET_ADMIN, only while the controller is opened"
            default: "0x" + String(capabilities.rawValue, radix: 16)
            }
        parts.append("capabilities " + held)
        let byMode = isFiltered ? "no Landlock: files by their modes, and none to be made" : "no Landlock: files by their modes alone"
        parts.append(landlock > 0 ? "files by Landlock \(landlock)" : byMode)
        parts.append(isFiltered ? "system calls by a list" : "any system call")
        return "confined: " + parts.joined(separator: "; ")
    }
}

/// What this kernel offers for a confinement, asked without giving up anything: for `doctor`.
public struct ConfinementOffer: Hashable, Sendable {
    /// The version of Landlock; 0 for none.
    public let landlock = FileRules.version
    /// Whether the kernel, and a container around it, has filters of system calls.
    public let hasFilters = SystemCallFilter.isOffered
    /// Whether this process could open the kernel's user channel.
    public let canOpenController = Capabilities.current.permitted.contains(.networkAdministration)

    public init() {}

    /// One line for the person at the terminal.
    public var line: String {
        let none = "no Landlock in this kernel: the running gate can make no files, and use those whose modes let it"
        return "confinement: " + (landlock > 0 ? "Landlock \(landlock)" : none)
            + (hasFilters ? ", filters of system calls" : ", no filters of system calls: run needs --confine as-possible")
    }
}
