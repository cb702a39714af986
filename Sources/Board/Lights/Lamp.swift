import Gate

/// A lamp a gate can have. Accept and reject are always fitted, the others where the board has them.
public enum Lamp: UInt8, CaseIterable, Sendable, Hashable {
    case ready
    case busy
    /// Green.
    case accept
    /// Red.
    case reject
    case fault
    /// Where to look for the camera.
    case look

    public var name: StaticString {
        switch self {
        case .ready: "ready"
        case .busy: "busy"
        case .accept: "accept"
        case .reject: "reject"
        case .fault: "fault"
        case .look: "look"
        }
    }

    init?(named name: some StringProtocol) {
        guard let lamp = Lamp.allCases.first(where: { name == $0.name.description }) else { return nil }
        self = lamp
    }
}

/// Some of the lamps.
public struct LampSet: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let ready = LampSet(.ready)
    public static let busy = LampSet(.busy)
    public static let accept = LampSet(.accept)
    public static let reject = LampSet(.reject)
    public static let fault = LampSet(.fault)
    public static let look = LampSet(.look)
    public static let all: LampSet = [.ready, .busy, .accept, .reject, .fault, .look]

    public init(_ lamp: Lamp) {
        rawValue = 1 << lamp.rawValue
    }

    public func contains(_ lamp: Lamp) -> Bool {
        rawValue & (1 << lamp.rawValue) != 0
    }
}

/// Which lamps show one state, and how they blink.
public struct LightPattern: Hashable, Sendable {
    public let lamps: LampSet
    /// Milliseconds from one lighting to the next; 0 is steady.
    public let period: UInt32
    /// Milliseconds of a period in which the lamps are lit.
    public let lit: UInt32

    static func steady(_ lamps: LampSet) -> LightPattern {
        LightPattern(lamps: lamps, period: 0, lit: 0)
    }

    static func blinking(_ lamps: LampSet, period: UInt32, lit: UInt32) -> LightPattern {
        LightPattern(lamps: lamps, period: period, lit: lit)
    }

    /// What a state looks like: the first of these whose lamps are all fitted. The table is the whole behaviour of the lights.
    ///
    /// The accept lamp belongs to the accept state alone: no other row may name it.
    static func choices(for state: LightState) -> [LightPattern] {
        switch state {
        case .off: []
        case .ready: [.steady(.ready)]
        case .busy: [.steady(.busy), .blinking(.ready, period: 400, lit: 200)]
        case .accept: [.steady(.accept)]
        case .reject: [.steady(.reject)]
        case .look: [.steady(.look), .blinking(.busy, period: 600, lit: 300), .blinking(.ready, period: 200, lit: 100)]
        // Four times as slow as the fault, on either lamp: whoever stands before the gate can tell them apart.
        case .closed: [.blinking(.fault, period: 4000, lit: 2000), .blinking(.reject, period: 4000, lit: 100)]
        case .fault: [.blinking(.fault, period: 1000, lit: 500), .blinking(.reject, period: 1000, lit: 100)]
        }
    }
}
