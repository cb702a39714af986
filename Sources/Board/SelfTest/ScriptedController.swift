import Bluetooth

/// A controller that answers every command with success, and hands over what the host does with its link.
/// It is quick, it is never wrong, and it is no test of the host's manners: what a host says that makes no sense is passed over.
public struct ScriptedController {
    public static let handle: UInt16 = 0x0040
    /// Octets and count of LE ACL packets.
    public var dataLength: UInt16
    public var dataPackets: UInt8

    /// Packets for the host, each whole with its H4 octet.
    public private(set) var toHost: [[UInt8]] = []
    /// L2CAP frames the host sent, put together.
    public private(set) var frames: [[UInt8]] = []
    public private(set) var isAdvertising = false
    public private(set) var advertisingData: [UInt8] = []
    public private(set) var scanResponse: [UInt8] = []
    public private(set) var address: [UInt8] = []
    public private(set) var isConnected = false
    private var partial: [UInt8] = []

    public init(dataLength: UInt16 = 251, dataPackets: UInt8 = 8) {
        self.dataLength = dataLength
        self.dataPackets = dataPackets
    }

    public mutating func takeToHost() -> [[UInt8]] {
        defer { toHost.removeAll(keepingCapacity: true) }
        return toHost
    }

    public mutating func takeFrames() -> [[UInt8]] {
        defer { frames.removeAll(keepingCapacity: true) }
        return frames
    }

    // MARK: from the host

    public mutating func receive(_ packet: [UInt8]) {
        guard let type = packet.first else { return }
        if type == 1 { command(packet) } else if type == 2 { data(packet) }
    }

    private mutating func command(_ packet: [UInt8]) {
        guard packet.count >= 4 else { return }
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let parameters = Array(packet[4...])
        switch Opcode(rawValue: opcode) {
        case .readLocalVersion: complete(opcode, [0, 0x0C, 0, 0, 0x0C, 0xFF, 0xFF, 1, 0])
        case .readLocalSupportedCommands: complete(opcode, [0] + [UInt8](repeating: 0xFF, count: 64))
        // LE supported, BR/EDR not.
        case .readLocalSupportedFeatures: complete(opcode, [0, 0, 0, 0, 0, 0x60, 0, 0, 0])
        case .leReadLocalFeatures: complete(opcode, [0, 0x20, 0x01, 0, 0, 0, 0, 0, 0])
        case .leReadBufferSize, .leReadBufferSizeV2:
            complete(opcode, [0, UInt8(dataLength & 0xFF), UInt8(dataLength >> 8), dataPackets, 0, 0, 0])
        case .readAddress: complete(opcode, [0, 1, 2, 3, 4, 5, 6])
        case .leSetRandomAddress:
            address = parameters
            complete(opcode, [0])
        case .leSetAdvertisingData:
            advertisingData = Self.counted(parameters)
            complete(opcode, [0])
        case .leSetScanResponseData:
            scanResponse = Self.counted(parameters)
            complete(opcode, [0])
        case .leSetAdvertisingEnable:
            isAdvertising = parameters.first == 1
            complete(opcode, [0])
        case .leSetDataLength: complete(opcode, [0] + parameters.prefix(2))
        case .leSetPHY: event(0x0F, [0, 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)])
        case .disconnect:
            event(0x0F, [0, 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)])
            disconnect(reason: 0x16)
        default: complete(opcode, [0])
        }
    }

    /// The octets behind the one that counts them.
    private static func counted(_ parameters: [UInt8]) -> [UInt8] { Array(parameters.dropFirst().prefix(Int(parameters.first ?? 0))) }

    private mutating func data(_ packet: [UInt8]) {
        guard packet.count >= 5 else { return }
        let fragment = packet[5...]
        if packet[2] & 0x30 == 0x10 { partial += fragment } else { partial = Array(fragment) }
        if partial.count >= 4, partial.count == 4 + Int(partial[0]) + Int(partial[1]) << 8 {
            frames.append(partial)
            partial = []
        }
        // Number Of Completed Packets: the credit comes back at once.
        event(0x13, [1, packet[1], packet[2] & 0x0F, 1, 0])
    }

    private mutating func complete(_ opcode: UInt16, _ answer: [UInt8]) {
        event(0x0E, [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)] + answer)
    }

    private mutating func event(_ code: UInt8, _ parameters: [UInt8]) {
        toHost.append([4, code, UInt8(parameters.count)] + parameters)
    }

    // MARK: from the air

    public mutating func connect() {
        isConnected = true
        isAdvertising = false
        partial = []
        // LE Connection Complete: success, handle, peripheral, random peer, interval 30 ms, latency 0, supervision 5 s.
        event(0x3E, [0x01, 0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 0xC6, 24, 0, 0, 0, 0xF4, 1, 0])
    }

    public mutating func disconnect(reason: UInt8 = 0x13) {
        guard isConnected else { return }
        isConnected = false
        event(0x05, [0, 0x40, 0, reason])
    }

    /// An L2CAP frame to the host, cut as the controller's buffers are.
    public mutating func send(channel: UInt16 = 4, _ payload: [UInt8]) {
        let frame = [UInt8(payload.count & 0xFF), UInt8(payload.count >> 8), UInt8(channel & 0xFF), UInt8(channel >> 8)] + payload
        var start = 0
        while start < frame.count {
            let count = min(Int(dataLength), frame.count - start)
            let flags: UInt8 = start == 0 ? 0x20 : 0x10
            toHost.append([2, 0x40, flags, UInt8(count & 0xFF), UInt8(count >> 8)] + frame[start..<start + count])
            start += count
        }
    }
}
