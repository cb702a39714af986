import Cryptography
import Testing

@Suite struct PublicKeyTests {
    static let message = bytes("gatehouse")

    // RFC 6979 A.2.5, message "sample", SHA-256.
    static let p256X = hex("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6")
    static let p256Y = hex("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
    static let p256Signature = hex(
        """
        efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716
        f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8
        """)
    // RFC 6979 A.2.6, message "sample", SHA-384.
    static let p384X = hex(
        "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13")
    static let p384Y = hex(
        "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720")
    static let p384Signature = hex(
        """
        94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46
        99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8
        """)
    // RFC 8032 section 7.1, test 2.
    static let edwardsKey = hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    static let edwardsSignature = hex(
        """
        92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
        085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
        """)

    struct Example: Sendable {
        let name: String
        let key: PublicKey
        let kind: PublicKey.Kind
        let algorithm: SignatureAlgorithm
        let message: [UInt8]
        let signature: [UInt8]
    }

    static func examples() throws -> [Example] {
        let exponent: [UInt8] = [1, 0, 1]
        let sample = bytes("sample")
        let x = p256X, y = p256Y, x384 = p384X, y384 = p384Y, edwards = edwardsKey
        let point = SignatureFixtures.secp256k1Point
        let modulus = SignatureFixtures.rsaModulus
        let rsa = try PublicKey(rsaModulus: modulus.span, exponent: exponent.span)
        return [
            Example(
                name: "P-256", key: try PublicKey(curve: .p256, x: x.span, y: y.span), kind: .p256, algorithm: .es256,
                message: sample, signature: p256Signature),
            Example(
                name: "P-384", key: try PublicKey(curve: .p384, x: x384.span, y: y384.span), kind: .p384,
                algorithm: .es384, message: sample, signature: p384Signature),
            Example(
                name: "secp256k1", key: try PublicKey(curve: .secp256k1, point: point.span), kind: .secp256k1,
                algorithm: .es256k, message: message, signature: SignatureFixtures.secp256k1Signature),
            Example(
                name: "Ed25519", key: try PublicKey(ed25519: edwards.span), kind: .ed25519, algorithm: .edDSA,
                message: [0x72], signature: edwardsSignature),
            Example(
                name: "PKCS #1", key: rsa, kind: .rsa(bits: 2048), algorithm: .rs256, message: message,
                signature: SignatureFixtures.rsaPKCS1),
            Example(
                name: "PSS", key: rsa, kind: .rsa(bits: 2048), algorithm: .ps256, message: message,
                signature: SignatureFixtures.rsaPSS),
        ]
    }

    static func refusal(
        _ key: PublicKey, _ signature: [UInt8], _ message: [UInt8], _ algorithm: SignatureAlgorithm
    ) -> CryptographyError? {
        WycheproofTests.refusal(key, signature, message, algorithm)
    }

    @Test func everyKindVerifiesItsOwnSignature() throws {
        for example in try Self.examples() {
            #expect(example.key.kind == example.kind)
            #expect(Self.refusal(example.key, example.signature, example.message, example.algorithm) == nil, "\(example.name)")
        }
    }

    @Test func everyFlippedByteOfSignatureAndMessageIsNoticed() throws {
        for example in try Self.examples() {
            for index in example.signature.indices {
                var signature = example.signature
                signature[index] ^= 0x01
                let refused = Self.refusal(example.key, signature, example.message, example.algorithm)
                #expect(refused == .badSignature || refused == .malformedSignature, "\(example.name) \(index)")
            }
            for index in example.message.indices {
                var message = example.message
                message[index] ^= 0x80
                #expect(Self.refusal(example.key, example.signature, message, example.algorithm) == .badSignature)
            }
        }
    }

    @Test func everyOtherLengthOfSignatureIsMalformed() throws {
        for example in try Self.examples() {
            for length in 0..<(example.signature.count * 2) where length != example.signature.count {
                let padded = example.signature + [UInt8](repeating: 0, count: example.signature.count)
                let refused = Self.refusal(example.key, Array(padded.prefix(length)), example.message, example.algorithm)
                #expect(refused == .malformedSignature, "\(example.name) \(length)")
            }
        }
    }

    @Test func anAlgorithmOfAnotherKindIsAMismatch() throws {
        for example in try Self.examples() {
            for algorithm in SignatureAlgorithm.allCases where !algorithm.fits(example.kind) {
                #expect(Self.refusal(example.key, example.signature, example.message, algorithm) == .algorithmMismatch)
            }
        }
        // RSA's two paddings do not stand in for each other, nor another digest or salt for the agreed one.
        let rsa = try Self.examples()[4].key
        #expect(Self.refusal(rsa, SignatureFixtures.rsaPSS, Self.message, .rs256) == .badSignature)
        #expect(Self.refusal(rsa, SignatureFixtures.rsaPKCS1, Self.message, .ps256) == .badSignature)
        #expect(Self.refusal(rsa, SignatureFixtures.rsaPKCS1WithSHA512, Self.message, .rs256) == .badSignature)
        #expect(Self.refusal(rsa, SignatureFixtures.rsaPSSWithShortSalt, Self.message, .ps256) == .badSignature)
    }

    @Test func componentsOutsideOneToOrderAreMalformed() throws {
        let orders: [EllipticCurve: String] = [
            .p256: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            .p384: """
            ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973
            """,
            .secp256k1: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        ]
        for example in try Self.examples() {
            guard let curve = example.key.curve, let order = orders[curve].map({ hex($0) }) else { continue }
            let length = curve.coordinateLength
            let zero = [UInt8](repeating: 0, count: length)
            let one = zero.dropLast() + [1]
            let all = [UInt8](repeating: 0xff, count: length)
            for wrong in [zero, order, all] {
                for signature in [wrong + one, one + wrong, wrong + wrong] {
                    #expect(Self.refusal(example.key, signature, example.message, example.algorithm) == .malformedSignature)
                }
            }
            var below = order
            below[length - 1] -= 1
            #expect(Self.refusal(example.key, below + below, example.message, example.algorithm) == .badSignature)
        }
    }

    @Test func pointsOffTheCurveAreRefused() {
        for curve in EllipticCurve.allCases {
            let length = curve.coordinateLength
            func refusal(_ point: [UInt8]) -> CryptographyError? {
                failure { () throws(CryptographyError) in _ = try PublicKey(curve: curve, point: point.span) }
            }
            let body = [UInt8](repeating: 0x11, count: 2 * length)
            #expect(refusal([4] + body) == .malformedKey)
            #expect(refusal([4] + [UInt8](repeating: 0, count: 2 * length)) == .malformedKey)
            #expect(refusal([4] + [UInt8](repeating: 0xff, count: 2 * length)) == .malformedKey)
            // Hybrid forms, infinity, wrong lengths.
            #expect(refusal([6] + body) == .malformedKey)
            #expect(refusal([7] + body) == .malformedKey)
            #expect(refusal([0]) == .malformedKey)
            #expect(refusal([]) == .wrongLength)
            #expect(refusal([4] + body.dropLast()) == .wrongLength)
            #expect(refusal([2] + body) == .wrongLength)
            #expect(refusal([2] + [UInt8](repeating: 0xff, count: length)) == .malformedKey)
        }
        let x = Self.p256X
        let y = Self.p256Y
        let other = failure { () throws(CryptographyError) in _ = try PublicKey(curve: .secp256k1, x: x.span, y: y.span) }
        #expect(other == .malformedKey)
        let shorter = Array(x.dropFirst())
        let short = failure { () throws(CryptographyError) in _ = try PublicKey(curve: .p256, x: shorter.span, y: y.span) }
        #expect(short == .wrongLength)
    }

    @Test func edwardsKeysOfSmallOrderAreRefused() {
        let order8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
        let keys = [
            String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31),
            "01" + String(repeating: "00", count: 30) + "80", order8, String(order8.dropLast(2)) + "85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            "ec" + String(repeating: "ff", count: 30) + "7f", "ed" + String(repeating: "ff", count: 31),
        ]
        for text in keys {
            let key = hex(text)
            #expect(failure { () throws(CryptographyError) in _ = try PublicKey(ed25519: key.span) } == .malformedKey, "\(text)")
        }
        for length in [0, 31, 33] {
            let key = [UInt8](repeating: 9, count: length)
            #expect(failure { () throws(CryptographyError) in _ = try PublicKey(ed25519: key.span) } == .wrongLength)
        }
    }

    @Test func rsaNumbersAreBounded() {
        func refusal(_ modulus: [UInt8], _ exponent: [UInt8]) -> CryptographyError? {
            failure { () throws(CryptographyError) in
                _ = try PublicKey(rsaModulus: modulus.span, exponent: exponent.span)
            }
        }
        let modulus = SignatureFixtures.rsaModulus
        #expect(refusal(modulus, [1, 0, 1]) == nil)
        #expect(refusal([0] + modulus, [0, 1, 0, 1]) == nil)
        #expect(refusal(modulus, [3]) == nil)
        for exponent: [UInt8] in [[], [0], [1], [2], [1, 0, 0], [UInt8](repeating: 1, count: 9), [UInt8](repeating: 1, count: 400)] {
            #expect(refusal(modulus, exponent) == .malformedKey, "\(exponent)")
        }
        var even = modulus
        even[255] &= 0xfe
        #expect(refusal(even, [1, 0, 1]) == .malformedKey)
        #expect(refusal([], [1, 0, 1]) == .keySizeRefused || refusal([], [1, 0, 1]) == .malformedKey)
        #expect(refusal(Array(modulus.dropFirst()), [1, 0, 1]) == .keySizeRefused)
        #expect(refusal([1] + [UInt8](repeating: 0xff, count: 1024), [1, 0, 1]) == .keySizeRefused)
        #expect(refusal([UInt8](repeating: 0xff, count: 100_000), [1, 0, 1]) == .keySizeRefused)
    }

    @Test func encodedKeysOfOtherKindsAreRefused() {
        func refusal(_ der: [UInt8]) -> CryptographyError? {
            failure { () throws(CryptographyError) in _ = try PublicKey(der: der.span) }
        }
        #expect(refusal(SignatureFixtures.smallRSAInfo) == .keySizeRefused)
        #expect(refusal(SignatureFixtures.p521Info) == .unsupportedKey)
        #expect(refusal(SignatureFixtures.explicitCurveInfo) == .unsupportedKey)
        // X25519 is for agreement, not for signatures.
        #expect(refusal(hex("302a300506032b656e032100") + KeyAgreementTests.alicePublic) == .unsupportedKey)
        #expect(refusal([]) == .malformedKey)
        #expect(refusal([UInt8](repeating: 0x30, count: 5000)) == .malformedKey)
    }

    @Test func truncatedAndExtendedEncodingsAreMalformed() {
        let der = hex("302a300506032b6570032100") + Self.edwardsKey
        func refusal(_ der: [UInt8]) -> CryptographyError? {
            failure { () throws(CryptographyError) in _ = try PublicKey(der: der.span) }
        }
        #expect(refusal(der) == nil)
        for length in 0..<der.count { #expect(refusal(Array(der.prefix(length))) == .malformedKey, "\(length)") }
        #expect(refusal(der + [0]) == .malformedKey)
    }

    @Test func pemIsReadStrictly() {
        let body = "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="
        func refusal(_ text: String) -> CryptographyError? {
            let pem = bytes(text)
            return failure { () throws(CryptographyError) in _ = try PublicKey(pem: pem.span) }
        }
        let begin = "-----BEGIN PUBLIC KEY-----"
        let end = "-----END PUBLIC KEY-----"
        #expect(refusal("\(begin)\n\(body)\n\(end)\n") == nil)
        #expect(refusal("\r\n\(begin)\r\n\(body.prefix(20))\r\n\(body.dropFirst(20))\r\n\(end)") == nil)
        for wrong in [
            "", begin, body, "\(begin)\n\(end)", "x\(begin)\n\(body)\n\(end)", "\(begin)\n\(body)\n\(end)x",
            "\(begin)\n\(body)\n\(end)\n\(begin)\n\(body)\n\(end)", "\(begin)\n\(body)=\n\(end)",
            "\(begin)\n\(body.dropLast())\n\(end)", "\(begin)\n\(body.dropLast(2))x=\n\(end)",
            "\(begin)\nProc-Type: 4\n\(body)\n\(end)", "\(begin)\n\(body)\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----", "\(begin)\n*\(body)\n\(end)",
            String(repeating: " ", count: 20_000),
        ] {
            #expect(refusal(wrong) == .malformedKey, "\(wrong.prefix(80))")
        }
    }

    @Test func oneKeyIsEqualToItselfInEveryEncoding() throws {
        let examples = try Self.examples()
        for (index, example) in examples.enumerated() {
            let der = try example.key.subjectPublicKeyInfo()
            let again = try PublicKey(der: der.span)
            #expect(again == example.key)
            for other in examples.dropFirst(index + 1) where other.kind != example.kind {
                #expect(other.key != example.key)
            }
        }
        let point = SignatureFixtures.secp256k1Point
        let compressed = [point[64] & 1 == 0 ? 2 : 3] + point[1...32]
        let short = try PublicKey(curve: .secp256k1, point: compressed.span)
        #expect(short == examples[2].key)
        #expect(try short.subjectPublicKeyInfo() == examples[2].key.subjectPublicKeyInfo())
    }

    @Test func aSigningKeySignsAsTheStandardSays() throws {
        // RFC 8032 section 7.1, test 2.
        let seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
        let message: [UInt8] = [0x72]
        let key = try SigningKey(seed: seed.span)
        #expect(array(key.publicKey) == Self.edwardsKey)
        #expect(try key.sign(message.span) == Self.edwardsSignature)
        let secret = try Secret(copying: seed.span)
        let same = try SigningKey(seed: secret)
        #expect(array(same.publicKey) == Self.edwardsKey)
        #expect(failure { () throws(CryptographyError) in _ = try SigningKey(seed: message.span) } == .wrongLength)
    }
}
