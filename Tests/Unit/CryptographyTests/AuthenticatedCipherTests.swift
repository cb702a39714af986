import Cryptography
import Testing

@Suite struct AuthenticatedCipherTests {
    static let key = hex("3930173021376acf4d6281079b6e287df23d1571acbe100e24e88d69407dbc00")
    static let nonce = hex("000102030405060708090a0b")

    static func seal(_ plaintext: [UInt8], additional: [UInt8] = []) throws -> [UInt8] {
        var cipher = try AuthenticatedCipher()
        var message = plaintext + [UInt8](repeating: 0, count: 16)
        try message.withUnsafeMutableBytes {
            try cipher.seal($0, key: key.span, nonce: nonce.span, additional: additional.span)
        }
        return message
    }

    static func open(
        _ message: inout [UInt8], key: [UInt8] = key, nonce: [UInt8] = nonce, additional: [UInt8] = [],
        with cipher: inout AuthenticatedCipher
    ) -> Result<Int, CryptographyError> {
        message.withUnsafeMutableBytes { buffer in
            do throws(CryptographyError) {
                return .success(
                    try cipher.open(buffer, key: key.span, nonce: nonce.span, additional: additional.span))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func whatWasSealedOpensInPlace() throws {
        var cipher = try AuthenticatedCipher()
        for length in [0, 1, 15, 16, 17, 1000, 100_000] {
            let plaintext = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            var message = try Self.seal(plaintext)
            #expect(Self.open(&message, with: &cipher) == .success(length))
            #expect(message.prefix(length).elementsEqual(plaintext))
        }
    }

    @Test func tuvaliSection17MessageOpens() throws {
        var cipher = try AuthenticatedCipher()
        let gzip = hex("1f8b0800000000000000015a00a5ff")
        var message = try Self.seal(gzip)
        // The keystream of the worked example: the first fifteen octets on air.
        #expect(message.prefix(15).elementsEqual(hex("c7888b588c7507626095fe15a97a5b")))
        #expect(Self.open(&message, with: &cipher) == .success(15))
        #expect(message.prefix(15).elementsEqual(gzip))
    }

    @Test func everyFlippedBitIsNoticedAndTheBufferWiped() throws {
        var cipher = try AuthenticatedCipher()
        let sealed = try Self.seal(Array("a visitor".utf8), additional: [1, 2, 3])
        for bit in 0..<(sealed.count * 8) {
            var message = sealed
            message[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Self.open(&message, additional: [1, 2, 3], with: &cipher) == .failure(.authenticationFailed))
            #expect(message.allSatisfy { $0 == 0 })
        }
        var message = sealed
        #expect(Self.open(&message, additional: [1, 2, 3], with: &cipher) == .success(9))
    }

    @Test func wrongKeyNonceAndAdditionalDataAreNoticed() throws {
        var cipher = try AuthenticatedCipher()
        let sealed = try Self.seal(Array("a visitor".utf8))
        var key = Self.key
        key[31] ^= 1
        var nonce = Self.nonce
        nonce[0] ^= 0x80
        var message = sealed
        #expect(Self.open(&message, key: key, with: &cipher) == .failure(.authenticationFailed))
        message = sealed
        #expect(Self.open(&message, nonce: nonce, with: &cipher) == .failure(.authenticationFailed))
        message = sealed
        #expect(Self.open(&message, additional: [0], with: &cipher) == .failure(.authenticationFailed))
    }

    @Test func everyTruncationIsRefused() throws {
        var cipher = try AuthenticatedCipher()
        let sealed = try Self.seal(Array("a visitor at the gate".utf8))
        for length in 0..<sealed.count {
            var message = Array(sealed.prefix(length))
            let expected: CryptographyError = length < 16 ? .wrongLength : .authenticationFailed
            #expect(Self.open(&message, with: &cipher) == .failure(expected))
            #expect(message.allSatisfy { $0 == 0 })
        }
    }

    @Test func otherLengthsOfKeyAndNonceAreRefused() throws {
        var cipher = try AuthenticatedCipher()
        for length in [0, 16, 24, 31, 33] {
            var message = [UInt8](repeating: 5, count: 40)
            #expect(Self.open(&message, key: [UInt8](repeating: 0, count: length), with: &cipher) == .failure(.wrongLength))
            #expect(message.allSatisfy { $0 == 0 })
        }
        for length in [0, 8, 11, 13, 16] {
            var message = [UInt8](repeating: 5, count: 40)
            #expect(Self.open(&message, nonce: [UInt8](repeating: 0, count: length), with: &cipher) == .failure(.wrongLength))
        }
    }
}
