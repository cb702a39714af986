import COpenSSL
import Cryptography
import TestSupport
import Testing

@Suite struct CurveSigningKeyTests {
    static func key(_ pem: String) throws(CryptographyError) -> CurveSigningKey {
        let text = bytes(pem)
        return try CurveSigningKey(pem: text.span)
    }

    static func certificate(_ key: CurveKey) throws -> Certificate {
        let certificates = try Certificate.all(inPEM: bytes(key.certificate))
        return try #require(certificates.first)
    }

    @Test(arguments: zip(CurveKey.all, NISTCurve.allCases)) func aSignatureVerifies(_ made: CurveKey, _ curve: NISTCurve) throws {
        let key = try Self.key(made.pem), message = bytes("who asks"), other = bytes("who asks?")
        #expect(key.curve == curve)
        var signatures: Set<[UInt8]> = []
        for _ in 0..<20 {
            let signature = try key.sign(message.span)
            #expect(signature.count == 2 * curve.coordinateLength)
            signatures.insert(signature)
            #expect(try Self.verifies(signature, message, try Self.certificate(made)))
            #expect(try !Self.verifies(signature, other, try Self.certificate(made)))
        }
        #expect(signatures.count == 20)
    }

    @Test func aCertificateIsOfItsKey() throws {
        for (index, made) in CurveKey.all.enumerated() {
            let key = try Self.key(made.pem)
            for (other, certificate) in CurveKey.all.enumerated() {
                #expect(key.isKey(of: try Self.certificate(certificate)) == (index == other))
            }
        }
    }

    @Test func theOlderTextIsTheSameKey() throws {
        let key = try Self.key(CurveKey.sec1)
        #expect(key.isKey(of: try Self.certificate(.p256)))
    }

    @Test func everythingElseIsRefused() {
        let cases: [(String, CryptographyError)] = [
            (CurveKey.ed25519, .unsupportedKey), (CurveKey.secp256k1, .unsupportedKey), (CurveKey.explicit, .unsupportedKey),
            (CurveKey.encrypted, .malformedKey), (CurveKey.p256.certificate, .malformedKey), ("", .malformedKey), ("no key", .malformedKey),
            (String(CurveKey.p384.pem.dropLast(60)), .malformedKey), (String(repeating: " ", count: 5000), .malformedKey),
        ]
        for (pem, expected) in cases {
            #expect(failure { () throws(CryptographyError) in _ = try Self.key(pem) } == expected, "\(pem.prefix(40))")
        }
    }

    /// With libcrypto itself: `PublicKey` does not know every curve.
    static func verifies(_ signature: [UInt8], _ message: [UInt8], _ certificate: Certificate) throws -> Bool {
        let der = try certificate.der(), half = signature.count / 2
        let digest = [64: "SHA256", 96: "SHA384", 132: "SHA512"][signature.count]
        let made = ECDSA_SIG_new()
        ECDSA_SIG_set0(
            made, BN_bin2bn(signature, Int32(half), nil), BN_bin2bn(Array(signature[half...]), Int32(half), nil))
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(made, &encoded)
        ECDSA_SIG_free(made)
        var cursor = der.withUnsafeBufferPointer { $0.baseAddress }
        return der.withUnsafeBufferPointer { buffer in
            cursor = buffer.baseAddress
            let parsed = d2i_X509(nil, &cursor, buffer.count), context = EVP_MD_CTX_new()
            defer {
                EVP_MD_CTX_free(context)
                X509_free(parsed)
                CRYPTO_free(encoded, nil, 0)
            }
            guard EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, X509_get0_pubkey(parsed), nil) == 1 else { return false }
            return EVP_DigestVerify(context, encoded, Int(length), message, message.count) == 1
        }
    }
}
