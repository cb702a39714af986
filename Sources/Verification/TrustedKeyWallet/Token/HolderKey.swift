import Cryptography
import Envelopes
import JSON

/// The key in the holder's phone, as a token states it (trustedkey.md sections 0 and 3, step 3).
struct HolderKey {
    let key: PublicKey
    /// X and Y, 64 octets.
    let coordinates: [UInt8]

    private static let coordinateLength = 32
    /// Octets of a signature, r and s.
    static let signatureLength = 64

    /// From a JWK: on P-256, and without its private half. Nil for every other one.
    init?(_ jwk: JSONValue?) {
        guard let jwk, jwk["kty"]?.isString("EC") == true, jwk["crv"]?.isString("P-256") == true, jwk["d"] == nil,
            let x = jwk["x"]?.string.flatMap({ Base64.decode($0) }), let y = jwk["y"]?.string.flatMap({ Base64.decode($0) }),
            x.count == Self.coordinateLength, y.count == Self.coordinateLength,
            let key = try? PublicKey(curve: .p256, x: x.span, y: y.span)
        else { return nil }
        self.key = key
        coordinates = x + y
    }

    /// The key's name in a list of what is revoked. Throws `unavailable`.
    func address() throws(CryptographyError) -> RevokedAddress { try RevokedAddress(ofCoordinates: coordinates) }

    func hasSigned(_ token: TokenParts) -> Bool {
        do throws(CryptographyError) {
            try key.verify(signature: token.signature.span, over: token.signed.span, algorithm: .es256)
            return true
        } catch {
            return false
        }
    }
}
