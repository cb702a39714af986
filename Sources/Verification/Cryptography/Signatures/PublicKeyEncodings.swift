import COpenSSL

/// Keys from SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) and from certificates, and the check every key passes.
extension PublicKey {
    /// Longest SubjectPublicKeyInfo accepted, in bytes: twice what RSA with 8192 bits needs.
    static let longestInfo = 4096

    /// A key from DER. Throws `malformedKey`, `unsupportedKey`, `keySizeRefused`, `unavailable`.
    public init(der: Span<UInt8>) throws(CryptographyError) {
        guard !der.isEmpty, der.count <= Self.longestInfo else { throw .malformedKey }
        _ = Library.shared
        let (key, consumed) = der.withUnsafeBufferPointer { buffer -> (OpaquePointer?, Int) in
            var cursor = buffer.baseAddress
            let key = d2i_PUBKEY_ex(nil, &cursor, buffer.count, nil, nil)
            let consumed = cursor.flatMap { end in buffer.baseAddress.map { end - $0 } } ?? 0
            return (key, consumed)
        }
        guard let key else { throw Library.failure(.malformedKey) }
        let storage = KeyStorage(key)
        guard consumed == der.count else { throw .malformedKey }
        try self.init(checking: storage)
    }

    /// A key from a PEM block "PUBLIC KEY" (RFC 7468 section 13): exactly one, nothing but white space around it.
    /// Throws as `init(der:)`.
    public init(pem: Span<UInt8>) throws(CryptographyError) {
        let der = try PEM.decode(pem, label: "PUBLIC KEY", longest: Self.longestInfo)
        try self.init(der: der.span)
    }

    /// The key of an X.509 certificate in DER. This checks neither the certificate's signature nor its dates: see
    /// `CertificateChain`. Throws `malformedCertificate` and as `init(der:)`.
    public init(certificate der: Span<UInt8>) throws(CryptographyError) {
        self = try Certificate(der).publicKey()
    }

    /// The key as SubjectPublicKeyInfo in DER. A point that came compressed may stay so: compare keys with `==`.
    /// Throws `unavailable`.
    public func subjectPublicKeyInfo() throws(CryptographyError) -> [UInt8] {
        try Self.subjectPublicKeyInfo(of: storage.key)
    }

    /// The same of a key object that holds the private half too.
    static func subjectPublicKeyInfo(of key: OpaquePointer) throws(CryptographyError) -> [UInt8] {
        let length = Int(i2d_PUBKEY(key, nil))
        guard length > 0, length <= longestInfo else { throw Library.failure(.unavailable) }
        var der = [UInt8](repeating: 0, count: length)
        let written = der.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return Int(i2d_PUBKEY(key, &cursor))
        }
        guard written == length else { throw Library.failure(.unavailable) }
        return der
    }

    /// The one door to a `PublicKey`: decides the kind and refuses what must not be used.
    init(checking storage: KeyStorage) throws(CryptographyError) {
        let key = storage.key
        let kind: Kind
        if EVP_PKEY_is_a(key, "EC") == 1 {
            kind = try Self.curveKind(key)
            guard Self.isOnCurve(key) else { throw Library.failure(.malformedKey) }
        } else if EVP_PKEY_is_a(key, "ED25519") == 1 {
            kind = .ed25519
            try SmallOrderPoints.refuse(key)
        } else if EVP_PKEY_is_a(key, "RSA") == 1 {
            let bits = Int(EVP_PKEY_get_bits(key))
            guard Self.rsaBits.contains(bits) else { throw Library.failure(.keySizeRefused) }
            // libcrypto's own check also proves the modulus composite, which takes a tenth of a second at 8192 bits
            // and says nothing about who knows its factors.
            guard Self.isOdd(key, OSSL_PKEY_PARAM_RSA_N, bits: Self.rsaBits),
                Self.isOdd(key, OSSL_PKEY_PARAM_RSA_E, bits: 2...64)
            else { throw Library.failure(.malformedKey) }
            kind = .rsa(bits: bits)
        } else {
            throw Library.failure(.unsupportedKey)
        }
        self.init(kind: kind, storage: storage)
    }

    private static func curveKind(_ key: OpaquePointer) throws(CryptographyError) -> Kind {
        // A curve spelled out in parameters may be a doctored one (CVE-2020-0601): only names are believed.
        var explicit: Int32 = 0
        if EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &explicit) == 1, explicit != 0 {
            throw Library.failure(.unsupportedKey)
        }
        var name = InlineArray<64, CChar>(repeating: 0)
        var names = name.mutableSpan
        let curve = names.withUnsafeMutableBufferPointer { buffer -> EllipticCurve? in
            var length = 0
            guard EVP_PKEY_get_group_name(key, buffer.baseAddress, buffer.count, &length) == 1,
                let start = buffer.baseAddress
            else { return nil }
            let found = String(cString: start)
            return EllipticCurve.allCases.first { $0.groupName == found }
        }
        guard let curve else { throw Library.failure(.unsupportedKey) }
        return curve.kind
    }

    private static func isOdd(_ key: OpaquePointer, _ parameter: String, bits: ClosedRange<Int>) -> Bool {
        var number: OpaquePointer?
        let read = EVP_PKEY_get_bn_param(key, parameter, &number)
        defer { BN_free(number) }
        guard read == 1, let number else { return false }
        return BN_is_odd(number) == 1 && bits.contains(Int(BN_num_bits(number)))
    }

    /// Whether the point is on its curve and not at infinity. All three curves have cofactor 1: it then has the group's
    /// order, and the long check would only find the same.
    private static func isOnCurve(_ key: OpaquePointer) -> Bool {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        return EVP_PKEY_public_check_quick(context) == 1
    }
}
