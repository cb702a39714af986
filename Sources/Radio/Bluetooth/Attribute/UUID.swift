/// A Bluetooth UUID: 16 bits of the Bluetooth base, or 128 bits. The two forms of one UUID are equal.
public struct UUID: Hashable, Sendable {
    /// The most significant and the least significant 64 bits.
    public let high: UInt64
    public let low: UInt64
    /// Whether it travels as two octets.
    public let isShort: Bool

    /// A UUID of the Bluetooth base, 0000xxxx-0000-1000-8000-00805F9B34FB.
    public init(_ short: UInt16) {
        high = UInt64(short) << 32 | 0x1000
        low = 0x8000_0080_5F9B_34FB
        isShort = true
    }

    /// A 128-bit UUID; it travels as sixteen octets even where it is one of the Bluetooth base.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
        isShort = false
    }

    /// Two or sixteen octets, least significant first.
    init?(_ octets: borrowing Span<UInt8>) {
        if octets.count == 2, let short = octets.littleEndian16(at: 0) {
            self.init(short)
        } else if octets.count == 16, let low = octets.littleEndian64(at: 0), let high = octets.littleEndian64(at: 8) {
            self.init(high: high, low: low)
        } else {
            return nil
        }
    }

    public static func == (a: UUID, b: UUID) -> Bool { a.high == b.high && a.low == b.low }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }

    /// The 16-bit form, where it has one.
    public var short: UInt16 { UInt16(truncatingIfNeeded: high >> 32) }

    var octetCount: Int { isShort ? 2 : 16 }

    @discardableResult
    func write<let size: Int>(to buffer: inout OctetBuffer<size>) -> Bool {
        guard buffer.room >= octetCount else { return false }
        if isShort { return buffer.append(littleEndian: short) }
        for index in 0..<8 { buffer.append(UInt8(truncatingIfNeeded: low >> UInt64(8 * index))) }
        for index in 0..<8 { buffer.append(UInt8(truncatingIfNeeded: high >> UInt64(8 * index))) }
        return true
    }

    // GATT declarations and descriptors (Core Vol 3 Part G section 3), GAP and GATT services.
    public static var primaryService: UUID { UUID(0x2800) }
    public static var secondaryService: UUID { UUID(0x2801) }
    public static var include: UUID { UUID(0x2802) }
    public static var characteristic: UUID { UUID(0x2803) }
    public static var extendedProperties: UUID { UUID(0x2900) }
    public static var userDescription: UUID { UUID(0x2901) }
    public static var clientConfiguration: UUID { UUID(0x2902) }
    public static var genericAccess: UUID { UUID(0x1800) }
    public static var genericAttribute: UUID { UUID(0x1801) }
    public static var deviceName: UUID { UUID(0x2A00) }
    public static var appearance: UUID { UUID(0x2A01) }
    public static var serviceChanged: UUID { UUID(0x2A05) }
}
