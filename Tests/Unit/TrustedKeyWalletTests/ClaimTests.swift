import ClaimTestSupport
import Cryptography
import Envelopes
import Testing

@testable import TrustedKeyWallet

/// trustedkey.md section 3, step 8, but for the path.
struct ClaimTests {
    /// What becomes of an answer whose only claim is another one.
    private static func fault(_ change: (inout TestCertificate) throws -> Void) throws -> TrustedKeyFault? {
        var answer = try TestAnswer()
        var claim = answer.claim([.init(TestAnswer.name, "Noor van Dijk")])
        try change(&claim)
        answer.claims = [try claim.signed(by: answer.issuerKey)]
        return try answer.fault()
    }

    @Test func octetsBehindAClaimAreMalformed() throws {
        var answer = try TestAnswer()
        let der = answer.claims[0]
        for octets in [der + [0], der + der, Array(der.dropLast()), [0] + der, [0x30, 0]] {
            answer.claims = [octets]
            #expect(try answer.fault() == .answerMalformed)
        }
    }

    @Test func aClaimHasOneEncoding() throws {
        var answer = try TestAnswer()
        var claim = answer.claim([.init(TestAnswer.name, "Noor van Dijk")])
        let inner = claim.toBeSigned
        // The same, with a length in more octets than it needs.
        let content = Array(inner.dropFirst(inner[1] == 0x81 ? 3 : 4))
        let longer = [0x30, 0x83, 0, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
        // A default value that is spelled out.
        claim.extensions[0].isCritical = false
        let plain = claim.extensions[0]
        let spelled = TestDER.sequence(TestDER.identifier(plain.identifier), TestDER.boolean(false), TestDER.value(0x04, plain.contents))
        let explicit = try #require(Self.replaced(claim.toBeSigned, plain.encoded, by: spelled))
        for octets in [longer, explicit] {
            answer.claims = [try TestCertificate.signed(octets, by: answer.issuerKey)]
            #expect(try answer.fault() == .answerMalformed)
        }
    }

    /// The certificate's content with one value in place of another in its extensions.
    private static func replaced(_ octets: [UInt8], _ old: [UInt8], by new: [UInt8]) -> [UInt8]? {
        guard octets.suffix(old.count).elementsEqual(old) else { return nil }
        // [3] { SEQUENCE { extension } } is the last member.
        let list = TestDER.value(0xA3, TestDER.value(0x30, old))
        let content = octets.dropFirst(octets[1] == 0x81 ? 3 : octets[1] == 0x82 ? 4 : 2).dropLast(list.count)
        return TestDER.value(0x30, content + TestDER.value(0xA3, TestDER.value(0x30, new)))
    }

    @Test func aClaimIsOfTheTokensKey() throws {
        for curve in NISTCurve.allCases {
            let key = try TestKey(curve)
            #expect(try Self.fault { $0.info = key.info } == .claimKeyMismatch)
        }
        // A point that is none of its curve.
        #expect(try Self.fault { $0.info[$0.info.count - 1] ^= 1 } == .claimKeyMismatch)
    }

    @Test func oneClaimOfAnotherKeyIsOneTooMany() throws {
        var answer = try TestAnswer()
        let other = try TestKey()
        let claim = TestCertificate.claim([.init(TestAnswer.mail, "a@b.example")], other, by: "Issuer")
        answer.claims.append(try claim.signed(by: answer.issuerKey))
        #expect(try answer.fault() == .claimKeyMismatch)
    }

    @Test func validityHasBothItsEnds() throws {
        let now = TestAnswer.issued + 4
        #expect(try Self.fault { $0.validity = now...now } == nil)
        #expect(try Self.fault { $0.validity = now - 9...now - 1 } == .claimExpired)
        #expect(try Self.fault { $0.validity = now + 1...now + 9 } == .claimNotYetValid)
        // Beyond 2049 times have four digits of the year.
        #expect(try Self.fault { $0.validity = now...4_000_000_000 } == nil)
    }

    @Test(arguments: ["2.5.29.17", "2.5.29.19", "2.5.29.15", "2.5.29.37", "2.5.29.32"])
    func knownExtensionsMayBeCritical(_ identifier: String) throws {
        let contents: [String: [UInt8]] = [
            "2.5.29.17": TestDER.sequence(TestDER.value(0x82, Array("x.example".utf8))), "2.5.29.19": TestDER.sequence(),
            "2.5.29.15": TestDER.bits([0x80], unused: 7), "2.5.29.37": TestDER.sequence(TestDER.identifier("1.2.3")),
            "2.5.29.32": TestDER.sequence(TestDER.sequence(TestDER.identifier("1.2.3.4"))),
        ]
        let known = TestCertificate.Extension(identifier: identifier, contents: contents[identifier] ?? [])
        #expect(try Self.fault { $0.extensions = [known] } == nil)
        // One that says nothing that can be read is not understood. Policies are nobody's concern: nothing depends on them.
        guard identifier != "2.5.29.32" else { return }
        #expect(try Self.fault { $0.extensions = [.init(identifier: identifier, contents: [0x30, 0x05])] } == .claimUntrusted)
    }

    @Test(arguments: ["1.3.6.1.4.1.51341.99", "2.5.29.30", "2.5.29.36", "2.5.29.54", "2.5.29.31", "1.2.3"])
    func otherExtensionsMayNot(_ identifier: String) throws {
        let unknown = TestCertificate.Extension(identifier: identifier, contents: [0x30, 0])
        #expect(try Self.fault { $0.extensions.append(unknown) } == .claimUntrusted)
    }

    @Test func whatIsNotCriticalIsReadPast() throws {
        for identifier in ["1.2.3", "2.5.29.31", "1.3.6.1.5.5.7.1.1"] {
            let garbage = TestCertificate.Extension(identifier: identifier, isCritical: false, contents: [0x30, 0x05, 1])
            #expect(try Self.fault { $0.extensions = [garbage] } == nil)
        }
        #expect(try Self.fault { $0.extensions = [] } == nil)
    }

    @Test func listedKeysAndClaimsAreRevoked() throws {
        var answer = try TestAnswer()
        answer.revoked = [try #require(RevokedAddress(answer.holder.address()))]
        #expect(try answer.fault() == .revoked)
        answer.claims = []
        #expect(try answer.fault() == .revoked)
        answer = try TestAnswer()
        answer.claims.append(try answer.claim([.init(TestAnswer.mail, "a@b.example")], serial: [0xAB, 0xCD]).signed(by: answer.issuerKey))
        answer.revoked = [try #require(RevokedAddress("0x" + String(repeating: "0", count: 36) + "abcd"))]
        // Also where nobody asked for it.
        #expect(try answer.fault() == .revoked)
        answer.revoked = [try #require(RevokedAddress("0x" + String(repeating: "0", count: 36) + "abce"))]
        #expect(try answer.fault() == nil)
    }

    @Test func aNumberThatNoListCanNameIsNotBelieved() throws {
        #expect(try Self.fault { $0.serial = [UInt8](repeating: 0xFF, count: 20) } == nil)
        #expect(try Self.fault { $0.serial = [UInt8](repeating: 1, count: 21) } == .claimUntrusted)
    }

    @Test(arguments: ["0x", "", "0x12", "0X" + String(repeating: "a", count: 40), "0x" + String(repeating: "A", count: 40)])
    func addressesAreWrittenInOneWay(_ text: String) { #expect(RevokedAddress(text) == nil) }
}
