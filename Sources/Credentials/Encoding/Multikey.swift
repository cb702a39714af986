import Cryptography

/// A public key behind its multicodec prefix (Controlled Documents 1.0 section 2.2.2), as `publicKeyMultibase` and did:key carry it.
package enum Multikey {
    /// - Parameter text: `z` and base58btc.
    /// - Returns: nil for another encoding, an unknown prefix, a wrong length and a point that is not on its curve.
    package static func publicKey(_ text: String) -> PublicKey? {
        guard let octets = Multibase.decode(Array(text.utf8)), octets.count > 2 else { return nil }
        let key = Array(octets.dropFirst(2))
        switch (octets[0], octets[1]) {
        case (0xED, 0x01): return try? PublicKey(ed25519: key.span)
        case (0x80, 0x24): return compressed(key, .p256)
        case (0x81, 0x24): return compressed(key, .p384)
        case (0xE7, 0x01): return compressed(key, .secp256k1)
        default: return nil
        }
    }

    /// A Multikey holds the compressed point and no other form.
    private static func compressed(_ point: [UInt8], _ curve: EllipticCurve) -> PublicKey? {
        guard point.count == 1 + curve.coordinateLength else { return nil }
        return try? PublicKey(curve: curve, point: point.span)
    }
}
