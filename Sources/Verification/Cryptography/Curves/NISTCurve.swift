import COpenSSL

/// The curves on which keys are agreed on and on which readers sign (mdoc.md section 3): those of NIST, and no other.
///
/// `EllipticCurve` has the curves on which signatures are verified, and another one among them.
public enum NISTCurve: String, Hashable, Sendable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// Octets of a coordinate, of a scalar, of r and of s.
    public var coordinateLength: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// Octets of an uncompressed point (SEC 1 section 2.3.3).
    public var pointLength: Int { 1 + 2 * coordinateLength }

    /// libcrypto's name of the group.
    var groupName: String {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        }
    }

    /// libcrypto's name of the digest that ECDSA takes on this curve (RFC 9053 section 2.1).
    var digestName: String {
        switch self {
        case .p256: "SHA2-256"
        case .p384: "SHA2-384"
        case .p521: "SHA2-512"
        }
    }

    /// Octets of the longest name of a group that is looked at, its end included.
    private static let longestName = 64

    /// The curve of libcrypto's key; nil for another one, and for one that is spelled out in parameters: it may be a doctored one
    /// (CVE-2020-0601).
    init?(of key: OpaquePointer) {
        var explicit: Int32 = 0
        guard EVP_PKEY_is_a(key, "EC") == 1,
            EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &explicit) != 1 || explicit == 0
        else { return nil }
        var name = [CChar](repeating: 0, count: Self.longestName)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1, 1..<name.count ~= length else { return nil }
        let found = name.prefix(length).map { UInt8(bitPattern: $0) }
        guard let curve = Self.allCases.first(where: { $0.groupName.utf8.elementsEqual(found) }) else { return nil }
        self = curve
    }

    /// The uncompressed point of libcrypto's key, `04 x y`. Throws `unavailable`.
    func point(of key: OpaquePointer) throws(CryptographyError) -> [UInt8] {
        var point = [UInt8](repeating: 0, count: pointLength)
        var length = 0
        guard EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &length) == 1,
            length == point.count, point.first == 0x04
        else { throw Library.failure(.unavailable) }
        return point
    }
}
