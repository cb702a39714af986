import Bluetooth

/// How much of a packet may be seen: values of attributes and keys may not, everything that says how the protocol went may.
///
/// What may be seen is always the beginning of a packet. Whatever is not understood is not seen: a list of what is harmless, not one
/// of what is secret. Continuation fragments are seen only where the frame they belong to may be seen whole.
struct TraceRedaction {
    /// What is known of one connection.
    private struct Connection {
        /// nil: free.
        var handle: UInt16?
        var received = Frame()
        var sent = Frame()
        var asked = AttributeDisclosure.Asked.nothing
    }

    /// An L2CAP frame of which fragments are still to come.
    private struct Frame {
        var rest = 0
        var isVisible = false
    }

    private var connections = InlineArray<4, Connection>(repeating: Connection())
    /// The connection that gives way to a fifth.
    private var oldest = 0

    /// How many octets of `packet`, from its beginning, may be seen. Every packet has to be shown, in its order.
    mutating func visibleCount(of packet: UnsafeRawBufferPointer, _ direction: BTSnoop.Direction) -> Int {
        guard let type = packet.first else { return 0 }
        switch (type, direction) {
        case (0x01, .sent): return command(packet)
        case (0x04, .received): return event(packet)
        case (0x02, _): return min(data(packet, direction), packet.count)
        default: return 1
        }
    }

    // MARK: commands and events

    private mutating func command(_ packet: UnsafeRawBufferPointer) -> Int {
        guard packet.count >= 4, packet.count == 4 + Int(packet[3]) else { return 1 }
        guard let opcode = Opcode(rawValue: Self.littleEndian(packet, at: 1)) else { return 4 }
        if opcode == .reset { forgetEverything() }
        switch opcode {
        case .leSetAdvertisingData: return Self.advertised(packet, from: 5)
        case .leSetExtendedAdvertisingData: return Self.advertised(packet, from: 8)
        default: return packet.count
        }
    }

    /// As far as a service's UUID of 128 bits (Core Supplement Part A 1.1): what follows it in the packet is not seen either.
    private static func advertised(_ packet: UnsafeRawBufferPointer, from start: Int) -> Int {
        var place = start
        while place + 1 < packet.count, packet[place] > 0 {
            if packet[place + 1] == 0x06 || packet[place + 1] == 0x07 { return place + 2 }
            place += 1 + Int(packet[place])
        }
        return packet.count
    }

    private mutating func event(_ packet: UnsafeRawBufferPointer) -> Int {
        guard packet.count >= 3, packet.count == 3 + Int(packet[2]) else { return 1 }
        switch packet[1] {
        case 0x05:
            forgetEverything()
            return packet.count
        case 0x08, 0x0F, 0x10, 0x13, 0x1A, 0x30: return packet.count
        // Command Complete: what is returned is known by the command.
        case 0x0E where packet.count >= 6 && Opcode(rawValue: Self.littleEndian(packet, at: 4)) != nil: return packet.count
        case 0x0E: return min(6, packet.count)
        case 0x3E where packet.count >= 4: return metaEvent(packet)
        // A controller's own events may quote packets.
        default: return 3
        }
    }

    private mutating func metaEvent(_ packet: UnsafeRawBufferPointer) -> Int {
        switch packet[3] {
        case 0x01, 0x0A:
            forgetEverything()
            return packet.count
        case 0x03, 0x06, 0x07, 0x0C, 0x12, 0x14: return packet.count
        default: return 4
        }
    }

    // MARK: data

    private mutating func data(_ packet: UnsafeRawBufferPointer, _ direction: BTSnoop.Direction) -> Int {
        guard packet.count >= 5 else { return 1 }
        let word = Self.littleEndian(packet, at: 1)
        let index = connection(word & 0x0FFF)
        let fragment = UnsafeRawBufferPointer(rebasing: packet[5...])
        var frame = Frame()
        defer { if direction == .received { connections[index].received = frame } else { connections[index].sent = frame } }
        // No broadcast, and the length that was announced.
        guard word >> 14 == 0, fragment.count == Int(Self.littleEndian(packet, at: 3)) else { return 5 }
        switch word >> 12 & 3 {
        case 0, 2:
            return 5 + start(fragment, of: &frame, direction, index)
        case 1:
            frame = direction == .received ? connections[index].received : connections[index].sent
            return 5 + Self.resume(fragment, of: &frame)
        default:
            return 5
        }
    }

    /// A first fragment. One that is shorter than the L2CAP header hides its whole frame.
    private mutating func start(
        _ fragment: UnsafeRawBufferPointer, of frame: inout Frame, _ direction: BTSnoop.Direction, _ index: Int
    ) -> Int {
        guard fragment.count >= 4 else { return 0 }
        let length = Int(Self.littleEndian(fragment, at: 0))
        guard fragment.count <= 4 + length else { return 4 }
        frame.rest = 4 + length - fragment.count
        let payload = UnsafeRawBufferPointer(rebasing: fragment[4...])
        switch Self.littleEndian(fragment, at: 2) {
        case 0x0004:
            let count = AttributeDisclosure.visibleCount(payload, length: length, direction, asked: &connections[index].asked)
            frame.isVisible = count == nil
            return 4 + (count ?? payload.count)
        case 0x0005: return 4 + Self.signalling(payload, length: length)
        // Security Manager: which PDU it is, and nothing in it.
        case 0x0006: return 5
        default: return 4
        }
    }

    private static func resume(_ fragment: UnsafeRawBufferPointer, of frame: inout Frame) -> Int {
        guard frame.rest > 0, fragment.count <= frame.rest else {
            frame = Frame()
            return 0
        }
        frame.rest -= fragment.count
        return frame.isVisible ? fragment.count : 0
    }

    /// Connection parameter updates and refusals whole (Core Vol 3 Part A 4), of everything else what it is.
    private static func signalling(_ payload: UnsafeRawBufferPointer, length: Int) -> Int {
        guard payload.count == length, payload.count >= 4, Int(littleEndian(payload, at: 2)) == payload.count - 4 else { return 1 }
        switch (payload[0], payload.count) {
        case (0x01, 6), (0x12, 12), (0x13, 6): return payload.count
        default: return 4
        }
    }

    // MARK: connections

    /// Where `handle` is kept. A fifth takes the oldest one's place, of which continuations are not seen then.
    private mutating func connection(_ handle: UInt16) -> Int {
        for index in 0..<connections.count where connections[index].handle == handle { return index }
        let index = oldest
        oldest = (oldest + 1) % connections.count
        connections[index] = Connection()
        connections[index].handle = handle
        return index
    }

    private mutating func forgetEverything() {
        for index in 0..<connections.count { connections[index] = Connection() }
    }

    private static func littleEndian(_ octets: UnsafeRawBufferPointer, at offset: Int) -> UInt16 {
        UInt16(octets[offset]) | UInt16(octets[offset + 1]) << 8
    }
}
