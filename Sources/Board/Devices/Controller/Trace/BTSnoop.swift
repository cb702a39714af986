/// The btsnoop file format, version 1: what `btmon -r` and Wireshark open.
///
/// Numbers are big-endian. A file is a header and then records, each a header and one packet.
public enum BTSnoop {
    /// "btsnoop" and a zero, the version, the datalink.
    public static let headerSize = 16
    /// Length of the packet, length of what is kept of it, flags, drops, time.
    public static let recordHeaderSize = 24
    /// The first eight octets of every file.
    public static let identification: StaticString = "btsnoop\0"
    /// HCI UART: every packet has its H4 type octet first.
    public static let datalink: UInt32 = 1002
    /// Microseconds from the format's epoch, 0000-01-01, to 1970-01-01.
    public static let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000

    /// Which way a packet went.
    public enum Direction: UInt32, Sendable {
        /// From the host to the controller.
        case sent = 0
        case received = 1
    }

    /// Writes the header of a file to the first 16 octets of `octets`.
    ///
    /// - Returns: false, and nothing written, where there is no room.
    static func writeHeader(to octets: UnsafeMutableRawBufferPointer) -> Bool {
        guard octets.count >= headerSize else { return false }
        identification.withUTF8Buffer { octets.copyBytes(from: $0) }
        put(1, to: octets, at: 8)
        put(datalink, to: octets, at: 12)
        return true
    }

    /// Writes the header of a record to the first 24 octets of `octets`.
    ///
    /// - Parameters:
    ///   - packet: the H4 type octet and how many octets there are with it.
    ///   - time: microseconds since the format's epoch.
    /// - Returns: false, and nothing written, where there is no room.
    static func writeRecordHeader(
        to octets: UnsafeMutableRawBufferPointer, packet: (type: UInt8, count: Int), _ direction: Direction, time: UInt64
    ) -> Bool {
        guard octets.count >= recordHeaderSize, let count = UInt32(exactly: packet.count) else { return false }
        // Bit 1 tells commands and events from data.
        let isData = packet.type != 0x01 && packet.type != 0x04
        put(count, to: octets, at: 0)
        put(count, to: octets, at: 4)
        put(direction.rawValue | (isData ? 0 : 2), to: octets, at: 8)
        put(0, to: octets, at: 12)
        put(UInt32(truncatingIfNeeded: time >> 32), to: octets, at: 16)
        put(UInt32(truncatingIfNeeded: time), to: octets, at: 20)
        return true
    }

    private static func put(_ value: UInt32, to octets: UnsafeMutableRawBufferPointer, at offset: Int) {
        octets.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
    }
}
