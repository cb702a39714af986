/// The LE signalling channel as a peripheral without channels has it: every request has its refusal
/// (Core Vol 3 Part A section 4). What a channel or a central takes is looked at before.
enum Signalling {
    /// Largest signalling PDU taken; the specification's minimum for LE.
    static var mtu: Int { 23 }

    static var commandReject: UInt8 { 0x01 }
    static var disconnectionRequest: UInt8 { 0x06 }
    static var disconnectionResponse: UInt8 { 0x07 }
    static var parameterUpdateRequest: UInt8 { 0x12 }
    static var parameterUpdateResponse: UInt8 { 0x13 }
    static var creditConnectionRequest: UInt8 { 0x14 }
    static var creditConnectionResponse: UInt8 { 0x15 }
    static var flowControlCredit: UInt8 { 0x16 }
    static var enhancedConnectionRequest: UInt8 { 0x17 }

    /// Codes that are responses or indications: never answered.
    private static func isSilent(_ code: UInt8) -> Bool {
        switch code {
        case commandReject, 0x03, 0x05, disconnectionResponse, 0x09, 0x0B, 0x0D, 0x0F, 0x11, parameterUpdateResponse,
            creditConnectionResponse,
            flowControlCredit, 0x18, 0x1A:
            true
        default: false
        }
    }

    /// Writes the answer to `pdu` into `answer`, which is left empty when there is none; returns why nothing was said.
    static func answer(_ pdu: borrowing Span<UInt8>, into answer: inout SignallingPDU) -> Drop? {
        guard let code = pdu.octet(at: 0), let identifier = pdu.octet(at: 1), identifier != 0 else { return .signallingMalformed }
        // Before the length: a reject that answers a reject may go on for ever.
        if isSilent(code) { return .signallingIgnored }
        if pdu.count > mtu {
            // Signalling MTU Exceeded carries our MTU.
            reject(identifier, reason: 0x0001, &answer) { $0.append(littleEndian: UInt16(mtu)) }
            return nil
        }
        guard let length = pdu.littleEndian16(at: 2), Int(length) == pdu.count - 4 else { return .signallingMalformed }
        switch code {
        case disconnectionRequest:
            guard let destination = pdu.littleEndian16(at: 4), let source = pdu.littleEndian16(at: 6) else { return .signallingMalformed }
            // Invalid CID in Request carries both endpoints.
            reject(identifier, reason: 0x0002, &answer) {
                $0.append(littleEndian: destination)
                $0.append(littleEndian: source)
            }
        case creditConnectionRequest:
            guard length == 10 else { return .signallingMalformed }
            // LE Credit Based Connection Response, result 2: SPSM not supported.
            write(creditConnectionResponse, identifier, into: &answer) {
                for _ in 0..<8 { $0.append(0) }
                $0.append(littleEndian: 0x0002)
            }
        case enhancedConnectionRequest:
            guard length >= 10, length % 2 == 0 else { return .signallingMalformed }
            write(0x18, identifier, into: &answer) {
                for _ in 0..<6 { $0.append(0) }
                $0.append(littleEndian: 0x0002)
            }
        default:
            // Of a parameter update request to a peripheral, too; the rest is unknown. Command not understood.
            reject(identifier, reason: 0x0000, &answer) { _ in }
        }
        return nil
    }

    /// A Connection Parameter Update Request: interval in 1.25 ms, latency in events, supervision in 10 ms.
    static func requestParameters(
        identifier: UInt8, _ wish: ConnectionParameters, into request: inout SignallingPDU
    ) {
        write(parameterUpdateRequest, identifier, into: &request) {
            $0.append(littleEndian: wish.minimumInterval)
            $0.append(littleEndian: wish.maximumInterval)
            $0.append(littleEndian: wish.latency)
            $0.append(littleEndian: wish.supervision)
        }
    }

    private static func reject(
        _ identifier: UInt8, reason: UInt16, _ answer: inout SignallingPDU,
        _ data: (inout SignallingPDU) -> Void
    ) {
        write(commandReject, identifier, into: &answer) {
            $0.append(littleEndian: reason)
            data(&$0)
        }
    }

    /// Writes a whole command.
    static func write(
        _ code: UInt8, _ identifier: UInt8, into answer: inout SignallingPDU, _ data: (inout SignallingPDU) -> Void
    ) {
        answer.removeAll()
        answer.append(code)
        answer.append(identifier)
        answer.append(littleEndian: 0)
        data(&answer)
        answer.set(UInt8(truncatingIfNeeded: answer.count - 4), at: 2)
    }
}
