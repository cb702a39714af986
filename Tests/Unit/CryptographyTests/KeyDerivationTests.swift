import Cryptography
import Testing

@Suite struct KeyDerivationTests {
    static func derive(_ count: Int, _ input: [UInt8], _ salt: [UInt8], _ info: [UInt8]) throws -> [UInt8] {
        var derivation = try KeyDerivation()
        var output = [UInt8](repeating: 0, count: count)
        try output.withUnsafeMutableBytes {
            try derivation.fill($0, from: input.span, salt: salt.span, info: info.span)
        }
        return output
    }

    @Test func rfc5869Appendix1() throws {
        let okm = try Self.derive(
            42, [UInt8](repeating: 0x0b, count: 22), hex("000102030405060708090a0b0c"), hex("f0f1f2f3f4f5f6f7f8f9"))
        #expect(okm == hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
    }

    @Test func rfc5869Appendix2() throws {
        let okm = try Self.derive(82, [UInt8](0x00...0x4f), [UInt8](0x60...0xaf), [UInt8](0xb0...0xff))
        #expect(
            okm
                == hex(
                    """
                    b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
                    da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
                    """))
    }

    @Test func rfc5869Appendix3HasNeitherSaltNorInfo() throws {
        let okm = try Self.derive(42, [UInt8](repeating: 0x0b, count: 22), [], [])
        #expect(okm == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    }

    @Test func tuvaliSection5KeysByteForByte() throws {
        let alice = KeyAgreementTests.aliceSecret
        let bob = KeyAgreementTests.bobPublic
        let gate = try KeyAgreement(privateKey: alice.span)
        let secret = try gate.agree(with: bob.span)
        var derivation = try KeyDerivation()
        let salt = bytes("SHA-256")
        let forVerifier = bytes("SKVerifier")
        let forWallet = bytes("SKWallet")
        let verifier = try derivation.derive(32, from: secret, salt: salt.span, info: forVerifier.span)
        let wallet = try derivation.derive(32, from: secret, salt: salt.span, info: forWallet.span)
        #expect(array(verifier) == hex("3930173021376acf4d6281079b6e287df23d1571acbe100e24e88d69407dbc00"))
        #expect(array(wallet) == hex("2069330385bc2e30a9951b910a9461caf0c389bb664ea40dd96ebfca59d79cb2"))
    }

    @Test func oneContextDoesNotCarryInputsOver() throws {
        var derivation = try KeyDerivation()
        let input = [UInt8](repeating: 0x0b, count: 22)
        let word = bytes("word")
        let secret = try Secret(copying: input.span)
        _ = try derivation.derive(32, from: secret, salt: word.span, info: word.span)
        let plain = try derivation.derive(42, from: secret, salt: Span(), info: Span())
        #expect(array(plain) == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    }

    @Test func impossibleLengthsAreRefusedAndWiped() throws {
        var derivation = try KeyDerivation()
        var output = [UInt8](repeating: 7, count: KeyDerivation.longestOutput + 1)
        let input: [UInt8] = [1]
        let error = output.withUnsafeMutableBytes { buffer in
            failure { () throws(CryptographyError) in
                try derivation.fill(buffer, from: input.span, salt: Span(), info: Span())
            }
        }
        #expect(error == .wrongLength)
        #expect(output.allSatisfy { $0 == 0 })
    }
}
