import COpenSSL

/// Who issued what, one step of a chain at a time: for profiles that allow no intermediates and tell the reasons apart, which
/// `CertificateChain` does not.
extension Certificate {
    /// ECDSA with SHA-2: what ISO/IEC 18013-5 Annex B signs certificates with. SHA-1 is not among them.
    fileprivate static let believed: Set<Int32> = [NID_ecdsa_with_SHA256, NID_ecdsa_with_SHA384, NID_ecdsa_with_SHA512]
    /// The same of RSA, whose padding is that of PKCS#1 v1.5 (RFC 8017 section 8.2).
    private static let believedOfRSA: Set<Int32> = [
        NID_sha256WithRSAEncryption, NID_sha384WithRSAEncryption, NID_sha512WithRSAEncryption,
    ]

    /// Whether this certificate's subject is the issuer that the other names, by the comparison of RFC 5280 section 7.1. A name proves
    /// nothing.
    public func isNamedAsIssuer(of other: Certificate) -> Bool {
        X509_NAME_cmp(X509_get_subject_name(storage.certificate), X509_get_issuer_name(other.storage.certificate)) == 0
    }

    /// Whether both have the same subject.
    public func hasSubject(of other: Certificate) -> Bool {
        X509_NAME_cmp(X509_get_subject_name(storage.certificate), X509_get_subject_name(other.storage.certificate)) == 0
    }

    /// Whether this certificate's key made the other's signature, with ECDSA and SHA-2. It says nothing about names, dates and usage.
    public func hasSigned(_ other: Certificate) -> Bool {
        defer { ERR_clear_error() }
        guard Self.believed.contains(X509_get_signature_nid(other.storage.certificate)),
            let key = X509_get0_pubkey(storage.certificate)
        else { return false }
        return X509_verify(other.storage.certificate, key) == 1
    }

    /// As `isNamedAsIssuer`, but octet for octet (trustedkey.md section 4): no letter case, no blank and no kind of text is passed over.
    public func isExactlyNamedAsIssuer(of other: Certificate) -> Bool {
        guard let subject = Self.encoded(X509_get_subject_name(storage.certificate)),
            let issuer = Self.encoded(X509_get_issuer_name(other.storage.certificate))
        else { return false }
        return subject == issuer
    }

    /// Whether this certificate's key made the other's signature with ECDSA on P-256 or P-384, or with RSA of 2048 to 8192 bits and
    /// PKCS#1 v1.5, and SHA-2 (trustedkey.md section 4). It says nothing about names, dates and usage.
    public func hasSignedWithECDSAOrRSA(_ other: Certificate) -> Bool {
        defer { ERR_clear_error() }
        let digests: Set<Int32>
        switch try? publicKey().kind {
        case .p256, .p384: digests = Self.believed
        case .rsa: digests = Self.believedOfRSA
        case .secp256k1, .ed25519, nil: return false
        }
        guard digests.contains(X509_get_signature_nid(other.storage.certificate)), let key = X509_get0_pubkey(storage.certificate) else {
            return false
        }
        return X509_verify(other.storage.certificate, key) == 1
    }

    /// The DER of a name, as it was received.
    private static func encoded(_ name: OpaquePointer?) -> [UInt8]? {
        var start: UnsafePointer<UInt8>?
        var length = 0
        guard let name, X509_NAME_get0_der(name, &start, &length) == 1, let start else { return nil }
        return [UInt8](UnsafeBufferPointer(start: start, count: length))
    }

    /// Whether both are the same certificate, octet for octet.
    public func isSame(as other: Certificate) -> Bool { X509_cmp(storage.certificate, other.storage.certificate) == 0 }
}

extension RevocationList {
    /// Whether `root` issued the list: its name, and its signature with ECDSA and SHA-2.
    public func isIssued(by root: Certificate) -> Bool {
        defer { ERR_clear_error() }
        guard X509_NAME_cmp(X509_CRL_get_issuer(storage.list), X509_get_subject_name(root.storage.certificate)) == 0,
            Certificate.believed.contains(X509_CRL_get_signature_nid(storage.list)),
            let key = X509_get0_pubkey(root.storage.certificate)
        else { return false }
        return X509_CRL_verify(storage.list, key) == 1
    }

    /// Whether the list has the certificate, and does not take it off again (RFC 5280 section 5.3.1, `removeFromCRL`). Whose list it is
    /// has to be asked first.
    public func lists(_ certificate: Certificate) -> Bool {
        defer { ERR_clear_error() }
        return X509_CRL_get0_by_cert(storage.list, nil, certificate.storage.certificate) == 1
    }
}
