import Cryptography
import Foundation
import Testing

/// Project Wycheproof, run through the module's own API. Each test prints what ran and what it left out and why.
@Suite(.enabled(if: Suites.hasWycheproof)) struct WycheproofTests {
    /// The error of one verification, nil where the signature was accepted.
    static func refusal(
        _ key: PublicKey, _ signature: [UInt8], _ message: [UInt8], _ algorithm: SignatureAlgorithm
    ) -> CryptographyError? {
        failure { () throws(CryptographyError) in
            try key.verify(signature: signature.span, over: message.span, algorithm: algorithm)
        }
    }

    static func report(_ file: Wycheproof, ran: Int, skipped: Int = 0, _ remark: String = "") {
        #expect(ran + skipped == file.declared, "\(file.name): \(ran) + \(skipped) of \(file.declared)")
        #expect(ran > 0)
        print("Wycheproof \(file.name): \(ran) ran, \(skipped) skipped\(remark.isEmpty ? "" : " (\(remark))")")
    }

    @Test func aesGCM() throws {
        let file = try Wycheproof("aes_gcm")
        var cipher = try AuthenticatedCipher()
        var ran = 0
        var skipped = 0
        for group in file.groups {
            guard group.number("keySize") == 256, group.number("ivSize") == 96, group.number("tagSize") == 128 else {
                skipped += group.cases.count
                continue
            }
            for test in group.cases {
                ran += 1
                var message = test.octets("ct") + test.octets("tag")
                let opened = AuthenticatedCipherTests.open(
                    &message, key: test.octets("key"), nonce: test.octets("iv"), additional: test.octets("aad"),
                    with: &cipher)
                let plaintext = test.octets("msg")
                if test.result == "valid" {
                    #expect(opened == .success(plaintext.count), "\(test.id)")
                    #expect(message.prefix(plaintext.count).elementsEqual(plaintext), "\(test.id)")
                } else {
                    #expect(opened == .failure(.authenticationFailed), "\(test.id)")
                    #expect(message.allSatisfy { $0 == 0 }, "\(test.id)")
                }
            }
        }
        Self.report(file, ran: ran, skipped: skipped, "other key, nonce or tag sizes, which the type cannot express")
    }

    @Test(arguments: [
        ("ecdsa_secp256r1_sha256_p1363", SignatureAlgorithm.es256, EllipticCurve.p256),
        ("ecdsa_secp384r1_sha384_p1363", .es384, .p384),
        ("ecdsa_secp256k1_sha256_p1363", .es256k, .secp256k1),
    ])
    func ecdsaRaw(_ name: String, _ algorithm: SignatureAlgorithm, _ curve: EllipticCurve) throws {
        let file = try Wycheproof(name)
        var ran = 0
        for group in file.groups {
            let key = try PublicKey(der: group.octets("publicKeyDer").span)
            let pem = try PublicKey(pem: bytes(group.text("publicKeyPem")).span)
            let point = hex(group.object("publicKey")["uncompressed"] as? String ?? "")
            let compressed = [point[point.count - 1] & 1 == 0 ? 2 : 3] + point[1...curve.coordinateLength]
            let fromPoint = try PublicKey(curve: curve, point: point.span)
            let fromCompressed = try PublicKey(curve: curve, point: compressed.span)
            let jwk = group.object("publicKeyJwk")
            let x = base64url(jwk["x"] as? String ?? "")
            let y = base64url(jwk["y"] as? String ?? "")
            let fromJWK = jwk.isEmpty ? key : try PublicKey(curve: curve, x: x.span, y: y.span)
            for test in group.cases {
                ran += 1
                for candidate in [key, pem, fromPoint, fromCompressed, fromJWK] {
                    let refused = Self.refusal(candidate, test.octets("sig"), test.octets("msg"), algorithm)
                    if test.result == "valid" {
                        #expect(refused == nil, "\(test.id)")
                    } else {
                        #expect(refused == .badSignature || refused == .malformedSignature, "\(test.id)")
                    }
                }
            }
        }
        Self.report(file, ran: ran)
    }

    @Test(arguments: [
        ("ecdsa_secp256r1_sha256", SignatureAlgorithm.es256), ("ecdsa_secp256k1_sha256", .es256k),
    ])
    func ecdsaInDERIsNeverAccepted(_ name: String, _ algorithm: SignatureAlgorithm) throws {
        let file = try Wycheproof(name)
        var ran = 0
        for group in file.groups {
            let key = try PublicKey(der: group.octets("publicKeyDer").span)
            for test in group.cases {
                ran += 1
                let refused = Self.refusal(key, test.octets("sig"), test.octets("msg"), algorithm)
                #expect(refused == .malformedSignature || refused == .badSignature, "\(test.id)")
            }
        }
        Self.report(file, ran: ran, "all refused: the encoding is not ours")
    }

    @Test func ed25519() throws {
        let file = try Wycheproof("ed25519")
        var ran = 0
        for group in file.groups {
            let raw = hex(group.object("publicKey")["pk"] as? String ?? "")
            let keys = [
                try PublicKey(ed25519: raw.span), try PublicKey(der: group.octets("publicKeyDer").span),
                try PublicKey(pem: bytes(group.text("publicKeyPem")).span),
            ]
            for test in group.cases {
                ran += 1
                for key in keys {
                    let refused = Self.refusal(key, test.octets("sig"), test.octets("msg"), .edDSA)
                    if test.result == "valid" {
                        #expect(refused == nil, "\(test.id)")
                    } else {
                        #expect(refused == .badSignature || refused == .malformedSignature, "\(test.id)")
                    }
                }
            }
        }
        Self.report(file, ran: ran)
    }

    @Test func hkdf() throws {
        let file = try Wycheproof("hkdf_sha256")
        var derivation = try KeyDerivation()
        var ran = 0
        for test in file.groups.flatMap(\.cases) {
            ran += 1
            var output = [UInt8](repeating: 0xa5, count: test.number("size"))
            let input = test.octets("ikm")
            let salt = test.octets("salt")
            let info = test.octets("info")
            let refused = output.withUnsafeMutableBytes { buffer in
                failure { () throws(CryptographyError) in
                    try derivation.fill(buffer, from: input.span, salt: salt.span, info: info.span)
                }
            }
            if test.result == "valid" {
                #expect(refused == nil, "\(test.id)")
                #expect(output == test.octets("okm"), "\(test.id)")
            } else {
                #expect(refused == .wrongLength, "\(test.id)")
            }
        }
        Self.report(file, ran: ran)
    }

    @Test(arguments: [
        ("rsa_signature_2048_sha256", SignatureAlgorithm.rs256), ("rsa_signature_3072_sha256", .rs256),
        ("rsa_signature_4096_sha256", .rs256), ("rsa_pss_2048_sha256_mgf1_32", .ps256),
        ("rsa_pss_3072_sha256_mgf1_32", .ps256), ("rsa_pss_4096_sha256_mgf1_32", .ps256),
    ])
    func rsa(_ name: String, _ algorithm: SignatureAlgorithm) throws {
        let file = try Wycheproof(name)
        var ran = 0
        for group in file.groups {
            let numbers = group.object("publicKey")
            let modulus = hex(numbers["modulus"] as? String ?? "")
            let exponent = hex(numbers["publicExponent"] as? String ?? "")
            let keys = [
                try PublicKey(der: group.octets("publicKeyDer").span),
                try PublicKey(pem: bytes(group.text("publicKeyPem")).span),
                try PublicKey(rsaModulus: modulus.span, exponent: exponent.span),
            ]
            for test in group.cases {
                ran += 1
                for key in keys {
                    let refused = Self.refusal(key, test.octets("sig"), test.octets("msg"), algorithm)
                    switch test.result {
                    case "valid":
                        #expect(refused == nil, "\(test.id)")
                    case "acceptable":
                        // PKCS #1 v1.5 without the NULL parameter of the digest: two encodings of one signature.
                        #expect(refused == .badSignature, "\(test.id)")
                    default:
                        #expect(refused == .badSignature || refused == .malformedSignature, "\(test.id)")
                    }
                }
            }
        }
        Self.report(file, ran: ran)
    }

    @Test func x25519() throws {
        let file = try Wycheproof("x25519")
        var ran = 0
        var lowOrder = 0
        for test in file.groups.flatMap(\.cases) {
            ran += 1
            let agreement = try KeyAgreement(privateKey: test.octets("private").span)
            let peer = test.octets("public")
            let expected = test.octets("shared")
            var shared: [UInt8] = []
            let refused = failure { () throws(CryptographyError) in
                shared = array(try agreement.agree(with: peer.span))
            }
            if expected.allSatisfy({ $0 == 0 }) {
                lowOrder += 1
                #expect(refused == .lowOrderPoint, "\(test.id)")
            } else {
                #expect(refused == nil, "\(test.id)")
                #expect(shared == expected, "\(test.id)")
            }
        }
        Self.report(file, ran: ran, "\(lowOrder) of low order, all refused")
    }

    /// Adding a file to the folder must not go unnoticed.
    @Test func everyFileIsRunOrNamed() throws {
        let run: Set<String> = [
            "aes_gcm", "ecdsa_secp256k1_sha256", "ecdsa_secp256k1_sha256_p1363", "ecdsa_secp256r1_sha256",
            "ecdsa_secp256r1_sha256_p1363", "ecdsa_secp384r1_sha384_p1363", "ed25519", "hkdf_sha256",
            "rsa_pss_2048_sha256_mgf1_32", "rsa_pss_3072_sha256_mgf1_32", "rsa_pss_4096_sha256_mgf1_32",
            "rsa_signature_2048_sha256", "rsa_signature_3072_sha256", "rsa_signature_4096_sha256", "x25519",
        ]
        // JOSE's own files need a JSON parser: they belong to the tests of what verifies a JWS.
        let elsewhere: Set<String> = ["json_web_key", "json_web_signature"]
        let present = try FileManager.default.contentsOfDirectory(atPath: Suites.wycheproof)
            .filter { $0.hasSuffix("_test.json") }.map { String($0.dropLast("_test.json".count)) }
        #expect(Set(present).subtracting(run).subtracting(elsewhere).isEmpty)
        print("Wycheproof: \(present.count) files, \(elsewhere.intersection(present).count) left to the tests of JOSE")
    }
}
