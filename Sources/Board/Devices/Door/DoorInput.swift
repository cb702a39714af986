/// What a door can tell a gate. Each is fitted where the board has it.
public enum DoorInput: UInt8, CaseIterable, Sendable, Hashable {
    /// Active while the door stands open.
    case contact
    /// Active while the housing is open, or its loop is cut.
    case tamper
    /// A button beside the door, on the inner side.
    case exit
    /// Active while everybody has to come out.
    case emergency
    /// A supervisor's key switch.
    case supervisor
    /// A guard's button, for the last verdicts on the screen.
    case list
    /// A visitor's button: a code is about to be held before the camera.
    case code

    public var name: StaticString {
        switch self {
        case .contact: "contact"
        case .tamper: "tamper"
        case .exit: "exit"
        case .emergency: "emergency"
        case .supervisor: "supervisor"
        case .list: "list"
        case .code: "code"
        }
    }

    init?(named name: some StringProtocol) {
        guard let input = DoorInput.allCases.first(where: { name == $0.name.description }) else { return nil }
        self = input
    }
}

/// Some of the inputs.
public struct DoorInputs: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public init(_ input: DoorInput) {
        rawValue = 1 << input.rawValue
    }

    public func contains(_ input: DoorInput) -> Bool { rawValue & (1 << input.rawValue) != 0 }
}

/// What a gate can open. An active output means that the door may be opened, whatever the lock needs for that.
public enum DoorOutput: UInt8, CaseIterable, Sendable, Hashable {
    /// The lock; of a turnstile, the way in.
    case lock
    /// A turnstile's way out.
    case second

    public var name: StaticString {
        switch self {
        case .lock: "lock"
        case .second: "second"
        }
    }

    init?(named name: some StringProtocol) {
        guard let output = DoorOutput.allCases.first(where: { name == $0.name.description }) else { return nil }
        self = output
    }
}

/// Some of the outputs.
public struct DoorOutputs: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public init(_ output: DoorOutput) {
        rawValue = 1 << output.rawValue
    }

    public static let lock = DoorOutputs(.lock)
    public static let second = DoorOutputs(.second)

    public func contains(_ output: DoorOutput) -> Bool { rawValue & (1 << output.rawValue) != 0 }
}

/// An input that changed. Contacts bounce: whoever reads these decides how long a level has to last.
public struct DoorEdge: Hashable, Sendable {
    public var input: DoorInput
    public var isActive: Bool
    /// Nanoseconds of the monotonic clock, by the kernel.
    public var at: UInt64

    public init(input: DoorInput, isActive: Bool, at: UInt64) {
        self.input = input
        self.isActive = isActive
        self.at = at
    }
}
