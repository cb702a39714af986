import CBOR
import Cryptography
import Foundation
import JSON
import Testing

@testable import Credentials
@testable import Envelopes

extension Suites {
    static let token = folder.appending(path: "credentials/samples/inji-vc-verifier-2026/cwt_vc")
}

@Suite struct COSETokenTests {
    static let now: Seconds = 1_700_000_000

    private func token(_ claims: String, prefix: String = "d83d", key: TestKey = .ed25519) throws -> [UInt8] {
        var cose = try TestCOSE(key)
        cose.payload = hex(claims)
        return hex(prefix) + (try cose.sign1(key))
    }

    private func claims(_ text: String) throws -> Result<CWTClaims, RejectReason> {
        let bytes = try token(text), key = try TestKey.ed25519.publicKey
        return Result { () throws(RejectReason) in try CWT(bytes).claims(signedBy: key) }
    }

    private func refusal(_ result: Result<CWTClaims, RejectReason>) -> RejectReason? {
        if case .failure(let reason) = result { reason } else { nil }
    }

    private func refusal(_ bytes: [UInt8]) -> RejectReason? {
        do throws(RejectReason) {
            _ = try CWT(bytes)
            return nil
        } catch {
            return error
        }
    }

    /// RFC 8392 Appendix A.3, with the key of Appendix A.2.3.
    @Test func publishedExample() throws {
        let x = hex("143329cce7868e416927599cf65a34f3ce2ffda55a7eca69ed8919a394d42f0f"),
            y = hex("60f7f1a780d8a783bfb7a2dd6b2796e8128dbbcef9d3d168db9529971a36e7b9")
        let key = try PublicKey(curve: .p256, x: x.span, y: y.span)
        let text = """
            d28443a10126a104524173796d6d657472696345434453413235365850a70175636f61703a2f2f61732e6578616d706c652e636f6d02656572696b77037818636f61703a2f2f\
            6c696768742e6578616d706c652e636f6d041a5612aeb0051a5610d9f0061a5610d9f007420b7158405427c1ff28d23fbad1f29c4c7c6a555e601d6fa29f9179bc3d7438bacaca\
            5acd08c8d4d4f96131680c429a01f85951ecee743a52b9b63632c57209120e1c9e30
            """
        for message in [hex(text), Array(text.utf8), Array(text.uppercased().utf8), hex("d83d" + text), Array(("d83d" + text).utf8)] {
            let token = try CWT(message)
            #expect(token.statedIssuer == "coap://as.example.com" && token.signed.header.keyID == Array("AsymmetricECDSA256".utf8))
            let claims = try token.claims(signedBy: key)
            #expect(
                claims.issuer == "coap://as.example.com" && claims.subject == "erikw" && claims.id == [0x0B, 0x71] && claims.identity == nil
            )
            #expect(claims.times.validity == Validity(notBefore: 1_443_944_944, expires: 1_444_064_944, issuedAt: 1_443_944_944))
            #expect(
                claims.times.faults(at: 1_444_000_000, skew: 0) == [] && claims.times.faults(at: 1_444_064_944, skew: 300) == [.expired])
            #expect(throws: RejectReason.signatureInvalid) { try token.claims(signedBy: TestKey.p256.publicKey) }
            #expect(throws: RejectReason.keyMismatch) { try token.claims(signedBy: TestKey.ed25519.publicKey) }
        }
    }

    @Test func wrapping() throws {
        #expect(refusal(try token("a0")) == nil)
        #expect(refusal(try token("a0", prefix: "")) == nil)
        let untagged = Array(try token("a0", prefix: "").dropFirst())
        #expect(refusal(untagged) == .payloadMalformed, "nothing says what it is")
        #expect(refusal(hex("d83d") + untagged) == .payloadMalformed)
        #expect(refusal(try token("a0", prefix: "d83dd83d")) == .payloadMalformed)
        #expect(refusal(try token("a0", prefix: "d2")) == .payloadMalformed)
        #expect(refusal(hex("d0") + untagged) == .payloadMalformed, "encrypted")
        #expect(refusal(hex("d1") + untagged) == .payloadMalformed, "MAC")
        #expect(refusal(try token("a0") + [0]) == .payloadMalformed)
        for claims in ["", "80", "a000", "a1", "d83da0", "a20178016102 6162", "bfff"] {
            #expect(refusal(try token(claims)) == .payloadMalformed, "\(claims)")
        }
        for text in ["", "d", "d8", "d83", "d83dd28", "zz", "d83d d2", "0xd2", "{}"] {
            #expect(refusal(Array(text.utf8)) == .payloadMalformed, "\(text)")
        }
    }

    @Test func claimTypes() throws {
        let all = try claims("a6 016169 026173 041a65600000 051a65500000 061a65500001 18a9a20141aa 04 63416e6e".replacing(" ", with: ""))
            .get()
        #expect(
            all.issuer == "i" && all.subject == "s"
                && all.times.validity == Validity(notBefore: 0x6550_0000, expires: 0x6560_0000, issuedAt: 0x6550_0001))
        let identity = try #require(all.identity)
        #expect(identity.source == hex("a20141aa0463416e6e") && identity[4]?.text == "Ann" && all.all[169] != nil)
        let wrapped = try claims("a118a949a20141aa0463416e6e").get()
        #expect(wrapped.identity?.source == identity.source)
        for text in [
            "a10101", "a10241aa", "a107616a", "a118a980", "a118a940", "a118a94180", "a118a942a000", "a118a945a201000100", "a101f6",
            "a118a9f6",
        ] { #expect(refusal(try claims(text)) == .payloadMalformed, "\(text)") }
        for text in [
            "a104 61 31", "a105f6", "a104c11a65600000", "a104f97e00", "a104f97c00", "a1061b000000e8d4a51001", "a1063b7fffffffffffffff",
            "a1041bffffffffffffffff", "a104fb7fefffffffffffff", "a10480",
        ] {
            #expect(refusal(try claims(text)) == .timeMalformed, "\(text)")
        }
        #expect(refusal(try claims("a2041a65600000041a75600000")) == .payloadMalformed, "two ends")
        let none = try claims("a0").get()
        #expect(
            none.times.validity == Validity(notBefore: nil, expires: nil, issuedAt: nil) && none.times.faults(at: .max, skew: .max) == [])
    }

    /// Fractions are rounded against the token.
    @Test func times() throws {
        let fraction = try claims("a3 04fb40c3880ccccccccd 05fb40c3880ccccccccd 06fb40c3880ccccccccd".replacing(" ", with: "")).get()
        #expect(fraction.times.validity == Validity(notBefore: 10_001, expires: 10_000, issuedAt: 10_001))
        #expect(fraction.times.faults(at: 9_999, skew: 0) == [.notYetValid, .issuedInFuture])
        #expect(fraction.times.faults(at: 9_999, skew: 2) == [])
        #expect(fraction.times.faults(at: 9_999, skew: -5) == [.notYetValid, .issuedInFuture])
        #expect(fraction.times.faults(at: 10_000, skew: 300) == [.expired])
        #expect(fraction.times.faults(at: .max, skew: .max) == [.expired])
        #expect(fraction.times.faults(at: .min, skew: 0) == [.notYetValid, .issuedInFuture])
    }

    /// A sample of MOSIP's verifier, with the key that its issuer published. It says nothing about trust.
    @Test(.enabled(if: Suites.isPresent(Suites.token), Suites.absent))
    func sample() throws {
        let text = [UInt8](try Data(contentsOf: Suites.token.appending(path: "valid-ec-cwt.hex"))).filter { $0 > 0x20 }
        let keys = try JSONDocument(parsing: [UInt8](Data(contentsOf: Suites.token.appending(path: "jwksECkey.json")))).root["keys"]
        let jwk = try #require(keys?.elements?.map { $0 }.first)
        let key = try #require(JSONWebKey(jwk))
        let token = try CWT(text)
        #expect(token.signed.header.keyID == jwk["kid"]?.stringBytes && token.signed.algorithm == key.algorithm)
        let claims = try token.claims(signedBy: key.key)
        let identity = try #require(claims.identity)
        #expect(identity.pairs?.count == 12 && identity[4] != nil)
        let issued = try #require(claims.times.validity.issuedAt)
        #expect(claims.times.faults(at: issued, skew: 0) == [] && claims.times.faults(at: .max, skew: 0) == [.expired])
        // The same with any one digit changed.
        for position in text.indices {
            var mutant = text
            mutant[position] = mutant[position] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            let accepted = (try? CWT(mutant).claims(signedBy: key.key)) != nil
            #expect(!accepted, "digit \(position)")
        }
    }
}
