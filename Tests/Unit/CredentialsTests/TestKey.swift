import COpenSSL
import Foundation

/// A key pair made when the tests run: nothing secret is in the repository.
final class TestKey: @unchecked Sendable {
    enum Kind { case ed25519, p256, p384, secp256k1, rsa }

    static let ed25519 = TestKey(.ed25519)
    static let otherEd25519 = TestKey(.ed25519)
    static let p256 = TestKey(.p256)
    static let otherP256 = TestKey(.p256)
    static let p384 = TestKey(.p384)
    static let secp256k1 = TestKey(.secp256k1)
    static let rsa = TestKey(.rsa)

    let kind: Kind
    let key: OpaquePointer

    init(_ kind: Kind) {
        self.kind = kind
        let type =
            switch kind {
            case .ed25519: "ED25519"
            case .rsa: "RSA"
            default: "EC"
            }
        let context = EVP_PKEY_CTX_new_from_name(nil, type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        precondition(EVP_PKEY_keygen_init(context) == 1)
        switch kind {
        case .p256: precondition(EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1)
        case .p384: precondition(EVP_PKEY_CTX_set_group_name(context, "secp384r1") == 1)
        case .secp256k1: precondition(EVP_PKEY_CTX_set_group_name(context, "secp256k1") == 1)
        case .rsa: precondition(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1)
        case .ed25519: break
        }
        var made: OpaquePointer?
        precondition(EVP_PKEY_generate(context, &made) == 1)
        key = made!
    }

    deinit { EVP_PKEY_free(key) }

    /// The one JOSE algorithm tests use with this kind by default.
    var algorithm: String {
        switch kind {
        case .ed25519: "EdDSA"
        case .p256: "ES256"
        case .p384: "ES384"
        case .secp256k1: "ES256K"
        case .rsa: "PS256"
        }
    }

    /// The public key as JWK text.
    var jwk: String {
        switch kind {
        case .ed25519: return #"{"kty":"OKP","crv":"Ed25519","x":"\#(base64URL(publicOctets))"}"#
        case .rsa:
            return #"{"kty":"RSA","n":"\#(base64URL(number(OSSL_PKEY_PARAM_RSA_N)))","e":"\#(base64URL(number(OSSL_PKEY_PARAM_RSA_E)))"}"#
        case .p256, .p384, .secp256k1:
            let length = kind == .p384 ? 48 : 32
            let name =
                switch kind {
                case .p256: "P-256"
                case .p384: "P-384"
                default: "secp256k1"
                }
            let point = publicOctets
            return
                #"{"kty":"EC","crv":"\#(name)","x":"\#(base64URL(Array(point[1...length])))","y":"\#(base64URL(Array(point[(1 + length)...])))"}"#
        }
    }

    /// The public key as SubjectPublicKeyInfo in PEM.
    var pem: String {
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(key, &der)
        defer { CRYPTO_free(der, #file, #line) }
        return armor(Data(bytes: der!, count: Int(count)), "PUBLIC KEY")
    }

    private var publicOctets: [UInt8] {
        var octets = [UInt8](repeating: 0, count: 256)
        var count = octets.count
        precondition(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &octets, octets.count, &count) == 1)
        // Generated EC keys may come out compressed only when asked to; the tests never ask.
        return Array(octets[..<count])
    }

    private func number(_ name: String) -> [UInt8] {
        var number: OpaquePointer?
        precondition(EVP_PKEY_get_bn_param(key, name, &number) == 1)
        defer { BN_free(number) }
        var octets = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &octets)
        return octets
    }

    /// A signature as JOSE carries it: raw r and s for ECDSA unless `der` is asked for.
    func sign(_ message: [UInt8], algorithm: String? = nil, der: Bool = false) -> [UInt8] {
        let algorithm = algorithm ?? self.algorithm
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        let digest: String? = kind == .ed25519 ? nil : kind == .p384 ? "SHA384" : "SHA256"
        precondition(EVP_DigestSignInit_ex(context, &keyContext, digest, nil, nil, key, nil) == 1)
        if algorithm == "PS256" {
            precondition(EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1)
            precondition(EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, 32) == 1)
        }
        var signature = [UInt8](repeating: 0, count: 1024)
        var count = signature.count
        precondition(EVP_DigestSign(context, &signature, &count, message, message.count) == 1)
        signature.removeSubrange(count...)
        guard !der, kind != .ed25519, kind != .rsa else { return signature }
        return rawSignature(signature, kind == .p384 ? 48 : 32)
    }

    /// SEQUENCE { r INTEGER, s INTEGER } to r || s.
    private func rawSignature(_ der: [UInt8], _ length: Int) -> [UInt8] {
        var position = der[1] & 0x80 == 0 ? 2 : 3
        var raw: [UInt8] = []
        for _ in 0..<2 {
            let count = Int(der[position + 1])
            let octets = der[(position + 2)..<(position + 2 + count)].drop { $0 == 0 }
            raw += [UInt8](repeating: 0, count: length - octets.count) + octets
            position += 2 + count
        }
        return raw
    }
}

func base64URL(_ octets: some Sequence<UInt8>) -> String {
    Data(octets).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
}

func base64URL(_ text: String) -> String { base64URL(text.utf8) }

func unBase64URL(_ text: some StringProtocol) -> [UInt8] {
    var text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return Array(Data(base64Encoded: text) ?? Data())
}

func armor(_ der: Data, _ label: String) -> String {
    "-----BEGIN \(label)-----\n\(der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))\n-----END \(label)-----\n"
}

/// A certificate made when the tests run.
struct TestCertificate {
    let der: Data

    var base64: String { der.base64EncodedString() }
    var pem: String { armor(der, "CERTIFICATE") }

    /// - Parameters:
    ///   - names: subject alternative names in OpenSSL's words, for example `URI:https://issuer.example`; nil for an authority.
    ///   - days: validity around `TestCredential.now`.
    ///   - more: further extensions by libcrypto's number of their kind, in OpenSSL's words.
    init(
        _ subject: String, key: TestKey, issuer: String, signer: TestKey, names: String?, days: ClosedRange<Int> = -100...100,
        more: [(kind: Int32, value: String)] = []
    ) {
        let certificate = X509_new()
        defer { X509_free(certificate) }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max)))
        ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(TestCredential.now) + days.lowerBound * 86_400)
        ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(TestCredential.now) + days.upperBound * 86_400)
        for (name, text) in [(X509_get_subject_name(certificate), subject), (X509_get_issuer_name(certificate), issuer)] {
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0)
        }
        X509_set_pubkey(certificate, key.key)
        func add(_ kind: Int32, _ value: String) {
            var context = X509V3_CTX()
            X509V3_set_ctx(&context, nil, certificate, nil, nil, 0)
            // Policies are only read where there could be a configuration to read sections from.
            let configuration = NCONF_new(nil)
            defer { NCONF_free(configuration) }
            X509V3_set_nconf(&context, configuration)
            let extended = X509V3_EXT_conf_nid(nil, &context, kind, value)
            precondition(extended != nil && X509_add_ext(certificate, extended, -1) == 1)
            X509_EXTENSION_free(extended)
        }
        if let names {
            add(NID_basic_constraints, "critical,CA:FALSE")
            add(NID_key_usage, "critical,digitalSignature")
            if !names.isEmpty { add(NID_subject_alt_name, names) }
        } else {
            add(NID_basic_constraints, "critical,CA:TRUE")
            add(NID_key_usage, "critical,keyCertSign,cRLSign")
        }
        for (kind, value) in more { add(kind, value) }
        precondition(X509_sign(certificate, signer.key, signer.kind == .ed25519 ? nil : EVP_sha256()) > 0)
        var octets: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &octets)
        der = Data(bytes: octets!, count: Int(count))
        CRYPTO_free(octets, #file, #line)
    }
}
