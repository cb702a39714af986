import Testing

@testable import Bluetooth

/// What a controller is and how it misbehaves.
struct Script {
    var version: UInt8 = 0x0C
    var commands = Script.commandMask()
    /// LE only: LE Supported, BR/EDR Not Supported.
    var features: UInt64 = 1 << 38 | 1 << 37
    /// Data Packet Length Extension and 2M PHY.
    var leFeatures: UInt64 = 1 << 5 | 1 << 8
    var leLength: UInt16 = 251
    var leCount: UInt8 = 8
    var sharedLength: UInt16 = 310
    var sharedCount: UInt16 = 6
    /// Commands answered with this status.
    var refusals: [Opcode: UInt8] = [:]
    /// Commands whose answers are lost so many times.
    var silences: [Opcode: Int] = [:]
    /// Commands whose return parameters, the status among them, are cut to so many octets.
    var cuts: [Opcode: Int] = [:]
    /// Refusals come in Command Status rather than Command Complete.
    var refusesByStatus = false
    /// What becomes of advertising data that comes while it advertises.
    var dataOnAir = DataOnAir.complains

    /// A controller takes it (Core Vol 4 Part E 7.8.7); a host that has no reason to send it so does not.
    enum DataOnAir {
        case complains, takes, refuses
    }

    /// The bit of each command in the supported-commands mask (Core Vol 4 Part E 6.27).
    static let bits: [Opcode: (octet: Int, bit: UInt8)] = [
        .disconnect: (0, 5), .setEventMask: (5, 6), .reset: (5, 7), .readLocalVersion: (14, 3),
        .readLocalSupportedCommands: (14, 4), .readLocalSupportedFeatures: (14, 5), .readBufferSize: (14, 7),
        .readAddress: (15, 1), .writeLEHostSupport: (24, 6), .leSetEventMask: (25, 0), .leReadBufferSize: (25, 1),
        .leReadLocalFeatures: (25, 2), .leSetRandomAddress: (25, 4), .leSetAdvertisingParameters: (25, 5),
        .leSetAdvertisingData: (25, 7), .leSetScanResponseData: (26, 0), .leSetAdvertisingEnable: (26, 1),
        .leSetScanParameters: (26, 2), .leSetScanEnable: (26, 3), .leCreateConnection: (26, 4), .leCreateConnectionCancel: (26, 5),
        .leConnectionUpdate: (27, 2), .leSetExtendedScanParameters: (37, 5), .leSetExtendedScanEnable: (37, 6),
        .leExtendedCreateConnection: (37, 7), .leReadChannelMap: (27, 4), .leLongTermKeyNegativeReply: (28, 2), .leSetDataLength: (33, 6),
        .leWriteSuggestedDataLength: (34, 0),
        .leSetDefaultPHY: (35, 5), .leSetPHY: (35, 6), .leSetAdvertisingSetRandomAddress: (36, 1),
        .leSetExtendedAdvertisingParameters: (36, 2), .leSetExtendedAdvertisingData: (36, 3),
        .leSetExtendedScanResponseData: (36, 4), .leSetExtendedAdvertisingEnable: (36, 5), .leReadBufferSizeV2: (41, 5),
    ]

    static let legacyCentral: [Opcode] = [.leSetScanParameters, .leSetScanEnable, .leCreateConnection]
    static let extendedCentral: [Opcode] = [.leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection]
    /// What only a central takes.
    static let central = legacyCentral + extendedCentral + [.leCreateConnectionCancel, .leConnectionUpdate]

    /// A mask with every command a peripheral knows, but those named, and but LE Read Channel Map: a host that can ask after a
    /// link does so for as long as nothing else happens on it.
    static func commandMask(without absent: Opcode..., probing: Bool = false) -> [UInt8] {
        commandMask(without: absent + central, probing: probing)
    }

    static func commandMask(without absent: [Opcode], probing: Bool = false) -> [UInt8] {
        var mask = [UInt8](repeating: 0, count: 64)
        for (opcode, place) in bits where !absent.contains(opcode) && (probing || opcode != .leReadChannelMap) {
            mask[place.octet] |= 1 << place.bit
        }
        return mask
    }

    static let legacyAdvertising: [Opcode] = [
        .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
    ]
    static let extendedAdvertising: [Opcode] = [
        .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
    ]

    /// No legacy advertising commands, only the extended ones.
    static var extended: Script {
        Script(
            commands: commandMask(
                without: .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
                .leSetAdvertisingEnable))
    }

    /// A controller that can be a central, by the legacy commands.
    static var centralRole: Script { Script(commands: commandMask(without: [Opcode]())) }

    /// The same by the extended commands, and only by those.
    static var extendedCentralOnly: Script {
        Script(
            commands: commandMask(
                without: legacyCentral + [
                    .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
                ]))
    }

    /// A 4.0 controller: no data length, no PHY, small buffers.
    static var four: Script {
        Script(
            version: 6,
            commands: commandMask(
                without: .leReadBufferSizeV2, .leSetDataLength, .leWriteSuggestedDataLength, .leSetDefaultPHY, .leSetPHY),
            leFeatures: 1, leLength: 27, leCount: 4)
    }
}

/// A controller that answers from its script and watches the host's manners.
final class ScriptedController {
    var script: Script
    /// Manners are a test's failure unless the script lies about them.
    var isStrict = true
    /// Every command taken, parameters included.
    var commands: [(opcode: Opcode, parameters: [UInt8])] = []
    /// Packets on their way to the host.
    var pending: [[UInt8]] = []
    /// Whole L2CAP frames from the host.
    var frames: [(channel: UInt16, payload: [UInt8])] = []
    /// Octets of data in each ACL packet taken.
    var fragments: [Int] = []
    var isAdvertising = false
    var isScanning = false
    var isInitiating = false
    /// Cancelling an attempt ends it; otherwise it has just ended by itself, and the event of that is on its way.
    var obeysCancel = true
    /// Packets are reported complete as they come.
    var completesPackets = true
    /// What Num_HCI_Command_Packets says.
    var allowed: UInt8 = 1
    var outstandingPackets = 0
    /// The advertising set has its parameters.
    private var hasSet = false
    private var advertisesExtended: Bool?
    private var unanswered: Opcode?
    private var partial: [UInt8] = []

    private static let lengths: [Opcode: Int] = [
        .leReadChannelMap: 2, .disconnect: 3, .setEventMask: 8, .writeLEHostSupport: 2, .leSetEventMask: 8, .leSetRandomAddress: 6,
        .leSetAdvertisingSetRandomAddress: 7, .leSetExtendedAdvertisingParameters: 25, .leSetExtendedAdvertisingEnable: 6,
        .leSetAdvertisingParameters: 15, .leSetAdvertisingData: 32, .leSetScanResponseData: 32, .leSetAdvertisingEnable: 1,
        .leLongTermKeyNegativeReply: 2, .leSetDataLength: 6, .leWriteSuggestedDataLength: 4, .leSetDefaultPHY: 3, .leSetPHY: 7,
        .leSetScanParameters: 7, .leSetScanEnable: 2, .leCreateConnection: 25, .leConnectionUpdate: 14,
        .leSetExtendedScanParameters: 8, .leSetExtendedScanEnable: 6, .leExtendedCreateConnection: 26,
    ]

    init(_ script: Script) { self.script = script }

    var opcodes: [Opcode] { commands.map(\.opcode) }

    /// The commands but the question whether an idle controller is still there.
    var wishes: [(opcode: Opcode, parameters: [UInt8])] { commands.filter { $0.opcode != .readLocalVersion } }

    /// Forgets what the host owes, as a controller whose link was opened again.
    func reopen() {
        unanswered = nil
        partial = []
        pending = []
        outstandingPackets = 0
        isAdvertising = false
        isScanning = false
        isInitiating = false
    }

    func take(_ packet: [UInt8]) {
        switch packet.first {
        case 0x01: takeCommand(packet)
        case 0x02: takeData(packet)
        default: complain("packet type of \(text(packet))")
        }
    }

    private func complain(_ manners: String) {
        if isStrict { Issue.record("the host's manners: \(manners)") }
    }

    // MARK: commands

    private func takeCommand(_ packet: [UInt8]) {
        guard packet.count >= 4, packet.count == 4 + Int(packet[3]),
            let opcode = Opcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        else { return complain("command \(text(packet))") }
        let parameters = Array(packet[4...])
        let length = Self.isExtendedData(opcode) ? 4 + Int(parameters.count > 3 ? parameters[3] : 0) : Self.lengths[opcode] ?? 0
        if parameters.count != length { complain("\(opcode) has \(parameters.count) octets") }
        watchMixing(opcode)
        if let unanswered { complain("\(opcode) while \(unanswered) is unanswered") }
        let place = Script.bits[opcode] ?? (0, 0)
        if script.commands[place.octet] & 1 << place.bit == 0 { complain("\(opcode) is not supported") }
        commands.append((opcode, parameters))
        if let left = script.silences[opcode], left > 0 {
            script.silences[opcode] = left - 1
            return
        }
        unanswered = opcode
        answer(opcode, parameters)
    }

    private static func isExtendedData(_ opcode: Opcode) -> Bool {
        opcode == .leSetExtendedAdvertisingData || opcode == .leSetExtendedScanResponseData
    }

    /// Legacy and extended advertising commands are never mixed after one Reset (Core Vol 4 Part E 3.1.1).
    private func watchMixing(_ opcode: Opcode) {
        let isExtended: Bool
        switch opcode {
        case .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters,
            .leSetScanEnable, .leCreateConnection:
            isExtended = false
        case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
            .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leSetExtendedScanParameters, .leSetExtendedScanEnable,
            .leExtendedCreateConnection:
            isExtended = true
        default: return
        }
        if let before = advertisesExtended, before != isExtended { complain("\(opcode) mixes legacy and extended commands") }
        advertisesExtended = isExtended
    }

    private func answer(_ opcode: Opcode, _ parameters: [UInt8]) {
        if let status = script.refusals[opcode] { return refuse(opcode, status) }
        switch opcode {
        case .reset:
            isAdvertising = false
            isScanning = false
            isInitiating = false
            hasSet = false
            advertisesExtended = nil
            outstandingPackets = 0
            complete(opcode, [0])
        case .readLocalVersion: complete(opcode, [0, script.version, 1, 2, script.version, 0x0F, 0, 3, 4])
        case .readLocalSupportedCommands: complete(opcode, [0] + script.commands)
        case .readLocalSupportedFeatures: complete(opcode, [0] + mask(script.features))
        case .leReadLocalFeatures: complete(opcode, [0] + mask(script.leFeatures))
        case .leReadBufferSize: complete(opcode, [0] + pair(script.leLength) + [script.leCount])
        case .leReadBufferSizeV2: complete(opcode, [0] + pair(script.leLength) + [script.leCount, 0, 0, 0])
        case .readBufferSize: complete(opcode, [0] + pair(script.sharedLength) + [60] + pair(script.sharedCount) + [8, 0])
        case .readAddress: complete(opcode, [0, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA])
        case .leSetAdvertisingData where isAdvertising && script.dataOnAir != .complains,
            .leSetExtendedAdvertisingData where isAdvertising && script.dataOnAir != .complains:
            complete(opcode, [script.dataOnAir == .takes ? 0 : 0x0C])
        case .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData:
            if isAdvertising { complain("\(opcode) while advertising") }
            if isScanning || isInitiating { complain("\(opcode) while scanning or initiating") }
            complete(opcode, [isAdvertising || isScanning || isInitiating ? 0x0C : 0])
        case .leSetAdvertisingEnable:
            isAdvertising = parameters.first == 1
            complete(opcode, [0])
        case .leSetScanParameters, .leSetExtendedScanParameters:
            if isScanning { complain("\(opcode) while scanning") }
            complete(opcode, [isScanning ? 0x0C : 0])
        case .leSetScanEnable, .leSetExtendedScanEnable:
            if parameters.first == 1, isAdvertising || isInitiating { complain("\(opcode) while something else is on the air") }
            isScanning = parameters.first == 1
            complete(opcode, [0])
        case .leCreateConnection, .leExtendedCreateConnection:
            if isAdvertising || isScanning || isInitiating { complain("\(opcode) while something else is on the air") }
            isInitiating = true
            status(opcode, 0)
        case .leCreateConnectionCancel:
            complete(opcode, [isInitiating && obeysCancel ? 0 : 0x0C])
            if isInitiating, obeysCancel { pending.append(octets("04 3E 13 01 02" + String(repeating: " 00", count: 17))) }
            isInitiating = false
        case .leConnectionUpdate:
            status(opcode, 0)
            pending.append([0x04, 0x3E, 0x0A, 0x03, 0] + parameters.prefix(2) + parameters[4..<6] + parameters[6..<10])
        case .leSetExtendedAdvertisingParameters:
            if isAdvertising { complain("\(opcode) while advertising") }
            hasSet = true
            complete(opcode, isAdvertising ? [0x0C] : [0, 7])
        case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData:
            if isAdvertising { complain("\(opcode) while advertising") }
            if !hasSet { complain("\(opcode) without a set") }
            complete(opcode, [hasSet ? isAdvertising ? 0x0C : 0 : 0x42])
        case .leSetExtendedAdvertisingEnable:
            if hasSet { isAdvertising = parameters.first == 1 }
            complete(opcode, [hasSet ? 0 : 0x42])
        case .disconnect:
            status(opcode, 0)
            pending.append(octets("04 05 04 00") + parameters.prefix(2) + [0x16])
        case .leSetPHY: status(opcode, 0)
        case .leReadChannelMap: complete(opcode, [0] + parameters.prefix(2) + [0xFF, 0xFF, 0xFF, 0xFF, 0x1F])
        case .leSetDataLength, .leLongTermKeyNegativeReply: complete(opcode, [0] + parameters.prefix(2))
        case .setEventMask, .leSetEventMask, .writeLEHostSupport, .leWriteSuggestedDataLength, .leSetDefaultPHY:
            complete(opcode, [0])
        }
    }

    private func refuse(_ opcode: Opcode, _ reason: UInt8) {
        let hasStatus =
            script.refusesByStatus
            || [.disconnect, .leSetPHY, .leCreateConnection, .leExtendedCreateConnection, .leConnectionUpdate].contains(opcode)
        if hasStatus { status(opcode, reason) } else { complete(opcode, [reason]) }
    }

    func complete(_ opcode: Opcode, _ answer: [UInt8]) {
        let kept = Array(answer.prefix(script.cuts[opcode] ?? answer.count))
        pending.append([0x04, 0x0E, UInt8(3 + kept.count), allowed] + pair(opcode.rawValue) + kept)
    }

    func status(_ opcode: Opcode, _ status: UInt8) {
        pending.append([0x04, 0x0F, 4, status, allowed] + pair(opcode.rawValue))
    }

    /// The next packet for the host.
    func next() -> [UInt8]? { pending.isEmpty ? nil : pending.removeFirst() }

    /// The host has `packet`; an answer leaves it free for its next command.
    func handed(_ packet: [UInt8]) {
        if packet.count > 1, packet[1] == 0x0E || packet[1] == 0x0F { unanswered = nil }
    }

    private func mask(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    // MARK: data

    private func takeData(_ packet: [UInt8]) {
        guard packet.count >= 5 else { return complain("data \(text(packet))") }
        let word = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let count = Int(packet[3]) | Int(packet[4]) << 8
        let limit = script.leLength > 0 && script.leCount > 0 ? Int(script.leLength) : Int(script.sharedLength)
        let packets = script.leLength > 0 && script.leCount > 0 ? Int(script.leCount) : Int(script.sharedCount)
        if packet.count != 5 + count || count > limit || count == 0 { complain("fragment of \(packet.count - 5)") }
        fragments.append(count)
        outstandingPackets += 1
        if outstandingPackets > packets { complain("\(outstandingPackets) packets in \(packets) buffers") }
        switch word >> 12 {
        case 0b0000:
            if !partial.isEmpty { complain("a frame begins inside another") }
            partial = Array(packet[5...])
        case 0b0001:
            if partial.isEmpty { complain("a continuation without a start") }
            partial += packet[5...]
        default: complain("flags \(word >> 12)")
        }
        if partial.count >= 4, partial.count >= 4 + Int(partial[0]) + Int(partial[1]) << 8 {
            if partial.count != 4 + Int(partial[0]) + Int(partial[1]) << 8 { complain("a frame overruns its length") }
            frames.append((UInt16(partial[2]) | UInt16(partial[3]) << 8, Array(partial[4...])))
            partial = []
        }
        if completesPackets { completePackets(word & 0x0FFF, 1) }
    }

    /// Reports packets of `handle` complete.
    func completePackets(_ handle: UInt16, _ count: Int) {
        outstandingPackets = max(0, outstandingPackets - count)
        pending.append(octets("04 13 05 01") + pair(handle) + pair(count))
    }

    /// The link is gone, and with it its packets and half a frame.
    func linkEnded() {
        outstandingPackets = 0
        partial = []
    }
}
