/// ACL data from the controller, L2CAP frames out of it, and the channels served.
extension HostCore {
    /// An ACL packet without its packet indicator: handle and flags, length, data (Core Vol 4 Part E 5.4.2).
    @inline(__always)
    mutating func receiveData<Application: HostApplication & ~Copyable>(
        _ packet: borrowing Span<UInt8>, _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        guard let word = packet.littleEndian16(at: 0), let length = packet.littleEndian16(at: 2),
            packet.count == 4 + Int(length)
        else { return drop(.packetLength) }
        guard connection.isUp, word & 0x0FFF == connection.handle else { return keepEarlyData(packet, of: word & 0x0FFF, now) }
        connection.heardAt = now
        guard word & 0xC000 == 0 else { return drop(.broadcast) }
        let fragment = packet.extracting(4..<packet.count)
        switch word >> 12 & 0x3 {
        // A controller sends 10 for a first fragment; 00 is tolerated, Bumble's does.
        case 0b00, 0b10:
            if connection.reassembly.isIncomplete { counters.count(.startWhileIncomplete) }
            // Most frames come whole: they are served where they lie.
            if let announced = fragment.littleEndian16(at: 0), fragment.count == 4 + Int(announced), fragment.count <= Reassembly.capacity {
                connection.reassembly.reset()
                return receiveFrame(fragment, now, &application)
            }
            return reassembled(connection.reassembly.start(fragment), now, &application)
        case 0b01: return reassembled(connection.reassembly.resume(fragment), now, &application)
        default: return drop(.packetBoundary)
        }
    }

    private mutating func reassembled<Application: HostApplication & ~Copyable>(
        _ outcome: Reassembly.Outcome, _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        switch outcome {
        case .incomplete: return nil
        case .dropped(let reason): return drop(reason)
        case .complete:
            let frame = connection.reassembly.lendFrame()
            let event = receiveFrame(frame.span, now, &application)
            connection.reassembly.consume()
            return event
        }
    }

    /// A whole L2CAP frame: length, channel, payload.
    @inline(__always)
    private mutating func receiveFrame<Application: HostApplication & ~Copyable>(
        _ frame: borrowing Span<UInt8>, _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        guard let channel = frame.littleEndian16(at: 2) else { return drop(.channelUnknown) }
        let payload = frame.extracting(4..<frame.count)
        switch channel {
        case Channel.attribute: return receiveAttribute(payload, now, &application)
        case Channel.signalling: return receiveSignalling(payload, now)
        case CreditChannel.localID: return receiveChannel(payload, now, &application)
        case Channel.security:
            guard connection.transmission.security.isEmpty else { return drop(.securityBusy) }
            if let reason = Security.answer(payload, into: &connection.transmission.security) { counters.count(reason) }
            return nil
        // Apple devices probe CID 0x003A right after they connect; silence is the answer.
        default: return drop(.channelUnknown)
        }
    }

    @inline(__always)
    private mutating func receiveAttribute<Application: HostApplication & ~Copyable>(
        _ pdu: borrowing Span<UInt8>, _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        // A link being ended has no more attributes: a client that left an indication unconfirmed gets nothing else
        // (Core Vol 3 Part F 3.3.3).
        guard connection.disconnectingUntil == nil else { return drop(.attributeIgnored) }
        if connection.role == .central, let opcode = pdu.octet(at: 0), opcode & 1 != 0 { return receiveForClient(pdu, now, &application) }
        if !connection.hasSpoken {
            connection.hasSpoken = true
            connection.judgeParameters(after: Connection.parameterRequestMilliseconds, now)
        }
        switch server.receive(pdu, &application, into: &connection.transmission.response) {
        case .nothing: return nil
        case .mtuExchanged: return .mtuExchanged(server.client.mtu)
        case .confirmed:
            connection.confirmationDeadline = nil
            return .confirmed
        case .dropped(let reason): return drop(reason)
        }
    }
}
