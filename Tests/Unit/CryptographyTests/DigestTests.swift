import Cryptography
import Testing

@Suite struct DigestTests {
    // FIPS 180-4 and FIPS 202 examples: "abc".
    static let abc: [(DigestAlgorithm, String)] = [
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha512,
            """
            ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
            """
        ),
        (.sha3_256, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        (
            .sha3_384,
            "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"
        ),
        (
            .sha3_512,
            """
            b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0
            """
        ),
    ]

    @Test(arguments: abc) func standardExamples(_ algorithm: DigestAlgorithm, _ expected: String) throws {
        let message = bytes("abc")
        #expect(try Digest.hash(message.span, algorithm) == hex(expected))
    }

    @Test func theEmptyMessageHasADigest() throws {
        let none: [UInt8] = []
        let expected = hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(try Digest.hash(none.span, .sha256) == expected)
        #expect(array(try Digest.sha256(none.span)) == expected)
        var digest = try Digest(.sha256)
        #expect(try digest.finish() == expected)
    }

    @Test func piecesDigestAsTheWholeAndOneValueServesManyMessages() throws {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        for algorithm in DigestAlgorithm.allCases {
            var digest = try Digest(algorithm)
            for cut in stride(from: 0, through: message.count, by: 37) {
                let head = Array(message[..<cut])
                let tail = Array(message[cut...])
                try digest.update(head.span)
                try digest.update(tail.span)
                #expect(try digest.finish() == Digest.hash(message.span, algorithm))
            }
        }
    }

    @Test func aWrongOutputLengthIsRefusedAndTheMessageGoesOn() throws {
        let message = bytes("abc")
        var digest = try Digest(.sha256)
        try digest.update(message.span)
        var short = [UInt8](repeating: 0, count: 31)
        let refused = short.withUnsafeMutableBytes { buffer in
            failure { () throws(CryptographyError) in try digest.finish(into: buffer) }
        }
        #expect(refused == .wrongLength)
        #expect(try digest.finish() == Digest.hash(message.span, .sha256))
    }

    @Test func comparisonAndWipingDoWhatTheySay() throws {
        let one = bytes("gate")
        let other = bytes("gatf")
        let longer = bytes("gates")
        func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool { constantTimeEqual(left.span, right.span) }
        #expect(equal(one, one))
        #expect(!equal(one, other))
        #expect(!equal(one, longer))
        #expect(equal([], []))
        var secret = bytes("secret")
        wipe(&secret)
        #expect(secret == [UInt8](repeating: 0, count: 6))
        var inline: InlineArray<4, UInt8> = [1, 2, 3, 4]
        wipe(&inline)
        #expect(array(inline) == [0, 0, 0, 0])
    }

    @Test func randomBytesDiffer() throws {
        #expect(try Random.bytes(32) != Random.bytes(32))
        #expect(try Random.bytes(0).isEmpty)
        let nonce: InlineArray<12, UInt8> = try Random.array()
        let other: InlineArray<12, UInt8> = try Random.array()
        #expect(array(nonce) != array(other))
        let secret = try Secret(randomCount: 32)
        #expect(array(secret) != [UInt8](repeating: 0, count: 32))
        #expect(failure { () throws(CryptographyError) in _ = try Random.bytes(-1) } == .wrongLength)
        #expect(failure { () throws(CryptographyError) in _ = try Secret(randomCount: 4097) } == .wrongLength)
    }
}
