/// Pairing is refused: the credential is encrypted above ATT, nothing is stored, no attribute needs a bond
/// (Core Vol 3 Part H section 3).
enum Security {
    static var pairingRequest: UInt8 { 0x01 }
    static var pairingFailed: UInt8 { 0x05 }
    /// Keypress Notification, the highest code known.
    static var lastKnownCode: UInt8 { 0x0E }

    static var pairingNotSupported: UInt8 { 0x05 }
    static var commandNotSupported: UInt8 { 0x07 }

    /// Writes Pairing Failed into `answer` where the command asks for one; returns why nothing was said.
    static func answer(_ pdu: borrowing Span<UInt8>, into answer: inout SecurityPDU) -> Drop? {
        guard let code = pdu.octet(at: 0) else { return .securityMalformed }
        let reason: UInt8
        switch code {
        case pairingRequest: reason = pairingNotSupported
        // The rest of a pairing that never began.
        case 0x02...lastKnownCode: return .securityIgnored
        default: reason = commandNotSupported
        }
        answer.removeAll()
        answer.append(pairingFailed)
        answer.append(reason)
        return nil
    }
}
