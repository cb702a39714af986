import Bluetooth

/// The legacy advertisement and scan response of a verifier (tuvali.md section 1). A wallet needs both:
/// the first five octets of the key are in one, the other 27 in the other.
public struct Advertisement: ~Copyable {
    private var data = OctetBuffer<31>()
    private var scanResponse = OctetBuffer<31>()

    public init(_ name: VerifierName, key: PublicKeyOctets, version: WireVersion) {
        // Flags: LE General Discoverable, BR/EDR Not Supported.
        data.append(0x02)
        data.append(0x01)
        data.append(0x06)
        // Complete list of 16-bit service UUIDs: what wallets filter on.
        data.append(0x03)
        data.append(0x03)
        data.append(littleEndian: version.service)
        // Service data: name, `_`, the key's first five octets. 17 octets and the name: at most 31.
        data.append(UInt8(3 + name.count + 6))
        data.append(0x16)
        data.append(littleEndian: version.service)
        for index in 0..<name.count { data.append(name.octet(index)) }
        data.append(0x5F)
        for index in 0..<5 { data.append(key[index]) }
        // Exactly 31 octets; nothing else fits.
        scanResponse.append(0x1E)
        scanResponse.append(0x16)
        scanResponse.append(littleEndian: version.scanResponseTag)
        for index in 5..<32 { scanResponse.append(key[index]) }
    }

    /// Lends the two payloads.
    public func withOctets<Result>(
        _ body: (_ data: borrowing Span<UInt8>, _ scanResponse: borrowing Span<UInt8>) -> Result
    ) -> Result {
        body(data.storage.span.extracting(0..<data.count), scanResponse.storage.span.extracting(0..<scanResponse.count))
    }
}
