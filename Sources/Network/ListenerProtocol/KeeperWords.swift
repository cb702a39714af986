/// What the gate asks the keeper of the socket for: one octet, which is all that can be said.
public enum KeeperRequest: UInt8, Hashable, Sendable, CaseIterable {
    /// A listener; one that runs is killed first.
    case start = 1
    case stop = 2
}

/// What the keeper of the socket says: `u8 kind | u8 0 | u16 0 | u32 serial | i32 status`, little endian, one message each.
public enum KeeperReport: Hashable, Sendable {
    /// The address is its own; said once, before everything else.
    case bound
    /// The address cannot be had; it ends.
    case notBound(errno: Int32)
    /// A descriptor comes with it: the listener's channel.
    case started(serial: UInt32)
    /// As wait(2) has it.
    case ended(serial: UInt32, status: Int32)
    case notStarted(errno: Int32)

    public static var size: Int { 12 }

    /// nil for what is none.
    public init?(decoding octets: borrowing Span<UInt8>) {
        guard octets.count == Self.size, octets[1] == 0, Little.half(octets, 2) == 0 else { return nil }
        let serial = Little.word(octets, 4), status = Int32(bitPattern: Little.word(octets, 8))
        switch octets[0] {
        case 1: self = .bound
        case 2: self = .notBound(errno: status)
        case 3: self = .started(serial: serial)
        case 4: self = .ended(serial: serial, status: status)
        case 5: self = .notStarted(errno: status)
        default: return nil
        }
        guard self.octets.elementsEqual((0..<Self.size).map { octets[$0] }) else { return nil }
    }

    public var octets: [UInt8] {
        let (kind, serial, status): (UInt8, UInt32, Int32) =
            switch self {
            case .bound: (1, 0, 0)
            case .notBound(let code): (2, 0, code)
            case .started(let serial): (3, serial, 0)
            case .ended(let serial, let status): (4, serial, status)
            case .notStarted(let code): (5, 0, code)
            }
        return [kind, 0, 0, 0] + Little.octets(serial) + Little.octets(UInt32(bitPattern: status))
    }
}
