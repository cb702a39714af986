import Bluetooth

/// CRC-16/KERMIT: polynomial 0x1021 reflected, initial value 0, no final xor; "123456789" gives 0x2189.
/// Eight octets a step through eight tables, which are a value of 4 KiB and no global.
public struct CRC16: ~Copyable {
    private var tables = InlineArray<2048, UInt16>(repeating: 0)

    public init() {
        for octet in 0..<256 {
            var crc = UInt16(octet)
            for _ in 0..<8 { crc = crc & 1 != 0 ? crc >> 1 ^ 0x8408 : crc >> 1 }
            tables[octet] = crc
        }
        // Table k holds what an octet does to the sum k octets later.
        for index in 256..<2048 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
    }

    /// The checksum of `octets`. Mutating, since the tables are lent to it where they lie: of what is only borrowed the compiler makes a
    /// copy first.
    public mutating func checksum(_ octets: borrowing Span<UInt8>) -> UInt16 {
        octets.withUnsafeBytes { octets in
            tables.span.withUnsafeBufferPointer { tables in Self.checksum(octets, tables) }
        }
    }

    private static func checksum(_ octets: UnsafeRawBufferPointer, _ table: UnsafeBufferPointer<UInt16>) -> UInt16 {
        guard let base = octets.baseAddress, let table = table.baseAddress else { return 0 }
        var crc: UInt16 = 0
        var position = 0
        while octets.count - position >= 8 {
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self)) ^ UInt64(crc)
            crc =
                table[0x700 + Int(word & 0xFF)] ^ table[0x600 + Int(word >> 8 & 0xFF)]
                ^ table[0x500 + Int(word >> 16 & 0xFF)] ^ table[0x400 + Int(word >> 24 & 0xFF)]
                ^ table[0x300 + Int(word >> 32 & 0xFF)] ^ table[0x200 + Int(word >> 40 & 0xFF)]
                ^ table[0x100 + Int(word >> 48 & 0xFF)] ^ table[Int(word >> 56)]
            position += 8
        }
        while position < octets.count {
            let octet = base.load(fromByteOffset: position, as: UInt8.self)
            crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ octet)]
            position += 1
        }
        return crc
    }
}
