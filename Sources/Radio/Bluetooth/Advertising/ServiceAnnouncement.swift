/// The advertising data of a gate that is found by one service: flags and its UUID, 21 octets. There is no name, and no scan response of
/// its own: wallets look for the UUID only (aries.md section 1, mdoc.md section 2.1).
public struct ServiceAnnouncement: ~Copyable {
    private var data = OctetBuffer<21>()

    /// Announces the UUID that an invitation names, or an engagement for mdoc central client mode (key 11).
    public init(_ service: UUID) {
        // Flags: LE General Discoverable, BR/EDR Not Supported.
        data.append(0x02)
        data.append(0x01)
        data.append(0x06)
        // Complete list of 128-bit service UUIDs: one, least significant octet first.
        data.append(0x11)
        data.append(0x07)
        for index in 0..<8 { data.append(UInt8(truncatingIfNeeded: service.low >> UInt64(8 * index))) }
        for index in 0..<8 { data.append(UInt8(truncatingIfNeeded: service.high >> UInt64(8 * index))) }
    }

    /// Lends the advertising data.
    public func withOctets<Result, Failure: Error>(
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(data.storage.span)
    }
}
