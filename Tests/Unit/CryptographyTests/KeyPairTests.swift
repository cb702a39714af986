import Cryptography
import Testing

/// Key pairs as a signer gets them: what one half signs the other verifies, by way of the text that goes into a file.
@Suite struct KeyPairTests {
    @Test func whatTheFileSignsThePublicKeyVerifies() throws {
        let pair = try KeyPair(.ed25519), text = array(try pair.privatePEM())
        #expect(String(decoding: text, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(String(decoding: text, as: UTF8.self).hasSuffix("-----END PRIVATE KEY-----\n"))
        let key = try SigningKey(pem: text.span), message = bytes("whom a gate believes")
        #expect(try pair.publicKey.point() == array(key.publicKey))
        let signature = try key.sign(message.span)
        try pair.publicKey.verify(signature: signature.span, over: message.span, algorithm: .edDSA)
    }

    @Test func kinds() throws {
        let first = try KeyPair(.p256), second = try KeyPair(.p256), point = try first.publicKey.point()
        #expect(first.publicKey.kind == .p256 && first.publicKey != second.publicKey)
        #expect(point.count == 65 && point.first == 0x04)
        #expect(try PublicKey(curve: .p256, point: point.span) == first.publicKey)
        // It signs no bundle.
        let text = array(try first.privatePEM())
        #expect(failure { () throws(CryptographyError) in _ = try SigningKey(pem: text.span) } == .unsupportedKey)
    }

    /// The public key is made anew: a copy of it holds nothing that signs.
    @Test func thePublicHalfIsNoMore() throws {
        let pair = try KeyPair(.ed25519), info = try pair.publicKey.subjectPublicKeyInfo(), point = try pair.publicKey.point()
        #expect(info.count == 44 && Array(info.suffix(32)) == point)
        #expect(try PublicKey(der: info.span) == pair.publicKey)
    }
}
