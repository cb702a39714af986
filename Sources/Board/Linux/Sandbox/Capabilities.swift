import CLinux
import Glibc

/// Capabilities of this process (capabilities(7)): of the gate, at most the one that opens the user channel, and that only in the moment of
/// opening.
public struct Capabilities: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// `CAP_NET_ADMIN`: opening the user channel and powering a controller down.
    public static let networkAdministration = Capabilities(rawValue: 1 << 12)
    /// `CAP_SETPCAP`: giving up the bounding set.
    static let capabilityTransfer = Capabilities(rawValue: 1 << 8)

    /// What the process may raise, and what it has raised; both empty where that cannot be asked.
    public static var current: (effective: Capabilities, permitted: Capabilities) {
        var effective: UInt64 = 0, permitted: UInt64 = 0, inheritable: UInt64 = 0
        guard capabilities_get(&effective, &permitted, &inheritable) == 0 else { return ([], []) }
        return (Capabilities(rawValue: effective), Capabilities(rawValue: permitted))
    }

    /// Runs `body` with this capability in effect if the process may have it, and without it if not: what needs it then says so.
    public func raised<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        let (effective, permitted) = Self.current
        guard permitted.isSuperset(of: self), !effective.isSuperset(of: self) else { return try body() }
        guard capabilities_set(effective.union(self).rawValue, permitted.rawValue, 0) == 0 else { return try body() }
        // Lowering what is permitted is never refused.
        defer { capabilities_set(effective.rawValue, permitted.rawValue, 0) }
        return try body()
    }

    /// Gives up everything else for good: none is in effect afterwards, and `self` is what can be raised, as far as it could before.
    package func keepOnly() throws(ConfinementError) {
        let permitted = Self.current.permitted
        // Without it (a service manager started an ordinary user) the bounding set stays. Nothing can be gained by it: it counts for
        // programs that are executed, and this one cannot execute any.
        if permitted.contains(.capabilityTransfer) {
            try Self.check(capabilities_set(Self.capabilityTransfer.rawValue, permitted.rawValue, 0))
            try dropBounding()
            try Self.check(capabilities_lock())
        }
        try Self.check(capabilities_ambient_clear())
        try Self.check(capabilities_set(0, permitted.intersection(self).rawValue, 0))
    }

    private func dropBounding() throws(ConfinementError) {
        for number in Int32(0)..<64 where rawValue & (1 << UInt64(number)) == 0 && capabilities_bounding_has(number) == 1 {
            try Self.check(capabilities_bounding_drop(number))
        }
    }

    private static func check(_ code: Int32) throws(ConfinementError) {
        guard code == 0 else { throw .capabilities(errno: code) }
    }
}
