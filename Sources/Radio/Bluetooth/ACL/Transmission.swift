/// What waits to go to the peer: at most one PDU per purpose, put into an L2CAP frame and cut into ACL fragments as credits allow.
struct Transmission: ~Copyable {
    enum Purpose: UInt8 {
        case response, confirmation, request, signalling, push, channel, security
    }

    /// ATT responses; written by the attribute server.
    var response = AttributePDU()
    /// The response waits until the application lets it go; the client asks nothing else meanwhile.
    var isResponseHeld = false
    /// The confirmation of an indication.
    var confirmation = OctetBuffer<1>()
    /// What the attribute client asks.
    var request = RequestPDU()
    /// Values that nobody asked for: notifications, indications and write commands.
    var push = AttributePDU()
    /// A frame of the credit based channel, and the peer's endpoint of that.
    var channel = ChannelFrame()
    var channelID: UInt16 = 0
    var signalling = SignallingPDU()
    var security = SecurityPDU()
    private var current: Purpose?
    /// Octets of the current frame that have left, its header included.
    private var sent = 0
    /// Values and the channel take turns.
    private var isChannelNext = false

    init() {}

    mutating func reset() {
        response.removeAll()
        isResponseHeld = false
        confirmation.removeAll()
        request.removeAll()
        push.removeAll()
        channel.removeAll()
        signalling.removeAll()
        security.removeAll()
        current = nil
        sent = 0
    }

    mutating func wipe() {
        reset()
        response.wipe()
        push.wipe()
        request.wipe()
        channel.wipe()
    }

    /// Drops a frame of the channel of which nothing has left.
    mutating func dropChannelFrame() {
        if current != .channel { channel.removeAll() }
    }

    var isEmpty: Bool {
        response.isEmpty && push.isEmpty && signalling.isEmpty && security.isEmpty && confirmation.isEmpty && request.isEmpty
            && channel.isEmpty
    }

    /// Writes the next fragment as an H4 ACL packet; false when nothing waits.
    @inline(__always)
    mutating func next(handle: UInt16, fragment most: Int, into packet: inout PacketFrame) -> Bool {
        guard let purpose = current ?? choose() else { return false }
        current = purpose
        switch purpose {
        case .response: Self.cut(&response, of: Channel.attribute, &sent, handle, most, &packet)
        case .confirmation: Self.cut(&confirmation, of: Channel.attribute, &sent, handle, most, &packet)
        case .request: Self.cut(&request, of: Channel.attribute, &sent, handle, most, &packet)
        case .push: Self.cut(&push, of: Channel.attribute, &sent, handle, most, &packet)
        case .channel: Self.cut(&channel, of: channelID, &sent, handle, most, &packet)
        case .signalling: Self.cut(&signalling, of: Channel.signalling, &sent, handle, most, &packet)
        case .security: Self.cut(&security, of: Channel.security, &sent, handle, most, &packet)
        }
        if sent == 0 { current = nil }
        return true
    }

    /// Responses first: the peer may not send its next request before it has one.
    @inline(__always)
    private mutating func choose() -> Purpose? {
        response.isEmpty || isResponseHeld ? chooseOther() : .response
    }

    /// What is short and waited for goes before values, which fill their lanes again as soon as those are empty.
    private mutating func chooseOther() -> Purpose? {
        if !confirmation.isEmpty { return .confirmation }
        if !request.isEmpty { return .request }
        if !signalling.isEmpty { return .signalling }
        if !channel.isEmpty, push.isEmpty || isChannelNext {
            isChannelNext = false
            return .channel
        }
        if !push.isEmpty {
            isChannelNext = true
            return .push
        }
        return security.isEmpty ? nil : .security
    }

    /// Cuts one fragment off; `sent` returns to 0, and the PDU is emptied, with the last one.
    @inline(__always)
    private static func cut<let size: Int>(
        _ pdu: inout OctetBuffer<size>, of channel: UInt16, _ sent: inout Int, _ handle: UInt16, _ most: Int, _ packet: inout PacketFrame
    ) {
        let whole = 4 + pdu.count
        let end = min(whole, sent + most)
        if sent == 0, end > 4 {
            // Packet boundary 00: first, non-flushable. Broadcast 00. Then the L2CAP header: length and channel.
            let (size, length) = (UInt16(truncatingIfNeeded: end), UInt16(truncatingIfNeeded: pdu.count))
            packet.fill(
                [
                    PacketType.data, handle.low, handle.high, size.low, size.high, length.low, length.high, channel.low, channel.high,
                ], pdu.storage.span.extracting(0..<end - 4))
        } else {
            cutOn(&pdu, of: channel, sent..<end, handle, &packet)
        }
        sent = end
        if sent == whole {
            pdu.removeAll()
            sent = 0
        }
    }

    /// Cuts any other fragment off: a later one, or a first one in a controller that takes no more at a time than part of the header.
    private static func cutOn<let size: Int>(
        _ pdu: inout OctetBuffer<size>, of channel: UInt16, _ octets: Range<Int>, _ handle: UInt16, _ packet: inout PacketFrame
    ) {
        packet.removeAll()
        packet.append(PacketType.data)
        // Packet boundary 01: continuation.
        packet.append(littleEndian: octets.lowerBound == 0 ? handle : handle | 0x1000)
        packet.append(littleEndian: UInt16(truncatingIfNeeded: octets.count))
        let header = UInt32(channel) << 16 | UInt32(UInt16(truncatingIfNeeded: pdu.count))
        var index = octets.lowerBound
        while index < min(4, octets.upperBound) {
            packet.append(UInt8(truncatingIfNeeded: header >> UInt32(8 * index)))
            index += 1
        }
        guard octets.upperBound > 4 else { return }
        packet.append(pdu.storage.span.extracting(max(0, octets.lowerBound - 4)..<octets.upperBound - 4))
    }
}

/// The longest ATT PDU served.
typealias AttributePDU = OctetBuffer<517>
/// The longest signalling PDU sent.
typealias SignallingPDU = OctetBuffer<32>
/// The longest security PDU sent.
typealias SecurityPDU = OctetBuffer<2>
