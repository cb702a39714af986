import CBOR
import Cryptography

/// The algorithms of COSE signatures this gate believes, by their numbers (RFC 9053 section 2, RFC 9864). No entry, no signature.
enum COSEAlgorithm {
    /// ES256, ES384 and EdDSA leave the curve to the key; here each has one only, so that the numbers of RFC 9864, which name it, mean the same.
    private static let numbers: [(Int64, SignatureAlgorithm)] = [
        (-7, .es256), (-8, .edDSA), (-35, .es384), (-9, .es256), (-19, .edDSA), (-51, .es384),
    ]

    /// The algorithm an `alg` parameter names; nil for every other number and for texts.
    static func algorithm(_ value: CBORItem?) -> SignatureAlgorithm? {
        guard let number = value?.int64 else { return nil }
        return numbers.first { $0.0 == number }?.1
    }
}
