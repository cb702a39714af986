/// What comes in from a door. The order is that of the device's inputs.
public enum DoorSignal: UInt8, CaseIterable, Hashable, Sendable {
    /// The door stands open.
    case contact
    /// Somebody opens the gate's housing, or cuts its lines.
    case tamper
    /// Somebody inside wants to come out.
    case exit
    /// Everybody has to come out: open for as long as it is active, whatever else.
    case emergency
    /// The supervisor's key is turned.
    case supervisor
    /// The guard wants to see the last verdicts.
    case list
    /// A visitor has a code to show.
    case code
}

/// Some of the signals: those that are active.
public struct DoorSignals: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public init(_ signal: DoorSignal) {
        rawValue = 1 << signal.rawValue
    }

    public func contains(_ signal: DoorSignal) -> Bool { contains(DoorSignals(signal)) }

    mutating func set(_ signal: DoorSignal, _ isActive: Bool) {
        if isActive { insert(DoorSignals(signal)) } else { remove(DoorSignals(signal)) }
    }
}

/// What is open. A turnstile has a line for each direction; a door with one lock has no `exit` of its own.
public struct DoorOpenings: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let entry = DoorOpenings(rawValue: 1)
    public static let exit = DoorOpenings(rawValue: 2)
}
