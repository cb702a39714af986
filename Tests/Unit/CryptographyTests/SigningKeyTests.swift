import COpenSSL
import Cryptography
import Testing

/// Private keys as files hold them. All are made here.
@Suite struct SigningKeyTests {
    /// RFC 8410 section 7: version, algorithm, the seed in an octet string in an octet string.
    private static let prefix = hex("302e020100300506032b657004220420")
    private static let seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")

    private func pem(_ der: [UInt8], _ label: String = "PRIVATE KEY") -> [UInt8] {
        var text = [UInt8](repeating: 0, count: 4 * der.count + 4)
        let count = Int(EVP_EncodeBlock(&text, der, Int32(der.count)))
        return Array("-----BEGIN \(label)-----\n".utf8) + text[..<count] + Array("\n-----END \(label)-----\n".utf8)
    }

    private func fault(_ pem: [UInt8]) -> CryptographyError? {
        failure { () throws(CryptographyError) in _ = try SigningKey(pem: pem.span) }
    }

    @Test("the key of a PEM text is the key of its seed")
    func seed() throws {
        let key = try SigningKey(pem: pem(Self.prefix + Self.seed).span), same = try SigningKey(seed: Self.seed.span)
        #expect(array(key.publicKey) == array(same.publicKey))
        let message: [UInt8] = [0x72]
        #expect(try key.sign(message.span) == same.sign(message.span))
    }

    @Test("anything else is refused, and nobody is asked for a password")
    func refusals() throws {
        let good = pem(Self.prefix + Self.seed)
        #expect(fault([]) == .malformedKey)
        #expect(fault(pem(Self.prefix + Self.seed.dropLast())) == .malformedKey)
        #expect(fault(pem(Self.prefix + Self.seed, "PUBLIC KEY")) == .malformedKey)
        #expect(fault(good + [UInt8](repeating: 0x0A, count: 4096)) == .malformedKey, "too long")
        for length in stride(from: 0, to: good.count - 1, by: 7) { #expect(fault(Array(good[..<length])) != nil) }
        // X25519: the same shape, but it cannot sign.
        #expect(fault(pem(hex("302e020100300506032b656e04220420") + Self.seed)) == .unsupportedKey)
    }

    @Test func anEncryptedKeyIsRefused() throws {
        let key = EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, Self.seed, 32)
        defer { EVP_PKEY_free(key) }
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        let password = Array("test".utf8)
        #expect(
            PEM_write_bio_PKCS8PrivateKey(memory, key, EVP_aes_256_cbc(), password.map { CChar($0) }, Int32(password.count), nil, nil) == 1)
        var text = [UInt8](repeating: 0, count: 2048)
        let count = BIO_read(memory, &text, Int32(text.count))
        #expect(count > 0 && String(decoding: text.prefix(40), as: UTF8.self).contains("ENCRYPTED"))
        #expect(fault(Array(text.prefix(Int(count)))) == .malformedKey)
    }
}
