/// What waits to go to the peer: at most one L2CAP frame per purpose, cut into ACL fragments as credits allow.
struct Transmission: ~Copyable {
    enum Purpose: UInt8 {
        case response, push, signalling, security
    }

    /// ATT responses; written by the attribute server behind four octets of L2CAP header.
    var response = ATTFrame()
    /// Notifications and indications.
    var push = ATTFrame()
    var signalling = SignallingFrame()
    var security = SecurityFrame()
    private var current: Purpose?
    private var sent = 0

    init() {}

    mutating func reset() {
        response.removeAll()
        push.removeAll()
        signalling.removeAll()
        security.removeAll()
        current = nil
        sent = 0
    }

    mutating func wipe() {
        reset()
        response.wipe()
        push.wipe()
    }

    var isEmpty: Bool { response.isEmpty && push.isEmpty && signalling.isEmpty && security.isEmpty }

    /// Appends the next fragment as an H4 ACL packet; false when nothing waits.
    mutating func next(handle: UInt16, fragment most: Int, into packet: inout PacketFrame) -> Bool {
        guard let purpose = current ?? choose() else { return false }
        current = purpose
        switch purpose {
        case .response: Self.cut(&response, &sent, handle, most, &packet)
        case .push: Self.cut(&push, &sent, handle, most, &packet)
        case .signalling: Self.cut(&signalling, &sent, handle, most, &packet)
        case .security: Self.cut(&security, &sent, handle, most, &packet)
        }
        if sent == 0 { current = nil }
        return true
    }

    /// Responses first: the peer may not send its next request before it has one.
    private func choose() -> Purpose? {
        if !response.isEmpty { return .response }
        if !push.isEmpty { return .push }
        if !signalling.isEmpty { return .signalling }
        return security.isEmpty ? nil : .security
    }

    /// Cuts one fragment off; `sent` returns to 0, and the frame is emptied, with the last one.
    private static func cut<let size: Int>(
        _ frame: inout OctetBuffer<size>, _ sent: inout Int, _ handle: UInt16, _ most: Int, _ packet: inout PacketFrame
    ) {
        let count = min(frame.count - sent, most)
        packet.removeAll()
        packet.append(PacketType.data)
        // Packet boundary 00: first, non-flushable; 01: continuation. Broadcast 00.
        packet.append(littleEndian: sent == 0 ? handle : handle | 0x1000)
        packet.append(littleEndian: UInt16(truncatingIfNeeded: count))
        packet.append(frame.storage.span.extracting(sent..<sent + count))
        sent += count
        if sent >= frame.count {
            frame.removeAll()
            sent = 0
        }
    }
}

extension OctetBuffer {
    /// Starts an L2CAP frame for `channel`; the length is filled in by `finishFrame`.
    mutating func beginFrame(channel: UInt16, limit: Int = capacity) {
        removeAll(limit: limit)
        append(littleEndian: 0)
        append(littleEndian: channel)
    }

    /// Fills in the length of the L2CAP frame begun; an empty one is dropped.
    mutating func finishFrame() {
        guard count > 4 else { return removeAll() }
        let length = count - 4
        set(UInt8(truncatingIfNeeded: length), at: 0)
        set(UInt8(truncatingIfNeeded: length >> 8), at: 1)
    }
}

/// An L2CAP frame, header included, with the longest ATT PDU served: 4 + 517 octets.
typealias ATTFrame = OctetBuffer<521>
/// An L2CAP frame with the longest signalling PDU sent: 4 + 32 octets.
typealias SignallingFrame = OctetBuffer<36>
/// An L2CAP frame with the longest security PDU sent: 4 + 2 octets.
typealias SecurityFrame = OctetBuffer<6>
