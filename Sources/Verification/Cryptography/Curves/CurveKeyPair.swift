import COpenSSL

/// A key pair on a curve of NIST that was just made: a reader's. It signs a request for its certificate, and nothing else.
public struct CurveKeyPair: ~Copyable {
    public let curve: NISTCurve
    private let key: OpaquePointer

    /// Throws `unavailable`, which a random generator without a seed is too.
    public init(_ curve: NISTCurve) throws(CryptographyError) {
        _ = Library.shared
        guard let made = gatehouse_new_ec_key(curve.groupName) else { throw Library.failure(.unavailable) }
        self.init(key: made, curve: curve)
    }

    private init(key: OpaquePointer, curve: NISTCurve) {
        self.key = key
        self.curve = curve
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// The private key as a PEM text "PRIVATE KEY", not encrypted: whoever reads it asks in this name. Throws `unavailable`.
    public borrowing func privatePEM() throws(CryptographyError) -> Secret { try PrivateKeyText.write(key) }

    /// The public key as SubjectPublicKeyInfo in DER. Throws `unavailable`.
    public borrowing func subjectPublicKeyInfo() throws(CryptographyError) -> [UInt8] { try PublicKey.subjectPublicKeyInfo(of: key) }

    /// A request for a certificate (RFC 2986) in DER, signed with this key by the curve's digest.
    ///
    /// - Parameters:
    ///   - subject: the parts of its name, in order.
    ///   - usage: the extended key usage it asks for, as a dotted identifier.
    ///
    /// Throws `malformedCertificate` for a part that no name can have (a country of other than two letters, a text too long or empty).
    public borrowing func certificateRequest(
        _ subject: [(attribute: Certificate.NameAttribute, text: String)], usage: String
    ) throws(CryptographyError) -> [UInt8] {
        let texts = subject.map { Array($0.text.utf8) }
        // One block that does not move while libcrypto reads the parts of it.
        let joined = Array(texts.joined())
        guard texts.allSatisfy({ !$0.isEmpty }) else { throw .malformedCertificate }
        var length = 0
        let made = joined.withUnsafeBufferPointer { all in
            var parts: [gatehouse_name_part] = [], start = 0
            for (part, text) in zip(subject, texts) {
                parts.append(
                    gatehouse_name_part(nid: part.attribute.identifier, text: all.baseAddress.map { $0 + start }, length: text.count))
                start += text.count
            }
            return gatehouse_certificate_request(key, curve.digestName, parts, parts.count, usage, &length)
        }
        guard let made else { throw Library.failure(.malformedCertificate) }
        defer { CRYPTO_free(made, nil, 0) }
        return Array(UnsafeBufferPointer(start: made, count: length))
    }
}
