import COpenSSL

/// One run of libcrypto's path validation against one pinned root, and what it owns.
struct CertificatePath: ~Copyable {
    private let context: OpaquePointer
    private let store: OpaquePointer
    private let untrusted: OpaquePointer

    init(
        leaf: Certificate, intermediates: [Certificate], root: Certificate, time: Int64
    ) throws(CryptographyError) {
        let context = X509_STORE_CTX_new()
        let store = X509_STORE_new()
        let untrusted = gatehouse_certificates_new()
        guard let context, let store, let untrusted,
            Self.fill(untrusted, intermediates), X509_STORE_add_cert(store, root.storage.certificate) == 1,
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
    }

    deinit {
        X509_STORE_CTX_free(context)
        X509_STORE_free(store)
        gatehouse_certificates_free(untrusted)
    }

    /// Returns if the path holds, and is meant for one of `usages`. Throws the certificate cases of `CryptographyError`.
    borrowing func verify(usages: [String]) throws(CryptographyError) {
        guard X509_verify_cert(context) == 1, X509_STORE_CTX_get_error(context) == X509_V_OK else {
            throw Library.failure(Self.reason(X509_STORE_CTX_get_error(context)))
        }
        ERR_clear_error()
        let path = X509_STORE_CTX_get0_chain(context)
        let length = gatehouse_certificates_count(path)
        guard length >= 1 else { throw .untrustedRoot }
        // Without its strict mode, which refuses many honest certificates, libcrypto takes a key usage of certificate
        // signing for an authority. Only the basic constraints say so (RFC 5280 section 4.2.1.9).
        for index in 1..<max(1, length) {
            guard let issuer = gatehouse_certificates_at(path, index), X509_check_ca(issuer) == 1 else {
                throw .notAnAuthority
            }
        }
        // libcrypto looks at extended key usages only for purposes it has a name for, and document signing is none of them.
        for index in 0..<max(1, length - 1) {
            guard let certificate = gatehouse_certificates_at(path, index) else { throw .untrustedRoot }
            guard let found = try Certificate.extendedKeyUsages(certificate) else { continue }
            guard found.contains(where: { usage in usages.contains { usage.utf8.elementsEqual($0.utf8) } }) else { throw .certificateUsage }
        }
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
        // The initial set of policies is any (RFC 5280 section 6.1.1 (c)); libcrypto takes an empty set for none.
        guard X509_VERIFY_PARAM_add0_policy(parameters, OBJ_nid2obj(NID_any_policy)) == 1 else { return false }
        // Without the check of policies libcrypto takes a critical constraint on them for understood, and looks at none (RFC 5280 section
        // 6.1.5 (g)).
        return X509_VERIFY_PARAM_set_flags(
            parameters,
            UInt(X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_CHECK_SS_SIGNATURE | X509_V_FLAG_POLICY_CHECK)) == 1
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
        case X509_V_ERR_NO_EXPLICIT_POLICY, X509_V_ERR_INVALID_POLICY_EXTENSION:
            .certificatePolicy
        case X509_V_ERR_OUT_OF_MEM:
            .unavailable
        default:
            .certificateConstraint
        }
    }
}
