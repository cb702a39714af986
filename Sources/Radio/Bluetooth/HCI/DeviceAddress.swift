/// A 48-bit device address, least significant octet first, as on the wire.
public struct DeviceAddress: Hashable, Sendable {
    /// The address in the low 48 bits.
    public var value: UInt64

    public init(value: UInt64 = 0) { self.value = value & 0xFFFF_FFFF_FFFF }

    /// A resolvable private address (Core Vol 6 Part B 1.3.2.2): `prand` is its more significant half, `hash` the other.
    ///
    /// - Parameters:
    ///   - prand: 24 bits, made by `prand(of:)`.
    ///   - hash: 24 bits, *ah* of an identity resolving key and `prand` (Core Vol 3 Part H 2.2.2).
    public init(prand: UInt32, hash: UInt32) {
        self.init(value: UInt64(prand & 0xFF_FFFF) << 24 | UInt64(hash & 0xFF_FFFF))
    }

    /// The prand made of 22 random bits: the two above them are 01. Nil when the 22 are all 0 or all 1, which the
    /// specification forbids.
    public static func prand(of bits: UInt32) -> UInt32? {
        let free: UInt32 = 0x3F_FFFF
        guard bits & free != 0, bits & free != free else { return nil }
        return bits & free | 0x40_0000
    }

    init?(_ octets: borrowing Span<UInt8>, at offset: Int) {
        guard octets.count >= 6, offset >= 0, offset <= octets.count - 6 else { return nil }
        var bits: UInt64 = 0
        for index in 0..<6 { bits |= UInt64(octets[offset + index]) << UInt64(8 * index) }
        self.init(value: bits)
    }

    /// Octet `index` of the address, 0 being the least significant.
    public func octet(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
}
