/// Notices a stream that stops inside a packet. A length octet damaged on a serial line makes the framer wait for octets
/// that nobody sends, and take the next packets for them: H4 has no checksum (Core Vol 4 Part A 2).
package struct StallWatch {
    /// How long nothing may come inside a packet, in nanoseconds: a controller sends one in one go.
    package static let patience: UInt64 = 2_000_000_000

    /// When the rest of the packet is overdue, in nanoseconds of the monotonic clock; nil between packets.
    package private(set) var deadline: UInt64?
    private var octets: UInt64 = 0

    package init() {}

    /// All that had come was read.
    ///
    /// - Parameter octetsInside: `HCILink.octetsInsidePacket`.
    package mutating func drained(_ octetsInside: UInt64?, _ now: UInt64) {
        guard let octetsInside else { return deadline = nil }
        if deadline == nil || octetsInside != octets { deadline = now + Self.patience }
        octets = octetsInside
    }

    package func isStalled(_ now: UInt64) -> Bool { deadline.map { now >= $0 } ?? false }

    package mutating func reset() { deadline = nil }
}
