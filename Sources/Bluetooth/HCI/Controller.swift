/// What a controller says of itself during bring-up.
public struct Controller: Sendable {
    /// HCI_Version of Read_Local_Version_Information; 6 is Bluetooth 4.0.
    public var version: UInt8 = 0
    public var manufacturer: UInt16 = 0
    public var subversion: UInt16 = 0
    /// 64 octets of Read_Local_Supported_Commands (Core Vol 4 Part E 6.27).
    public var commands = InlineArray<64, UInt8>(repeating: 0)
    /// LMP feature page 0.
    public var features: UInt64 = 0
    /// LE feature set.
    public var leFeatures: UInt64 = 0
    /// BD_ADDR as sent, least significant octet first. All zero and vendor defaults are common.
    public var address = DeviceAddress()
    /// Most octets of data in one LE ACL packet to the controller.
    public var dataLength = 0
    /// How many such packets the controller holds.
    public var dataPackets = 0

    public init() {}

    /// Whether the supported-commands mask has `bit` of `octet`.
    public func supports(octet: Int, bit: Int) -> Bool {
        guard octet >= 0, octet < commands.count, bit >= 0, bit < 8 else { return false }
        return commands[octet] & (1 << UInt8(bit)) != 0
    }

    /// LE Supported (Controller), LMP feature octet 4 bit 6.
    public var isLESupported: Bool { features & (1 << 38) != 0 }
    /// A dual-mode controller: BR/EDR Not Supported (octet 4 bit 5) is clear.
    public var isDualMode: Bool { features & (1 << 37) == 0 }
    /// LE Data Packet Length Extension, LE feature bit 5.
    public var hasDataLengthExtension: Bool { leFeatures & (1 << 5) != 0 }
    /// LE 2M PHY, LE feature bit 8.
    public var has2MPHY: Bool { leFeatures & (1 << 8) != 0 }

    /// What every controller has and sets by Reset (Core Vol 4 Part E 7.8.1).
    static var leEventMaskAfterReset: UInt64 { 0x1F }

    /// The LE events asked for: what is handled and no more, since a remote connection parameter request (bit 5) left
    /// unanswered would stall the central; and no bit that this version or these features leave reserved, since some
    /// controllers refuse those (Core Vol 4 Part E 7.8.1).
    var leEventMask: UInt64 {
        // 4.0: it may refuse anything but what Reset sets.
        guard version > 6 else { return Self.leEventMaskAfterReset }
        // Connection complete, connection update, long term key request.
        var mask: UInt64 = 1 << 0 | 1 << 2 | 1 << 4
        // 4.2: data length change, by its extension; enhanced connection complete, by LL privacy.
        if version >= 8, hasDataLengthExtension { mask |= 1 << 6 }
        if version >= 8, leFeatures & (1 << 6) != 0 { mask |= 1 << 9 }
        // 5.0: PHY update, by the 2M or the coded PHY; set terminated, by extended advertising; channel selection #2.
        if version >= 9, has2MPHY || leFeatures & (1 << 11) != 0 { mask |= 1 << 11 }
        if version >= 9, leFeatures & (1 << 12) != 0 || !hasLegacyAdvertising && hasExtendedAdvertising { mask |= 1 << 17 }
        if version >= 9, leFeatures & (1 << 14) != 0 { mask |= 1 << 19 }
        return mask
    }
}

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
