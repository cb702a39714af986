/// Connection parameters: a peripheral asks its central for those that suit a transfer, a central is asked (Core Vol 3 Part A 4.20).
extension HostCore {
    mutating func beginTransfer(_ now: Instant) {
        guard connection.isUp, !connection.isTransferring else { return }
        connection.isTransferring = true
        connection.hasSpoken = true
        connection.judgeParameters(after: 0, now)
    }

    /// A phone's wish, of a central: interval, latency, supervision. Taken is what is possible and as good as a transfer wants it; all
    /// else is refused, for a session runs on every link. False where the command is cut off.
    mutating func answerParameters(_ command: SignallingCommand, _ pdu: borrowing Span<UInt8>) -> Bool {
        guard let least = pdu.littleEndian16(at: 4), let most = pdu.littleEndian16(at: 6), let latency = pdu.littleEndian16(at: 8),
            let supervision = pdu.littleEndian16(at: 10), pdu.count == 12
        else { return false }
        let wish = ConnectionParameters(minimumInterval: least, maximumInterval: most, latency: latency, supervision: supervision)
        let isTaken =
            wish.isValid && !ConnectionParameters.transfer.improves(interval: most, latency: latency) && !connection.isUpdating
            && connection.disconnectingUntil == nil && controller.supports(octet: 27, bit: 2)
        Signalling.write(Signalling.parameterUpdateResponse, command.identifier, into: &connection.transmission.signalling) {
            // 0 accepted, 1 rejected.
            $0.append(littleEndian: isTaken ? 0 : 1)
        }
        if isTaken {
            connection.wish = wish
            connection.isUpdating = true
            commands.append(.updateConnection(handle: connection.handle))
        }
        return true
    }

    /// Writes the request that waits into the signalling lane.
    mutating func requestParameters() {
        connection.wantsParameters = false
        let identifier = connection.takeIdentifier()
        Signalling.requestParameters(identifier: identifier, .transfer, into: &connection.transmission.signalling)
    }
}
