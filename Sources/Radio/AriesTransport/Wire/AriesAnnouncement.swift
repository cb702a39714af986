import Bluetooth

/// The advertising data of a gate that invites: flags and the visit's service UUID, 21 octets (aries.md section 1). There is no name, and
/// no scan response of its own: wallets look for the UUID only.
public struct AriesAnnouncement: ~Copyable {
    private var data = OctetBuffer<21>()

    /// Announces the UUID that the invitation names.
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
