import Bluetooth

/// The name a wallet compares octet for octet: 1 to 14 octets of UTF-8, which is what an advertisement has room for.
public struct VerifierName: Sendable {
    private var storage = InlineArray<14, UInt8>(repeating: 0)
    public private(set) var count = 0

    /// The longest device name the SDK takes.
    public static var longestDeviceName: Int { 11 }

    /// The name as advertised. Throws `OVP_002` when it is empty or does not fit: there is no rule for cutting it.
    public init(_ name: borrowing Span<UInt8>) throws(TuvaliError) {
        guard name.count >= 1, name.count <= 14 else { throw .deviceNameLength }
        for index in 0..<name.count { storage[index] = name[index] }
        count = name.count
    }

    /// A device name, advertised behind `OVP` as the BLE Verifier SDK does. Throws `OVP_002` above 11 octets.
    public init(deviceName name: borrowing Span<UInt8>) throws(TuvaliError) {
        guard name.count >= 1, name.count <= Self.longestDeviceName else { throw .deviceNameLength }
        storage[0] = 0x4F
        storage[1] = 0x56
        storage[2] = 0x50
        for index in 0..<name.count { storage[3 + index] = name[index] }
        count = 3 + name.count
    }

    func octet(_ index: Int) -> UInt8 { index >= 0 && index < count ? storage[index] : 0 }
}

/// An X25519 public key: 32 octets, little-endian u-coordinate (RFC 7748 section 5).
public typealias PublicKeyOctets = InlineArray<32, UInt8>
