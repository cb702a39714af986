import COpenSSL

/// What a profile (ISO/IEC 18013-5 Annex B, an SD-JWT issuer's) asks of a certificate beyond a valid path.
extension Certificate {
    /// The key usage bits (RFC 5280 section 4.2.1.3). Absence of the extension is nil, and means nothing is restricted.
    public struct KeyUsage: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        public static let digitalSignature = KeyUsage(rawValue: UInt32(KU_DIGITAL_SIGNATURE))
        public static let certificateSigning = KeyUsage(rawValue: UInt32(KU_KEY_CERT_SIGN))
        public static let listSigning = KeyUsage(rawValue: UInt32(KU_CRL_SIGN))
    }

    /// A part of a subject's name.
    public enum NameAttribute: Hashable, Sendable {
        case commonName, country, stateOrProvince, organization

        var identifier: Int32 {
            switch self {
            case .commonName: NID_commonName
            case .country: NID_countryName
            case .stateOrProvince: NID_stateOrProvinceName
            case .organization: NID_organizationName
            }
        }
    }

    public var keyUsage: KeyUsage? {
        let certificate = storage.certificate
        guard X509_get_extension_flags(certificate) & UInt32(EXFLAG_KUSAGE) != 0 else { return nil }
        return KeyUsage(rawValue: X509_get_key_usage(certificate))
    }

    /// The extended key usages as dotted identifiers ("1.0.18013.5.1.2"), in order; nil without the extension.
    /// Throws `malformedCertificate`.
    public func extendedKeyUsages() throws(CryptographyError) -> [String]? {
        try Self.extendedKeyUsages(storage.certificate)
    }

    static func extendedKeyUsages(_ certificate: OpaquePointer) throws(CryptographyError) -> [String]? {
        var critical: Int32 = 0
        guard let found = X509_get_ext_d2i(certificate, NID_ext_key_usage, &critical, nil) else {
            guard critical == -1 else { throw Library.failure(.malformedCertificate) }
            return nil
        }
        let usages = OpaquePointer(found)
        defer { EXTENDED_KEY_USAGE_free(usages) }
        var dotted: [String] = []
        for index in 0..<gatehouse_usages_count(usages) {
            guard let text = Self.dotted(gatehouse_usage_at(usages, index)) else { throw .malformedCertificate }
            dotted.append(text)
        }
        return dotted
    }

    /// Every value of one attribute of the subject's name, in order. A profile that wants exactly one looks at the count.
    /// Throws `malformedCertificate` for text that does not convert to UTF-8 or holds a control character.
    public func subject(_ attribute: NameAttribute) throws(CryptographyError) -> [String] {
        let name = X509_get_subject_name(storage.certificate)
        var values: [String] = []
        var position = X509_NAME_get_index_by_NID(name, attribute.identifier, -1)
        // A name holds few entries; the bound is there so that no mistake elsewhere can make this endless.
        while position >= 0, values.count < 16 {
            values.append(try Self.text(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, position))))
            position = X509_NAME_get_index_by_NID(name, attribute.identifier, position)
        }
        return values
    }

    /// SHA-256 of the certificate's DER, by which a root is pinned or named in a report. Throws `unavailable`.
    public func fingerprint() throws(CryptographyError) -> [UInt8] {
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var output = digest.mutableSpan
        var length: UInt32 = 32
        let made = output.withUnsafeMutableBytes {
            X509_digest(
                storage.certificate, Library.shared.sha256, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), &length)
        }
        guard made == 1, length == 32 else { throw Library.failure(.unavailable) }
        return digest.indices.map { digest[$0] }
    }

    static func dotted(_ object: OpaquePointer?) -> String? {
        guard let object else { return nil }
        var text = InlineArray<128, CChar>(repeating: 0)
        var output = text.mutableSpan
        return output.withUnsafeMutableBufferPointer { buffer -> String? in
            let needed = OBJ_obj2txt(buffer.baseAddress, Int32(buffer.count), object, 1)
            guard needed > 0, Int(needed) < buffer.count, let start = buffer.baseAddress else { return nil }
            return String(cString: start)
        }
    }

    private static func text(_ value: UnsafePointer<ASN1_STRING>?) throws(CryptographyError) -> String {
        var utf8: UnsafeMutablePointer<UInt8>?
        let length = value.map { ASN1_STRING_to_UTF8(&utf8, $0) } ?? -1
        defer { CRYPTO_free(utf8, nil, 0) }
        guard length >= 0, let utf8 else { throw Library.failure(.malformedCertificate) }
        let bytes = UnsafeBufferPointer(start: utf8, count: Int(length))
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }), let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformedCertificate
        }
        return text
    }
}
