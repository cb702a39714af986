import CBOR
import Cryptography
import Testing

@testable import Credentials
@testable import Envelopes

@Suite struct COSESign1Tests {
    private func verify(_ bytes: [UInt8], _ key: TestKey, aad: [UInt8] = []) throws -> COSEError? {
        let key = try key.publicKey
        return try refusal(bytes) { item throws(COSEError) in try COSESign1(item).verify(with: key, externalAAD: aad) }
    }

    /// RFC 9052 Appendix C.2.1, with the key "11" of Appendix C.7.1.
    @Test func publishedExample() throws {
        let x = hex("bac5b11cad8f99f9c72b05cf4b9e26d244dc189f745228255a219a86d6a09eff")
        let y = hex("20138bf82dc1b6d562be0fa54ab7804a3a64b6d72ccfed6b6fb6ed28bbfc117e")
        let key = try PublicKey(curve: .p256, x: x.span, y: y.span)
        let bytes = hex(
            "d28443a10126a10442313154546869732069732074686520636f6e74656e742e58408eb33e4ca31d1c465ab05aac34cc6b23d58fef5c083106c4d25a91aef0b0117e2af9a291aa32e14ab834dc56ed2a223444547e01f11d3b0916e5a4c345cacb36"
        )
        let token = try COSESign1(CBORDocument(parsing: bytes).root)
        #expect(token.header.keyID == Array("11".utf8) && token.algorithm == .es256 && token.payload == Array("This is the content.".utf8))
        try token.verify(with: key)
        // Every bit of it counts: what still parses does not verify, except where the bit is of the kid, which nothing signs.
        for position in bytes.indices {
            for bit in 0..<8 {
                var mutant = bytes
                mutant[position] ^= 1 << bit
                guard let item = try? CBORDocument(parsing: mutant).root else { continue }
                let accepted = (try? COSESign1(item).verify(with: key)) != nil
                #expect(!accepted || (7...10).contains(position), "bit \(bit) of \(position)")
            }
        }
        for length in bytes.indices { #expect(throws: CBORError.self) { try CBORDocument(parsing: Array(bytes[..<length])) } }
    }

    @Test(arguments: [TestKey.ed25519, .p256, .p384])
    func algorithms(_ key: TestKey) throws {
        let other: TestKey = key.kind == .ed25519 ? .otherEd25519 : key.kind == .p256 ? .otherP256 : TestKey(.p384)
        var cose = try TestCOSE(key)
        #expect(try verify(cose.sign1(key), key) == nil)
        #expect(try verify(cose.sign1(key), other) == .signatureInvalid)
        #expect(try verify(cose.sign1(key), key.kind == .p256 ? .p384 : .p256) == .keyMismatch)
        cose.tag = nil
        #expect(try verify(cose.sign1(key), key) == nil)
        cose.externalAAD = [1, 2, 3]
        #expect(try verify(cose.sign1(key), key, aad: [1, 2, 3]) == nil)
        #expect(try verify(cose.sign1(key), key) == .signatureInvalid)
        #expect(try verify(cose.sign1(key), key, aad: [1, 2]) == .signatureInvalid)
        cose.payload = []
        #expect(try verify(cose.sign1(key), key, aad: [1, 2, 3]) == nil)
        for signature in [[], [0], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0, count: 96), [UInt8](repeating: 0xFF, count: 64)]
        {
            #expect(try verify(cose.message(signature: signature), key) == .signatureInvalid)
        }
    }

    /// A signature for one purpose is none for another: the context text is signed too.
    @Test func contexts() throws {
        let key = TestKey.ed25519
        let cose = try TestCOSE(key)
        let signed = try CBORWriter.encode { writer in
            writer.array {
                $0.text("Signature")
                $0.bytes(cose.protected)
                $0.bytes([])
                $0.bytes(cose.payload)
            }
        }
        #expect(try verify(cose.message(signature: key.sign(signed)), key) == .signatureInvalid)
    }

    @Test func shapes() throws {
        let key = TestKey.p256
        for tag: UInt64 in [16, 17, 61, 96, 97, 98] {
            var cose = try TestCOSE(key)
            cose.tag = tag
            #expect(try verify(cose.sign1(key), key) == .notASignature)
        }
        for (text, error) in [
            ("80", CBORError(.missing, at: 1)), ("8343a10126a040", CBORError(.missing, at: 7)),
            ("8543a10126a0404000", CBORError(.leftover, at: 8)), ("a0", CBORError(.wrongType, at: 0)), ("40", CBORError(.wrongType, at: 0)),
            ("84a10126a04040", CBORError(.wrongType, at: 1)), ("8443a10126804040", CBORError(.wrongType, at: 5)),
            ("8443a10126a0a040", CBORError(.wrongType, at: 6)), ("8443a10126a04060", CBORError(.wrongType, at: 7)),
            ("844180a04040", CBORError(.wrongType, at: 0)), ("8444a1012600a04040", CBORError(.trailingBytes, at: 3)),
            ("8444a1011807a04040", CBORError(.notShortest, at: 2)),
            ("8444bf0126ffa04040", CBORError(.indefiniteLength, at: 0)), ("8445a201260126a04040", CBORError(.duplicateKey, at: 3)),
        ] {
            #expect(try verify(hex(text), key) == .malformed(error), "\(text)")
        }
        #expect(try verify(hex("8443a10126a0f640"), key) == .payloadDetached)
        // As other vendors' mdocs write their headers.
        let cose = TestCOSE(protected: hex("b900010126"))
        let item = try CBORDocument(parsing: cose.sign1(key)).root
        #expect(throws: COSEError.malformed(CBORError(.notShortest, at: 0))) { try COSESign1(item) }
        try COSESign1(item, form: .wellFormed).verify(with: key.publicKey)
    }

    /// `alg` is what the signature covers, never what stands beside it.
    @Test func algorithmFromProtectedHeaderOnly() throws {
        let key = TestKey.p256
        for protected in ["", "a0", "a10425"] {
            var cose = TestCOSE(protected: hex(protected))
            cose.unprotected = hex("a10126")
            let refused: COSEError = protected == "a10425" ? .headerMalformed : .algorithmRefused
            #expect(try verify(cose.sign1(key), key) == refused)
        }
        var both = try TestCOSE(key)
        both.unprotected = hex("a10127")
        #expect(try verify(both.sign1(key), key) == .headerRepeated)
        // ES512, ES256K, PS256, RS256, RS1, HMAC, AES-GCM, a text, null.
        for algorithm in ["3823", "382e", "3824", "390100", "39fffe", "05", "01", "654553323536", "f6", "f97e00"] {
            #expect(try verify(TestCOSE(protected: [0xA1, 0x01] + hex(algorithm)).sign1(key), key) == .algorithmRefused, "\(algorithm)")
        }
    }

    @Test func criticalHeaders() throws {
        let key = TestKey.p256
        func answer(_ more: String, _ pairs: UInt8, unprotected: String = "a0") throws -> COSEError? {
            var cose = try TestCOSE(key, more: hex(more), pairs: pairs)
            cose.unprotected = hex(unprotected)
            return try verify(cose.sign1(key), key)
        }
        #expect(try answer("028101", 1) == nil, "alg is understood and there")
        #expect(try answer("028104 0441aa", 2) == nil)
        #expect(try answer("028104", 1) == .criticalHeaderRefused, "not there")
        #expect(try answer("028104", 1, unprotected: "a10441aa") == .criticalHeaderRefused, "there, but not protected")
        #expect(try answer("02811864 186400", 2) == .criticalHeaderRefused)
        #expect(try answer("02816161 616100", 2) == .criticalHeaderRefused)
        #expect(try answer("02820118 64 186400", 2) == .criticalHeaderRefused)
        #expect(try answer("0280", 1) == .criticalHeaderRefused)
        #expect(try answer("0201", 1) == .criticalHeaderRefused)
        #expect(try answer("", 0, unprotected: "a1028101") == .criticalHeaderRefused)
        #expect(try answer("186400", 1) == nil, "unknown and not critical")
    }

    @Test func otherParameters() throws {
        let key = TestKey.ed25519
        func header(_ unprotected: String) throws -> COSEHeader {
            var cose = try TestCOSE(key)
            cose.unprotected = hex(unprotected)
            return try COSESign1(CBORDocument(parsing: cose.sign1(key)).root).header
        }
        #expect(try header("a11821420102").certificates() == [[1, 2]])
        #expect(try header("a1182182410142 0203").certificates() == [[1], [2, 3]])
        #expect(try header("a11821814101").certificates() == [[1]])
        #expect(
            try header("a0").certificates() == [] && !header("a0").hasCertificates && header("a0").keyID == nil && header("a0").type == nil)
        for unprotected in ["a1182180", "a1182101", "a11821 8101", "a11821 89 404040404040404040"] {
            #expect(throws: COSEError.headerMalformed, "\(unprotected)") { try header(unprotected).certificates() }
        }
        for unprotected in ["a10401", "a1046131", "a14100f6", "a13bfffffffffffffffff6"] {
            #expect(throws: COSEError.headerMalformed, "\(unprotected)") { try header(unprotected) }
        }
        let typed = try TestCOSE(key, more: hex("10 781a6170706c69636174696f6e2f7374617475736c6973742b637774"), pairs: 1)
        #expect(try COSESign1(CBORDocument(parsing: typed.sign1(key)).root).header.type?.isText("application/statuslist+cwt") == true)
    }
}
