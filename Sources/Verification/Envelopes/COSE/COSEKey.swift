import CBOR
import Cryptography

/// A public key as RFC 9052 section 7 and RFC 9053 section 7 write it.
package struct COSEKey {
    let key: PublicKey
    let keyID: [UInt8]?
    /// The one algorithm the key is meant for, where it says so.
    let algorithm: SignatureAlgorithm?

    private enum Label {
        static let type: Int64 = 1, keyID: Int64 = 2, algorithm: Int64 = 3, operations: Int64 = 4
        static let curve: Int64 = -1, x: Int64 = -2, y: Int64 = -3, secret: Int64 = -4
    }

    /// `key_ops` that let a key verify (RFC 9052 table 5).
    private static let verify: Int64 = 2

    /// Throws `keyRefused` for what is malformed or not meant to verify signatures, `secretKey` for a key that holds its private part.
    init(_ item: CBORItem) throws(COSEError) {
        guard item.kind == .map else { throw .malformed(item.fault(.wrongType)) }
        guard item[Label.secret] == nil else { throw .secretKey }
        key = try COSEKey.publicKey(item)
        if let operations = item[Label.operations] {
            guard let elements = operations.elements, elements.contains(where: { $0.int64 == COSEKey.verify }) else { throw .keyRefused }
        }
        if let stated = item[Label.algorithm] {
            guard let known = COSEAlgorithm.algorithm(stated), known.fits(key.kind) else { throw .keyRefused }
            algorithm = known
        } else {
            algorithm = nil
        }
        if let stated = item[Label.keyID] {
            guard let bytes = stated.bytes else { throw .keyRefused }
            keyID = bytes
        } else {
            keyID = nil
        }
    }

    private static func publicKey(_ item: CBORItem) throws(COSEError) -> PublicKey {
        guard let x = item[Label.x]?.bytes else { throw .keyRefused }
        do throws(CryptographyError) {
            switch (item[Label.type]?.int64, item[Label.curve]?.int64) {
            case (1, 6): return try PublicKey(ed25519: x.span)
            case (2, 1): return try point(.p256, x, item[Label.y])
            case (2, 2): return try point(.p384, x, item[Label.y])
            default: throw .unsupportedKey
            }
        } catch {
            throw .keyRefused
        }
    }

    /// `y` is the coordinate, or of a compressed point whether it is odd (RFC 9053 section 7.1.1).
    private static func point(_ curve: EllipticCurve, _ x: [UInt8], _ y: CBORItem?) throws(CryptographyError) -> PublicKey {
        if let y = y?.bytes { return try PublicKey(curve: curve, x: x.span, y: y.span) }
        guard let isOdd = y?.bool else { throw .malformedKey }
        let point: [UInt8] = [isOdd ? 0x03 : 0x02] + x
        return try PublicKey(curve: curve, point: point.span)
    }
}
