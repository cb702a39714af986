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
