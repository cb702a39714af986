import Bluetooth

/// A controller in memory that hears one other: advertisements, links and data go from one to the other. It is quick, it is never
/// wrong, and it is no test of its host's manners.
public final class AirController {
    public static let handle: UInt16 = 0x0040

    /// Packets for the host, each whole with its H4 octet.
    public var toHost: [[UInt8]] = []
    /// Who is in reach.
    public weak var other: AirController?
    public private(set) var isAdvertising = false
    public private(set) var isScanning = false
    public private(set) var isInitiating = false
    public private(set) var isLinked = false
    /// The next attempts to connect come to nothing: the phone does not answer.
    public var deafness = 0
    /// Octets of an ACL packet.
    private let dataLength: UInt16
    private var hasReported = false
    private var isActive = false
    private var address: [UInt8] = [UInt8](repeating: 0, count: 6)
    private var peer: [UInt8] = []
    private var advertisement: [UInt8] = []
    private var scanResponse: [UInt8] = []
    private var parameters: [UInt8] = []

    public init(dataLength: UInt16 = 251) { self.dataLength = dataLength }

    /// The next packet for the host.
    public func next() -> [UInt8]? { toHost.isEmpty ? nil : toHost.removeFirst() }

    // MARK: from the host

    public func receive(_ packet: [UInt8]) {
        guard packet.count >= 4 else { return }
        if packet[0] == 1 { command(UInt16(packet[1]) | UInt16(packet[2]) << 8, Array(packet[4...])) } else { data(packet) }
    }

    private func command(_ opcode: UInt16, _ octets: [UInt8]) {
        switch Opcode(rawValue: opcode) {
        case .reset:
            (isAdvertising, isScanning, isInitiating, isLinked) = (false, false, false, false)
            complete(opcode)
        case .readLocalVersion: complete(opcode, [0x0C, 0, 0, 0x0C, 0xFF, 0xFF, 1, 0])
        case .readLocalSupportedCommands: complete(opcode, [UInt8](repeating: 0xFF, count: 64))
        // LE supported, BR/EDR not.
        case .readLocalSupportedFeatures: complete(opcode, [0, 0, 0, 0, 0x60, 0, 0, 0])
        case .leReadLocalFeatures: complete(opcode, [0x20, 0x01, 0, 0, 0, 0, 0, 0])
        case .leReadBufferSize, .leReadBufferSizeV2: complete(opcode, [UInt8(dataLength & 0xFF), UInt8(dataLength >> 8), 8, 0, 0, 0])
        case .readAddress: complete(opcode, [1, 2, 3, 4, 5, 6])
        case .leSetRandomAddress:
            address = octets
            complete(opcode)
        case .leSetAdvertisingData:
            advertisement = Array(octets.dropFirst().prefix(Int(octets.first ?? 0)))
            complete(opcode)
        case .leSetScanResponseData:
            scanResponse = Array(octets.dropFirst().prefix(Int(octets.first ?? 0)))
            complete(opcode)
        case .leSetScanParameters:
            isActive = octets.first == 1
            complete(opcode)
        case .leSetAdvertisingEnable, .leSetScanEnable:
            enable(opcode, octets.first == 1)
        case .leCreateConnection:
            status(opcode)
            peer = Array(octets[6..<12])
            parameters = Array(octets[13..<21])
            isInitiating = true
            meet()
        case .leCreateConnectionCancel: cancel(opcode)
        case .leSetDataLength, .leReadChannelMap: complete(opcode, Array(octets.prefix(2)) + [0xFF, 0xFF, 0xFF, 0xFF, 0x1F])
        case .leSetPHY: status(opcode)
        case .leConnectionUpdate:
            status(opcode)
            let update: [UInt8] = [0x03, 0] + octets.prefix(2) + octets[4..<10]
            event(0x3E, update)
            other?.event(0x3E, update)
        case .disconnect:
            status(opcode)
            unlink(reason: octets.last ?? 0x13)
        default: complete(opcode)
        }
    }

    private func enable(_ opcode: UInt16, _ on: Bool) {
        complete(opcode)
        if opcode == Opcode.leSetScanEnable.rawValue {
            isScanning = on
            hasReported = false
        } else {
            isAdvertising = on
        }
        meet()
        other?.meet()
    }

    private func cancel(_ opcode: UInt16) {
        complete(opcode, status: isInitiating ? 0 : 0x0C)
        if isInitiating { event(0x3E, [0x01, 0x02] + [UInt8](repeating: 0, count: 17)) }
        isInitiating = false
    }

    // MARK: the air

    /// Hears the other's advertisement, if it has one.
    private func meet() {
        guard let other, other.isAdvertising else { return }
        if isScanning, !hasReported {
            hasReported = true
            report(0, other.advertisement, of: other)
            if isActive { report(4, other.scanResponse, of: other) }
        }
        guard isInitiating, peer == other.address else { return }
        isInitiating = false
        guard deafness == 0 else {
            deafness -= 1
            return event(0x3E, [0x01, 0x3E] + [UInt8](repeating: 0, count: 17))
        }
        other.isAdvertising = false
        linked(asCentral: true, to: other, parameters)
        other.linked(asCentral: false, to: self, parameters)
    }

    private func report(_ type: UInt8, _ data: [UInt8], of other: AirController) {
        event(0x3E, [0x02, 1, type, 1] + other.address + [UInt8(data.count)] + data + [0xC0])
    }

    private func linked(asCentral: Bool, to other: AirController, _ parameters: [UInt8]) {
        isLinked = true
        // Interval, latency, supervision.
        let values = Array(parameters[0..<2]) + Array(parameters[4..<8])
        let role: UInt8 = asCentral ? 0 : 1
        event(0x3E, [0x01, 0, UInt8(Self.handle), 0, role, 1] + other.address + values + [0])
    }

    /// The link ends: with the reason given for the other, and 16 for whoever asked.
    public func unlink(reason: UInt8 = 0x08) {
        guard isLinked else { return }
        isLinked = false
        event(0x05, [0, UInt8(Self.handle), 0, 0x16])
        guard let other, other.isLinked else { return }
        other.isLinked = false
        other.event(0x05, [0, UInt8(Self.handle), 0, reason])
    }

    /// A packet of data: the other's host has it at once, and the credit comes back.
    private func data(_ packet: [UInt8]) {
        guard isLinked, let other else { return }
        var copy = packet
        // From the host 00 begins a frame, to the host 10.
        if copy[2] & 0x30 == 0 { copy[2] |= 0x20 }
        other.toHost.append(copy)
        event(0x13, [1, UInt8(Self.handle), 0, 1, 0])
    }

    // MARK: events

    private func complete(_ opcode: UInt16, _ answer: [UInt8] = [], status: UInt8 = 0) {
        event(0x0E, [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), status] + answer)
    }

    private func status(_ opcode: UInt16) { event(0x0F, [0, 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)]) }

    private func event(_ code: UInt8, _ parameters: [UInt8]) { toHost.append([4, code, UInt8(parameters.count)] + parameters) }
}
