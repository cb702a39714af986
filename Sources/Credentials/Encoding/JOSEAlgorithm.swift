import Cryptography
import JSON

/// The names of signature algorithms in JOSE (RFC 7518 section 3.1, RFC 8037, RFC 8812, RFC 9864).
enum JOSEAlgorithm {
    /// EdDSA can mean several curves; the only one here is Ed25519, so that both names mean the same.
    private static let known = SignatureAlgorithm.allCases.map { ($0.rawValue, $0) } + [("Ed25519", .edDSA)]

    /// All of them, for people.
    static let names = known.map(\.0).joined(separator: ", ")

    /// The algorithm an `alg` names; nil for every other text and for what is none.
    static func algorithm(_ name: JSONValue?) -> SignatureAlgorithm? {
        guard let name else { return nil }
        return known.first { name.isString($0.0) }?.1
    }
}
