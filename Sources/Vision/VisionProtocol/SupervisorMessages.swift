/// What the gate asks its supervisor for: one octet, which is all that can be said.
public enum SupervisorRequest: UInt8, Hashable, Sendable, CaseIterable {
    /// A matcher; one that runs is killed first.
    case startMatcher = 1
    case stopMatcher = 2
    /// The camera's program; one that runs is killed first.
    case startCameraProgram = 3
    case stopCameraProgram = 4
    /// A worker that looks for codes; one that runs is killed first.
    case startCodeReader = 5
    case stopCodeReader = 6

    /// To start a worker of that role.
    public static func start(_ role: WorkerRole) -> SupervisorRequest { role == .matcher ? .startMatcher : .startCodeReader }
    public static func stop(_ role: WorkerRole) -> SupervisorRequest { role == .matcher ? .stopMatcher : .stopCodeReader }
}

/// What the supervisor says: `u8 kind | u8 0 | u16 0 | u32 serial | i32 status`, little endian, one message each.
public enum SupervisorReport: Hashable, Sendable {
    /// A descriptor comes with it: the worker's channel. Which role it has is what was asked for.
    case workerStarted(serial: UInt32)
    /// As wait(2) has it.
    case workerEnded(serial: UInt32, status: Int32)
    /// A descriptor comes with it: what the program writes.
    case cameraProgramStarted(serial: UInt32)
    case cameraProgramEnded(serial: UInt32, status: Int32)
    /// What was asked for last could not be started.
    case notStarted(errno: Int32)

    public static let size = 12

    public init?(decoding octets: borrowing Span<UInt8>) {
        guard octets.count == Self.size else { return nil }
        var reader = OctetReader()
        let kind = reader.octet(octets)
        guard reader.octet(octets) == 0, reader.little16(octets) == 0 else { return nil }
        let serial = reader.little32(octets), status = Int32(bitPattern: reader.little32(octets))
        switch kind {
        case 1: self = .workerStarted(serial: serial)
        case 2: self = .workerEnded(serial: serial, status: status)
        case 3: self = .cameraProgramStarted(serial: serial)
        case 4: self = .cameraProgramEnded(serial: serial, status: status)
        case 5: self = .notStarted(errno: status)
        default: return nil
        }
    }

    public var octets: [UInt8] {
        let (kind, serial, status): (UInt8, UInt32, Int32) =
            switch self {
            case .workerStarted(let serial): (1, serial, 0)
            case .workerEnded(let serial, let status): (2, serial, status)
            case .cameraProgramStarted(let serial): (3, serial, 0)
            case .cameraProgramEnded(let serial, let status): (4, serial, status)
            case .notStarted(let code): (5, 0, code)
            }
        var octets = [UInt8](repeating: 0, count: Self.size)
        var span = octets.mutableSpan
        var writer = OctetWriter()
        writer.octet(kind, &span)
        writer.octet(0, &span)
        writer.little16(0, &span)
        writer.little32(serial, &span)
        writer.little32(UInt32(bitPattern: status), &span)
        return octets
    }
}
