import COpenSSL

/// What the profile of ISO/IEC 18013-5 Annex B asks of a certificate's extensions (mdoc.md section 6.1).
extension Certificate {
    /// Most extensions that are looked at. A certificate of the profile has eight; one of `longest` octets could have thousands.
    private static let mostExtensions: Int32 = 64
    /// Octets of the longest dotted identifier that is looked at, its end included.
    private static let longestIdentifier = 128

    /// The dotted identifiers of the critical extensions, in order. Throws `malformedCertificate`, also for more extensions than 64.
    public func criticalExtensions() throws(CryptographyError) -> [String] {
        let count = X509_get_ext_count(storage.certificate)
        guard 0...Self.mostExtensions ~= count else { throw .malformedCertificate }
        var critical: [String] = []
        for index in 0..<count {
            guard let found = X509_get_ext(storage.certificate, index), let object = X509_EXTENSION_get_object(found) else {
                throw Library.failure(.malformedCertificate)
            }
            guard X509_EXTENSION_get_critical(found) == 1 else { continue }
            var text = [CChar](repeating: 0, count: Self.longestIdentifier)
            let length = Int(OBJ_obj2txt(&text, Int32(text.count), object, 1))
            guard 1..<text.count ~= length else { throw Library.failure(.malformedCertificate) }
            critical.append(String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return critical
    }

    /// The critical extensions of a certificate whose other extensions are nobody's concern, read or not (trustedkey.md section 3, step 8).
    /// Throws `malformedCertificate` as `criticalExtensions`, and where there is a critical one and not all that libcrypto knows parse.
    public func readCriticalExtensions() throws(CryptographyError) -> [String] {
        let critical = try criticalExtensions()
        guard critical.isEmpty || hasReadableExtensions else { throw Library.failure(.malformedCertificate) }
        return critical
    }

    /// Extensions of which the profile only wants to know whether they are there.
    public enum Particular: Hashable, Sendable {
        case issuerAlternativeName, distributionPoints

        fileprivate var identifier: Int32 { self == .issuerAlternativeName ? NID_issuer_alt_name : NID_crl_distribution_points }
    }

    public func has(_ particular: Particular) -> Bool {
        X509_get_ext_by_NID(storage.certificate, particular.identifier, -1) >= 0
    }

    /// Whether the basic constraints make it a certification authority (RFC 5280 section 4.2.1.9); false without the extension.
    public var isAuthority: Bool {
        let flags = X509_get_extension_flags(storage.certificate)
        return flags & UInt32(EXFLAG_BCONS) != 0 && flags & UInt32(EXFLAG_CA) != 0
    }

    /// How many authorities may stand below it; nil where the basic constraints do not say.
    public var pathLength: Int? {
        let length = X509_get_pathlen(storage.certificate)
        return length >= 0 ? Int(length) : nil
    }

    public var subjectKeyIdentifier: [UInt8]? { Self.octets(X509_get0_subject_key_id(storage.certificate)) }

    public var authorityKeyIdentifier: [UInt8]? { Self.octets(X509_get0_authority_key_id(storage.certificate)) }

    /// SHA-1 of the key's bits, which RFC 5280 section 4.2.1.2 (1) makes a key identifier of: a name and nothing more. Throws
    /// `unavailable`.
    public func computedKeyIdentifier() throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard X509_pubkey_digest(storage.certificate, EVP_sha1(), &digest, &length) == 1, Int(length) <= digest.count else {
            throw Library.failure(.unavailable)
        }
        return Array(digest.prefix(Int(length)))
    }

    /// Octets of the serial number, without sign and leading zeros.
    public var serialNumberLength: Int {
        X509_get0_serialNumber(storage.certificate).map { Int(ASN1_STRING_length($0)) } ?? 0
    }

    private static func octets(_ value: UnsafePointer<ASN1_OCTET_STRING>?) -> [UInt8]? {
        guard let value, let start = ASN1_STRING_get0_data(value) else { return nil }
        return [UInt8](UnsafeBufferPointer(start: start, count: max(0, Int(ASN1_STRING_length(value)))))
    }
}

extension Certificate.KeyUsage {
    public static let keyAgreement = Certificate.KeyUsage(rawValue: UInt32(KU_KEY_AGREEMENT))
}
