import CBOR
import Cryptography

/// The algorithms of COSE signatures this gate believes, by their numbers (RFC 9053 section 2). No entry, no signature.
enum COSEAlgorithm {
    private static let numbers: [(Int64, SignatureAlgorithm)] = [(-7, .es256), (-8, .edDSA), (-35, .es384)]

    /// The algorithm an `alg` parameter names; nil for every other number and for texts.
    static func algorithm(_ value: CBORItem?) -> SignatureAlgorithm? {
        guard let number = value?.int64 else { return nil }
        return numbers.first { $0.0 == number }?.1
    }
}
