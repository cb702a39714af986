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

    /// Answers nothing at all.
    var isDead = false
    /// Leaves Disconnect without its event: a phone out of range with a slow supervision timeout.
    var endsLinks = true
    /// Gives back the buffers of packets sent.
    var returnsCredits = true

    private var frame: [UInt8] = []

    static let version: [UInt8] = [9, 0, 0, 9, 0xFF, 0xFF, 0, 0]

    func nextToGate() -> [UInt8]? { toGate.isEmpty ? nil : toGate.removeFirst() }

    func takePDUs() -> [[UInt8]] {
        defer { toPhone = [] }
        return toPhone
    }

    // MARK: from the gate

    func take(_ packet: [UInt8]) {
        guard !isDead, packet.count >= 4 else { return }
        switch packet[0] {
        case 0x01: command(UInt16(packet[1]) | UInt16(packet[2]) << 8, Array(packet[4...]))
        case 0x02: data(packet)
        default: break
        }
    }

    private func command(_ opcode: UInt16, _ parameters: [UInt8]) {
        commands.append(opcode)
        var answer: [UInt8] = [0]
        switch opcode {
        case 0x0C03:
            isAdvertising = false
            isLinked = false
        case 0x1001: answer += Self.version
        case 0x1002: answer += (0..<64).map { $0 == 25 ? 0xB0 : $0 == 26 ? 0x03 : 0 }
        case 0x1003: answer += [0, 0, 0, 0, 0x60, 0, 0, 0]
        case 0x2002: answer += [251, 0, 8]
        case 0x2005: address = parameters
        case 0x2008: data = Array(parameters[1..<1 + Int(parameters[0])])
        case 0x2009: scanResponse = Array(parameters[1..<1 + Int(parameters[0])])
        case 0x200A: isAdvertising = parameters[0] == 1
        case 0x0406:
            toGate.append([0x04, 0x0F, 4, 0, 1, 0x06, 0x04])
            if endsLinks { drop(reason: 0x16) }
            return
        default: break
        }
        toGate.append([0x04, 0x0E, UInt8(3 + answer.count), 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)] + answer)
    }

    private func data(_ packet: [UInt8]) {
        let isFirst = packet[2] & 0x30 == 0
        if isFirst { frame = [] }
        frame += packet[5...]
        if returnsCredits { toGate.append([0x04, 0x13, 5, 1, UInt8(Self.handle & 0xFF), UInt8(Self.handle >> 8), 1, 0]) }
        guard isLinked, frame.count >= 4, frame.count == 4 + Int(frame[0]) + Int(frame[1]) << 8 else { return }
        if frame[2] == 4, frame[3] == 0 { toPhone.append(Array(frame[4...])) }
    }

    // MARK: from the phone

    func connect(interval: UInt16 = 6) {
        isLinked = true
        isAdvertising = false
        toGate.append(
            [0x04, 0x3E, 19, 0x01, 0, UInt8(Self.handle & 0xFF), UInt8(Self.handle >> 8), 1, 1] + peer
                + [UInt8(interval & 0xFF), UInt8(interval >> 8), 0, 0, 200, 0, 0])
    }

    func drop(reason: UInt8 = 0x13) {
        guard isLinked else { return }
        isLinked = false
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
