/// The head of a well-formed command on the LE signalling channel: one in a frame, as long as it says (Core Vol 3 Part A 4).
struct SignallingCommand {
    var code: UInt8
    var identifier: UInt8

    /// Nil for what `Signalling.answer` passes over or rejects.
    init?(_ pdu: borrowing Span<UInt8>) {
        guard let code = pdu.octet(at: 0), let identifier = pdu.octet(at: 1), identifier != 0, let length = pdu.littleEndian16(at: 2),
            pdu.count == 4 + Int(length), pdu.count <= Signalling.mtu
        else { return nil }
        self.code = code
        self.identifier = identifier
    }
}
