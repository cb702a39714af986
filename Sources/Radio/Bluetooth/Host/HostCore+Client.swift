/// The attribute client of a link on which the host is the central. There is one bearer of ATT for both sides: even opcodes are the
/// server's, odd ones the client's, and the MTU is the link's.
extension HostCore {
    /// Whether a phone's server may be asked and written to.
    private var mayAsk: Bool { connection.isUp && connection.role == .central && connection.disconnectingUntil == nil && !client.isOver }

    mutating func ask(_ request: ClientRequest, _ now: Instant) -> AskResult {
        guard mayAsk else { return .notConnected }
        return client.ask(request, server.client.mtu, into: &connection.transmission.request, now)
    }

    /// A write command; it shares the lane of what is pushed, since it is the same PDU the other way round.
    mutating func write(_ index: Int, _ value: borrowing Span<UInt8>) -> WriteResult {
        guard mayAsk else { return .notConnected }
        guard let characteristic = client.service.characteristic(index) else { return .unknown }
        guard value.count <= min(Int(server.client.mtu) - 3, 512) else { return .tooLong }
        guard connection.transmission.push.isEmpty else { return .busy }
        connection.transmission.push.removeAll(limit: Int(server.client.mtu))
        connection.transmission.push.append(ATTOpcode.writeCommand)
        connection.transmission.push.append(littleEndian: characteristic.value)
        connection.transmission.push.append(value)
        return .taken
    }

    /// An ATT PDU with an odd opcode, on a link on which the host is the central.
    mutating func receiveForClient<Application: HostApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        guard let opcode = pdu.octet(at: 0) else { return drop(.attributeEmpty) }
        let isTooLong = pdu.count > Int(server.client.mtu)
        switch opcode {
        case ATTOpcode.notification, ATTOpcode.indication:
            if isTooLong { return drop(.attributeTooLong) }
            return receiveValue(pdu, isIndication: opcode == ATTOpcode.indication, &application)
        // Several values at once are sent to whoever has said that it takes them.
        case 0x23: return drop(.attributeIgnored)
        default: break
        }
        if isTooLong, !client.isOver, client.request != nil {
            counters.count(.attributeTooLong)
            _ = client.malformed()
            return .answered(.malformed)
        }
        let request = client.request
        switch client.receive(pdu, into: &connection.transmission.request, now) {
        case .asked: return nil
        case .dropped(let reason): return drop(reason)
        case .ended(let outcome):
            switch (request, outcome) {
            case (_, .mtu(let mtu)): server.client.mtu = mtu
            case (.read(let index), .done): application.answered(index, pdu.extracting(1..<pdu.count))
            default: break
            }
            return .answered(outcome)
        }
    }

    /// ATT_HANDLE_VALUE_NTF and ATT_HANDLE_VALUE_IND. Whatever an indication is of, it is confirmed.
    private mutating func receiveValue<Application: HostApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, isIndication: Bool, _ application: inout Application
    ) -> HostEvent? {
        guard let handle = pdu.littleEndian16(at: 1) else { return drop(.notificationUnknown) }
        if isIndication {
            // The next one may come only behind the confirmation.
            guard connection.transmission.confirmation.isEmpty else { return drop(.attributeBusy) }
            connection.transmission.confirmation.append(ATTOpcode.confirmation)
        }
        guard let index = client.service.index(of: handle) else { return drop(.notificationUnknown) }
        application.notified(index, pdu.extracting(3..<pdu.count))
        return nil
    }

    /// A request was not answered: no more ATT on this link.
    mutating func clientExpired(_ now: Instant) -> HostEvent? {
        guard let due = client.deadline, now >= due else { return nil }
        let outcome = client.timedOut()
        disconnect(now)
        return .answered(outcome)
    }
}
