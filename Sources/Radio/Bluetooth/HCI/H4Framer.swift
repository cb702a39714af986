/// Why a stream of octets can no longer be cut into HCI packets.
///
/// H4 has no start mark and no checksum: once the position is lost it cannot be found again, so after any of these the
/// link has to be dropped, flushed and the controller reset.
public enum H4FramingError: Error, Equatable, Sendable {
    /// A packet began with an octet that is no packet type a controller sends.
    case unknownType(UInt8)
    /// A header announced more octets than any packet of that type can have here.
    case tooLong(type: UInt8, length: UInt16)
    /// The stream ended after some, but not all, octets of a packet.
    case endedInsidePacket
}

/// Cuts the octet stream of a UART, unix or TCP link into whole HCI packets (Vol 4 Part A 2, "H4").
///
/// Octets go in with `feed`, at most one packet comes out of each call, with its type octet first: the same shape the
/// kernel's user channel delivers. ACL data (02) and events (04) are kept; synchronous (03) and isochronous (05) data
/// are stepped over and counted, because nothing here ever asks for them.
public struct H4Framer: ~Copyable {
    /// Octets of the largest packet: type octet, the kernel's largest frame (1028), and room for a longer header.
    public static var capacity: Int { 1 + 1028 + 3 }

    /// Packets of type 03 or 05 that were stepped over since `reset`.
    public private(set) var skippedPackets: UInt32 = 0
    /// Octets of the packet that the last `feed` completed, or 0 when none is complete.
    public private(set) var packetLength = 0

    private var frame: InlineArray<1032, UInt8>
    /// Octets of the packet under way that are already in `frame`.
    private var filled = 0
    /// Octets `frame` must hold before the next decision: first the header, then the whole packet.
    private var wanted = 0
    private var headerIsComplete = false
    /// Octets of a stepped-over packet that have not arrived yet.
    private var skipping = 0
    private var failure: H4FramingError?

    public init() {
        frame = InlineArray(repeating: 0)
    }

    /// Takes octets up to the end of one packet.
    ///
    /// Call again with the rest until everything is taken; look at `packetLength` after every call. The completed packet
    /// stays readable until the next `feed`.
    ///
    /// - Returns: how many of `octets` were taken; fewer than given only when a packet was completed.
    /// - Throws: the reason the position in the stream is lost, on this and every later call until `reset`.
    public mutating func feed(_ octets: UnsafeRawBufferPointer) throws(H4FramingError) -> Int {
        if let failure { throw failure }
        if packetLength > 0 { startPacket() }
        var taken = 0
        while taken < octets.count {
            if skipping > 0 {
                let step = min(skipping, octets.count - taken)
                skipping -= step
                taken += step
                continue
            }
            if filled == 0 {
                wanted = try headerLength(ofType: octets[taken])
            }
            taken += store(octets, from: taken)
            if filled < wanted { continue }
            if !headerIsComplete { try readHeader() }
            if headerIsComplete && filled == wanted {
                packetLength = filled
                return taken
            }
        }
        return taken
    }

    /// Lends the completed packet, type octet first; empty when none is complete.
    public mutating func withPacket<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let length = packetLength
        return frame.span.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
    }

    /// A packet was begun, or is being stepped over, and has not come to its end.
    public var isInsidePacket: Bool { failure == nil && (skipping > 0 || filled > 0 && packetLength == 0) }

    /// Says that no more octets will come.
    ///
    /// - Throws: `endedInsidePacket` when a packet was begun and not completed, or the earlier failure.
    public mutating func end() throws(H4FramingError) {
        if let failure { throw failure }
        if isInsidePacket {
            throw fail(.endedInsidePacket)
        }
    }

    /// Forgets everything: the next octet fed is the first octet of a packet.
    public mutating func reset() {
        startPacket()
        skipping = 0
        skippedPackets = 0
        failure = nil
    }

    private mutating func startPacket() {
        filled = 0
        wanted = 0
        packetLength = 0
        headerIsComplete = false
    }

    private mutating func headerLength(ofType type: UInt8) throws(H4FramingError) -> Int {
        switch type {
        case 0x02, 0x05: 5  // handle and flags, 16-bit length
        case 0x03: 4  // handle and flags, 8-bit length
        case 0x04: 3  // event code, 8-bit length
        default: throw fail(.unknownType(type))
        }
    }

    /// Copies octets into the frame, as far as `wanted`, and says how many.
    private mutating func store(_ octets: UnsafeRawBufferPointer, from start: Int) -> Int {
        let count = min(wanted - filled, octets.count - start)
        for index in 0..<count {
            frame[filled + index] = octets[start + index]
        }
        filled += count
        return count
    }

    /// Decides, with the whole header in the frame, how long the packet is and whether it is kept.
    private mutating func readHeader() throws(H4FramingError) {
        let type = frame[0]
        let length: UInt16 =
            switch type {
            case 0x02: UInt16(frame[3]) | UInt16(frame[4]) << 8
            // The two top bits of an isochronous length are reserved.
            case 0x05: (UInt16(frame[3]) | UInt16(frame[4]) << 8) & 0x3FFF
            case 0x03: UInt16(frame[3])
            default: UInt16(frame[2])
            }
        // Also for what is stepped over: a length no controller uses means the position is lost.
        guard wanted + Int(length) <= Self.capacity else {
            throw fail(.tooLong(type: type, length: length))
        }
        if type == 0x03 || type == 0x05 {
            skippedPackets &+= 1
            startPacket()
            skipping = Int(length)
        } else {
            headerIsComplete = true
            wanted += Int(length)
        }
    }

    private mutating func fail(_ reason: H4FramingError) -> H4FramingError {
        failure = reason
        return reason
    }
}
