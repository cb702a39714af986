/// The octets of each command (Core Vol 4 Part E section 7).
extension HostCore {
    /// Writes `command` as an H4 packet into `frame`.
    mutating func encode(_ command: Command, into frame: inout PacketFrame) {
        frame.removeAll()
        frame.append(PacketType.command)
        frame.append(littleEndian: command.opcode(in: commands.set).rawValue)
        frame.append(0)
        switch command {
        case .bringUp(let step): encodeParameters(of: step, into: &frame)
        case .setRandomAddress, .setAdvertisingParameters, .setAdvertisingData, .setScanResponse, .setAdvertisingEnable,
            .replaceAdvertisingData:
            advertiser.encodeParameters(of: command, in: commands.set, into: &frame)
        case .setScanAddress, .setScanParameters, .setScanEnable:
            scanner.encodeParameters(of: command, in: commands.set, into: &frame)
        case .createConnection: initiation.encodeParameters(in: commands.set, into: &frame)
        case .updateConnection(let handle):
            frame.append(littleEndian: handle)
            connection.wish.encode(into: &frame)
        case .disconnect(let handle, let reason):
            frame.append(littleEndian: handle)
            frame.append(reason.rawValue)
        case .longTermKeyNegativeReply(let handle), .readChannelMap(let handle): frame.append(littleEndian: handle)
        case .readVersion, .cancelConnection: break
        case .setDataLength(let handle):
            frame.append(littleEndian: handle)
            frame.append(littleEndian: 251)
            frame.append(littleEndian: 2120)
        case .setPHY(let handle):
            // No preference but 2M where the peer has it; no coding.
            frame.append(littleEndian: handle)
            frame.append(0x00)
            frame.append(0x02)
            frame.append(0x02)
            frame.append(littleEndian: 0)
        }
        frame.set(UInt8(truncatingIfNeeded: frame.count - 4), at: 3)
    }

    private mutating func encodeParameters(of step: BringUp.Step, into frame: inout PacketFrame) {
        switch step {
        case .eventMask:
            // Disconnection, encryption change, hardware error, data buffer overflow, key refresh, LE meta.
            Self.append(0x2000_8000_0200_8090, to: &frame)
        case .leHostSupport:
            frame.append(1)
            frame.append(0)
        case .leEventMask:
            Self.append(isEventMaskRefused ? Controller.leEventMaskAfterReset : controller.leEventMask, to: &frame)
        case .suggestedDataLength:
            frame.append(littleEndian: 251)
            frame.append(littleEndian: 2120)
        case .defaultPHY:
            frame.append(0x00)
            frame.append(0x03)
            frame.append(0x03)
        default: break
        }
    }

    private static func append(_ mask: UInt64, to frame: inout PacketFrame) {
        for index in 0..<8 { frame.append(UInt8(truncatingIfNeeded: mask >> UInt64(8 * index))) }
    }
}
