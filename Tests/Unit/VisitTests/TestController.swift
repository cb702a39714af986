/// A controller and the radio behind it, as far as a gate can tell: answers every command, carries packets to a phone.
final class TestController {
    /// H4 packets on their way to the gate.
    private(set) var toGate: [[UInt8]] = []
    /// ATT PDUs that reached the phone.
    private(set) var toPhone: [[UInt8]] = []
    private(set) var commands: [UInt16] = []

    private(set) var isAdvertising = false
    private(set) var address: [UInt8] = []
    private(set) var data: [UInt8] = []
    private(set) var scanResponse: [UInt8] = []
    private(set) var isLinked = false
    static let handle: UInt16 = 0x0040
    /// Address of the phone, least significant octet first.
    var peer: [UInt8] = [1, 2, 3, 4, 5, 0xC6]

    /// Every command, indicator and all.
    private(set) var commandPackets: [[UInt8]] = []
    /// L2CAP frames that reached the phone on other channels than ATT's.
    private(set) var otherFrames: [(channel: UInt16, payload: [UInt8])] = []
    /// What a host may not do and did.
    private(set) var offences: [String] = []
    /// Every packet of data: its L2CAP channel, and whether it begins a frame.
    private(set) var dataPackets: [(channel: UInt16, isFirst: Bool)] = []
    var script = ControllerScript()

    /// Answers nothing at all.
    var isDead = false
    /// Leaves Disconnect without its event: a phone out of range with a slow supervision timeout.
    var endsLinks = true
    /// Gives back the buffers of packets sent.
    var returnsCredits = true

    /// The subevent that tells a connection: LE Connection Complete, or 0A for the enhanced one.
    var connectionForm: UInt8 = 0x01
    /// What carries a packet to the gate; it comes out as it went in.
    var wire: (([UInt8]) -> [UInt8])?

    private var frame: [UInt8] = []
    /// Packets of data that lie in its buffers.
    private(set) var held = 0
    private var hasSet = false
    private var advertisesExtended: Bool?

    func nextToGate() -> [UInt8]? {
        guard !toGate.isEmpty else { return nil }
        let packet = toGate.removeFirst()
        return wire?(packet) ?? packet
    }

    /// A packet for the gate, whatever is in it.
    func inject(_ packet: [UInt8]) { toGate.append(packet) }

    func takePDUs() -> [[UInt8]] {
        defer { toPhone = [] }
        return toPhone
    }

    // MARK: from the gate

    func take(_ packet: [UInt8]) {
        guard !isDead, packet.count >= 4 else { return }
        switch packet[0] {
        case 0x01: command(packet)
        case 0x02: data(packet)
        default: break
        }
    }

    private func command(_ packet: [UInt8]) {
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        let parameters = Array(packet[4...])
        commands.append(opcode)
        commandPackets.append(packet)
        if let left = script.silences[opcode], left > 0 {
            script.silences[opcode] = left - 1
            return
        }
        if let status = script.refusals[opcode] { return refuse(opcode, status) }
        var answer: [UInt8] = [0]
        switch opcode {
        case 0x0C03: reset()
        case 0x2005: address = parameters
        case 0x2006, 0x2008, 0x2009, 0x200A: answer = [advertiseLegacy(opcode, parameters)]
        case 0x2035...0x2039: answer = [advertiseExtended(opcode, parameters)]
        case 0x0406:
            toGate.append([0x04, 0x0F, 4, 0, 1, 0x06, 0x04])
            if parameters.prefix(2) != pair(Self.handle)[...] {
                toGate.append([0x04, 0x05, 4, 0] + parameters.prefix(2) + [0x16])
            } else if endsLinks {
                drop(reason: 0x16)
            }
            return
        case 0x2032:
            toGate.append([0x04, 0x0F, 4, 0, 1, 0x32, 0x20])
            return
        default: answer += script.facts(opcode)
        }
        toGate.append([0x04, 0x0E, UInt8(3 + answer.count), 1] + pair(opcode) + answer)
    }

    private func refuse(_ opcode: UInt16, _ status: UInt8) {
        let isByStatus = opcode == 0x0406 || opcode == 0x2032
        toGate.append(isByStatus ? [0x04, 0x0F, 4, status, 1] + pair(opcode) : [0x04, 0x0E, 4, 1] + pair(opcode) + [status])
    }

    private func reset() {
        isAdvertising = false
        isLinked = false
        hasSet = false
        advertisesExtended = nil
        held = 0
        frame = []
    }

    private func advertiseLegacy(_ opcode: UInt16, _ parameters: [UInt8]) -> UInt8 {
        if advertisesExtended == true || !script.has(opcode) { offences.append("command \(opcode) on a controller of the extended ones") }
        advertisesExtended = false
        if opcode != 0x200A, isAdvertising { return 0x0C }
        switch opcode {
        case 0x2008: data = Array(parameters[1..<1 + Int(parameters[0])])
        case 0x2009: scanResponse = Array(parameters[1..<1 + Int(parameters[0])])
        case 0x200A: isAdvertising = parameters[0] == 1
        default: break
        }
        return 0
    }

    private func advertiseExtended(_ opcode: UInt16, _ parameters: [UInt8]) -> UInt8 {
        if advertisesExtended == false || !script.has(opcode) { offences.append("command \(opcode) on a controller of the legacy ones") }
        advertisesExtended = true
        if opcode != 0x2039, isAdvertising { return 0x0C }
        if opcode == 0x2036 { hasSet = true }
        guard hasSet else { return 0x42 }
        switch opcode {
        case 0x2035: address = Array(parameters.dropFirst())
        case 0x2037: data = Array(parameters.dropFirst(4))
        case 0x2038: scanResponse = Array(parameters.dropFirst(4))
        case 0x2039: isAdvertising = parameters[0] == 1
        default: break
        }
        return 0
    }

    private func data(_ packet: [UInt8]) {
        let isFirst = packet[2] & 0x30 == 0
        if isFirst { frame = [] }
        frame += packet[5...]
        held += 1
        if packet.count - 5 > script.bufferLength { offences.append("\(packet.count - 5) octets in a buffer of \(script.bufferLength)") }
        if held > script.buffers { offences.append("\(held) packets in \(script.buffers) buffers") }
        if frame.count >= 4 { dataPackets.append((UInt16(frame[2]) | UInt16(frame[3]) << 8, isFirst)) }
        if returnsCredits { returnCredits(1) }
        guard isLinked, frame.count >= 4, frame.count == 4 + Int(frame[0]) + Int(frame[1]) << 8 else { return }
        let payload = Array(frame[4...])
        if frame[2] == 4, frame[3] == 0 {
            toPhone.append(payload)
        } else {
            otherFrames.append((UInt16(frame[2]) | UInt16(frame[3]) << 8, payload))
        }
    }

    /// Says of `handle` that so many packets have left its buffers.
    func returnCredits(_ count: Int, handle: UInt16 = handle) {
        if handle == Self.handle { held = max(0, held - count) }
        toGate.append([0x04, 0x13, 5, 1] + pair(handle) + pair(count))
    }

    // MARK: from the phone

    func connect(interval: UInt16 = 6) {
        isLinked = true
        isAdvertising = false
        let head: [UInt8] = [connectionForm, 0] + pair(Self.handle) + [1, 1] + peer
        let addresses = [UInt8](repeating: 0, count: connectionForm == 0x0A ? 12 : 0)
        let parameters = pair(interval) + [0, 0, 200, 0, 0]
        toGate.append([0x04, 0x3E, UInt8(head.count + addresses.count + parameters.count)] + head + addresses + parameters)
        // The set that brought the link has ended with it.
        if advertisesExtended == true { toGate.append([0x04, 0x3E, 6, 0x12, 0, 0] + pair(Self.handle) + [0]) }
    }

    func drop(reason: UInt8 = 0x13) {
        guard isLinked else { return }
        isLinked = false
        held = 0
        frame = []
        toGate.append([0x04, 0x05, 4, 0, UInt8(Self.handle & 0xFF), UInt8(Self.handle >> 8), reason])
    }

    func send(_ pdu: [UInt8]) {
        guard isLinked else { return }
        let length = pdu.count
        toGate.append(
            [0x02, UInt8(Self.handle & 0xFF), UInt8(Self.handle >> 8) | 0x20, UInt8((length + 4) & 0xFF), UInt8((length + 4) >> 8)]
                + [UInt8(length & 0xFF), UInt8(length >> 8), 4, 0] + pdu)
    }

    func hardwareError() { toGate.append([0x04, 0x10, 1, 0x42]) }
}
