/// What a controller says of itself during bring-up.
public struct Controller: Sendable {
    /// HCI_Version of Read_Local_Version_Information; 6 is Bluetooth 4.0.
    public var version: UInt8 = 0
    public var manufacturer: UInt16 = 0
    public var subversion: UInt16 = 0
    /// 64 octets of Read_Local_Supported_Commands (Core Vol 4 Part E 6.27).
    public var commands = InlineArray<64, UInt8>(repeating: 0)
    /// It lists LE Read Channel Map, by which a link is asked after.
    private(set) var readsChannelMap = false
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
        // Advertising reports, for whoever scans: in the command set that is used.
        if supports(.central) { mask |= commandSet == .legacy ? 1 << 1 : 1 << 12 }
        // 5.0: PHY update, by the 2M or the coded PHY; set terminated, by extended advertising; channel selection #2.
        if version >= 9, has2MPHY || leFeatures & (1 << 11) != 0 { mask |= 1 << 11 }
        if version >= 9, leFeatures & (1 << 12) != 0 || commandSet == .extended { mask |= 1 << 17 }
        if version >= 9, leFeatures & (1 << 14) != 0 { mask |= 1 << 19 }
        return mask
    }
}

extension Controller {
    /// Whether it lists the five commands of legacy advertising (Core Vol 4 Part E 6.27, octets 25 and 26).
    var hasLegacyAdvertising: Bool {
        supports(octet: 25, bit: 4) && supports(octet: 25, bit: 5) && supports(octet: 25, bit: 7)
            && supports(octet: 26, bit: 0) && supports(octet: 26, bit: 1)
    }

    /// Whether it lists the five commands of extended advertising (octet 36).
    var hasExtendedAdvertising: Bool {
        supports(octet: 36, bit: 1) && supports(octet: 36, bit: 2) && supports(octet: 36, bit: 3) && supports(octet: 36, bit: 4)
            && supports(octet: 36, bit: 5)
    }

    /// Whether it lists what scanning and initiating take with the legacy commands (octets 25 and 26).
    var hasLegacyCentral: Bool {
        supports(octet: 25, bit: 4) && supports(octet: 26, bit: 2) && supports(octet: 26, bit: 3) && supports(octet: 26, bit: 4)
            && supports(octet: 26, bit: 5)
    }

    /// Whether it lists what scanning and initiating take with the extended commands (octet 37); address and cancel are common to both.
    var hasExtendedCentral: Bool {
        version >= 9 && supports(octet: 25, bit: 4) && supports(octet: 26, bit: 5) && supports(octet: 37, bit: 5)
            && supports(octet: 37, bit: 6) && supports(octet: 37, bit: 7)
    }

    /// The set it is spoken to in. Where it has both sets for advertising and only one of them whole, it is the whole one.
    var commandSet: CommandSet {
        guard hasExtendedAdvertising else { return .legacy }
        guard hasLegacyAdvertising else { return .extended }
        return !hasLegacyCentral && hasExtendedCentral ? .extended : .legacy
    }

    /// Whether it lists what the role takes, in the set that it is spoken to in.
    public func supports(_ role: Role) -> Bool {
        switch (role, commandSet) {
        case (.peripheral, .legacy): hasLegacyAdvertising
        case (.peripheral, .extended): hasExtendedAdvertising
        case (.central, .legacy): hasLegacyCentral
        case (.central, .extended): hasExtendedCentral
        }
    }

    /// Keeps what a bring-up step returned behind its status; false when it is too short.
    mutating func take(_ parameters: borrowing Span<UInt8>, of step: BringUp.Step) -> Bool {
        switch step {
        case .version:
            guard parameters.count >= 8, let hci = parameters.octet(at: 0), let maker = parameters.littleEndian16(at: 4),
                let revision = parameters.littleEndian16(at: 6)
            else { return false }
            version = hci
            manufacturer = maker
            subversion = revision
        case .commands:
            guard parameters.count >= 64 else { return false }
            for index in 0..<64 { commands[index] = parameters[index] }
            readsChannelMap = supports(octet: 27, bit: 4)
        case .features:
            guard let mask = parameters.littleEndian64(at: 0) else { return false }
            features = mask
        case .leFeatures:
            guard let mask = parameters.littleEndian64(at: 0) else { return false }
            leFeatures = mask
        case .leBufferSize, .leBufferSizeV2:
            guard let length = parameters.littleEndian16(at: 0), let packets = parameters.octet(at: 2) else { return false }
            setBuffers(length: Int(length), packets: Int(packets))
        case .sharedBufferSize:
            guard let length = parameters.littleEndian16(at: 0), let packets = parameters.littleEndian16(at: 3) else { return false }
            setBuffers(length: Int(length), packets: Int(packets))
            // Without a buffer nothing can be answered.
            return dataLength > 0 && dataPackets > 0
        case .address:
            guard let own = DeviceAddress(parameters, at: 0) else { return false }
            address = own
        case .reset, .eventMask, .leHostSupport, .leEventMask, .suggestedDataLength, .defaultPHY: break
        }
        return true
    }

    /// An ACL packet never exceeds the frame the host writes it into.
    private mutating func setBuffers(length: Int, packets: Int) {
        dataLength = min(length, 1021)
        dataPackets = packets
    }
}
