import COpenSSL

/// A path from a certificate to a pinned root that held at a given time (RFC 5280 section 6). Its existence is the
/// proof: there is no other way to get one than through `init`, which verifies.
///
/// No system store, no name of a purpose (the caller checks usages), no fetching, no revocation lists.
public struct CertificateChain: Sendable {
    /// The leaf's key.
    public let publicKey: PublicKey
    /// The leaf's DNS names.
    public let dnsNames: [String]
    /// The leaf's URIs.
    public let uris: [String]
    /// The leaf's validity in seconds since 1970, both ends inclusive.
    public let validity: ClosedRange<Int64>
    /// The leaf itself, for what a profile asks beyond this (key usage, names).
    public let leaf: Certificate
    /// Which of the roots given ended the path.
    public let rootIndex: Int

    /// Most intermediates accepted, used or not.
    public static let mostIntermediates = 6

    /// Verifies `leaf` through `intermediates` to one of `roots` at `time`, in seconds since 1970.
    ///
    /// A root is whatever was pinned: it need not be self-signed, and a pinned leaf is its own path. Keys and digests
    /// below 112 bits of security are refused anywhere in the path.
    /// Throws the certificate cases of `CryptographyError`, and those of `PublicKey` for the leaf's key.
    public init(
        leaf: Certificate, intermediates: [Certificate], roots: [Certificate], at time: Int64
    ) throws(CryptographyError) {
        guard intermediates.count <= Self.mostIntermediates else { throw .chainTooLong }
        guard !roots.isEmpty else { throw .untrustedRoot }
        let verification = try ChainVerification(leaf: leaf, intermediates: intermediates, roots: roots, time: time)
        rootIndex = try verification.run()
        publicKey = try leaf.publicKey()
        (dnsNames, uris) = try leaf.alternativeNames()
        validity = try leaf.validity()
        self.leaf = leaf
    }

    /// As above, from DER. The first of `certificates` is the leaf, as in an x5c header (RFC 7515 section 4.1.6).
    public init(
        x5c certificates: [[UInt8]], roots: [Certificate], at time: Int64
    ) throws(CryptographyError) {
        guard let first = certificates.first else { throw .malformedCertificate }
        guard certificates.count <= 1 + Self.mostIntermediates else { throw .chainTooLong }
        let leaf = try Certificate(first.span)
        var intermediates: [Certificate] = []
        for der in certificates.dropFirst() { intermediates.append(try Certificate(der.span)) }
        try self.init(leaf: leaf, intermediates: intermediates, roots: roots, at: time)
    }
}

/// One run of libcrypto's path validation, and what it owns.
private struct ChainVerification: ~Copyable {
    private let context: OpaquePointer
    private let store: OpaquePointer
    private let untrusted: OpaquePointer
    private let roots: [Certificate]

    init(
        leaf: Certificate, intermediates: [Certificate], roots: [Certificate], time: Int64
    ) throws(CryptographyError) {
        let context = X509_STORE_CTX_new()
        let store = X509_STORE_new()
        let untrusted = gatehouse_certificates_new()
        guard let context, let store, let untrusted,
            Self.fill(untrusted, intermediates), roots.allSatisfy({ X509_STORE_add_cert(store, $0.storage.certificate) == 1 }),
            X509_STORE_CTX_init(context, store, leaf.storage.certificate, untrusted) == 1,
            Self.configure(X509_STORE_CTX_get0_param(context), time)
        else {
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
            gatehouse_certificates_free(untrusted)
            throw Library.failure(.unavailable)
        }
        self.context = context
        self.store = store
        self.untrusted = untrusted
        self.roots = roots
    }

    deinit {
        X509_STORE_CTX_free(context)
        X509_STORE_free(store)
        gatehouse_certificates_free(untrusted)
    }

    /// Returns the index of the root that ended the path.
    borrowing func run() throws(CryptographyError) -> Int {
        guard X509_verify_cert(context) == 1, X509_STORE_CTX_get_error(context) == X509_V_OK else {
            throw Library.failure(Self.reason(X509_STORE_CTX_get_error(context)))
        }
        ERR_clear_error()
        let path = X509_STORE_CTX_get0_chain(context)
        let length = gatehouse_certificates_count(path)
        guard length >= 1, let anchor = gatehouse_certificates_at(path, length - 1) else { throw .untrustedRoot }
        // Without its strict mode, which refuses many honest certificates, libcrypto takes a key usage of certificate
        // signing for an authority. Only the basic constraints say so (RFC 5280 section 4.2.1.9).
        for index in 1..<max(1, length) {
            guard let issuer = gatehouse_certificates_at(path, index), X509_check_ca(issuer) == 1 else {
                throw .notAnAuthority
            }
        }
        guard let index = roots.firstIndex(where: { X509_cmp($0.storage.certificate, anchor) == 0 }) else {
            throw .untrustedRoot
        }
        return index
    }

    private static func fill(_ stack: OpaquePointer, _ certificates: [Certificate]) -> Bool {
        for certificate in certificates {
            guard X509_up_ref(certificate.storage.certificate) == 1 else { return false }
            guard gatehouse_certificates_push(stack, certificate.storage.certificate) == 1 else {
                X509_free(certificate.storage.certificate)
                return false
            }
        }
        return true
    }

    private static func configure(_ parameters: OpaquePointer?, _ time: Int64) -> Bool {
        guard let parameters, let moment = time_t(exactly: time) else { return false }
        X509_VERIFY_PARAM_set_time(parameters, moment)
        X509_VERIFY_PARAM_set_depth(parameters, Int32(CertificateChain.mostIntermediates))
        // Level 2 is 112 bits: no SHA-1, no RSA below 2048.
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        return X509_VERIFY_PARAM_set_flags(
            parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_CHECK_SS_SIGNATURE)) == 1
    }

    private static func reason(_ code: Int32) -> CryptographyError {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            .certificateExpired
        case X509_V_ERR_CERT_NOT_YET_VALID:
            .certificateNotYetValid
        case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE:
            .badCertificateSignature
        case X509_V_ERR_INVALID_CA, X509_V_ERR_PATH_LENGTH_EXCEEDED, X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
            .notAnAuthority
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            .weakCertificate
        case X509_V_ERR_CERT_CHAIN_TOO_LONG:
            .chainTooLong
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            .untrustedRoot
        case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD, X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD,
            X509_V_ERR_INVALID_EXTENSION, X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
            .malformedCertificate
        case X509_V_ERR_OUT_OF_MEM:
            .unavailable
        default:
            .certificateConstraint
        }
    }
}
