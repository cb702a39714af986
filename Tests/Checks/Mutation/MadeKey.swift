import COpenSSL
import Foundation

/// An Ed25519 key with a name, the same in every run, and certificates for such keys.
final class MadeKey {
    let key: OpaquePointer

    /// - Parameter name: what the private key is made of: a test's key is nobody's secret.
    init(_ name: String) throws {
        var seed = [UInt8](repeating: 0, count: 32), count = 0
        guard EVP_Q_digest(nil, "SHA2-256", nil, name, name.utf8.count, &seed, &count) == 1,
            let made = EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, seed, count)
        else { throw CheckFailed(reason: "no key could be made") }
        key = made
    }

    deinit { EVP_PKEY_free(key) }

    func sign(_ message: [UInt8]) throws -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 64), count = 64
        guard EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key, nil) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == 64
        else { throw CheckFailed(reason: "nothing could be signed") }
        return signature
    }

    /// SubjectPublicKeyInfo in PEM.
    var pem: String {
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(key, &der)
        defer { CRYPTO_free(der, #file, #line) }
        return der.map { SampleFolder.armor(Data(bytes: $0, count: Int(count)), "PUBLIC KEY") } ?? ""
    }

    /// DER of a certificate for this key.
    ///
    /// - Parameters:
    ///   - time: in the middle of its validity, in seconds since 1970.
    ///   - extensions: in OpenSSL's words, by libcrypto's number of their kind.
    func certificate(_ subject: String, issuer: String, signer: MadeKey, at time: Int64, extensions: [(kind: Int32, value: String)]) throws
        -> Data
    {
        let certificate = X509_new()
        defer { X509_free(certificate) }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
        ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(time) - 86_400)
        ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(time) + 86_400)
        for (name, text) in [(X509_get_subject_name(certificate), subject), (X509_get_issuer_name(certificate), issuer)] {
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0)
        }
        X509_set_pubkey(certificate, key)
        for (kind, value) in extensions {
            guard let extended = X509V3_EXT_conf_nid(nil, nil, kind, value) else { throw CheckFailed(reason: "\(value) is no extension") }
            X509_add_ext(certificate, extended, -1)
            X509_EXTENSION_free(extended)
        }
        var der: UnsafeMutablePointer<UInt8>?
        guard X509_sign(certificate, signer.key, nil) > 0 else { throw CheckFailed(reason: "no certificate could be signed") }
        let count = i2d_X509(certificate, &der)
        defer { CRYPTO_free(der, #file, #line) }
        guard let der, count > 0 else { throw CheckFailed(reason: "no certificate could be made") }
        return Data(bytes: der, count: Int(count))
    }
}
