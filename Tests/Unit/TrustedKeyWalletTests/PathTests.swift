import ClaimTestSupport
import Cryptography
import Envelopes
import Testing

@testable import TrustedKeyWallet

/// trustedkey.md sections 4 and 5: from a claim to a pinned root.
struct PathTests {
    private static let parts = [TestCertificate.Part(TestAnswer.name, "Noor van Dijk")]

    /// An answer whose only claim is by the last of `count` authorities, each by the one before, the first by the root.
    private static func ladder(_ count: Int, change: (Int, inout TestCertificate) -> Void = { _, _ in }) throws -> TestAnswer {
        var answer = try TestAnswer()
        var signer = answer.rootKey, name = "Root"
        answer.issuers = []
        for step in 0..<count {
            let key = try TestKey()
            var authority = TestCertificate.authority("Step \(step)", key, by: name, serial: [UInt8(10 + step)])
            change(step, &authority)
            answer.issuers.append(try authority.signed(by: signer))
            (signer, name) = (key, "Step \(step)")
        }
        answer.roots = [try TestCertificate.authority("Root", answer.rootKey, by: "Root").signed(by: answer.rootKey)]
        answer.claims = [try TestCertificate.claim(parts, answer.holder, by: name).signed(by: signer)]
        return answer
    }

    /// The answer with another issuer's certificate, which the root has signed.
    private static func fault(_ change: (inout TestCertificate) -> Void) throws -> TrustedKeyFault? {
        var answer = try TestAnswer()
        var issuer = TestCertificate.authority("Issuer", answer.issuerKey, by: "Root")
        change(&issuer)
        answer.issuers = [try issuer.signed(by: answer.rootKey)]
        return try answer.fault()
    }

    @Test func upToFourIntermediatesInAnyOrder() throws {
        for count in 0...4 {
            var answer = try Self.ladder(count)
            #expect(try answer.fault() == nil, "\(count)")
            answer.issuers.reverse()
            #expect(try answer.fault() == nil, "\(count)")
            if count > 0 {
                answer.issuers.removeLast()
                #expect(try answer.fault() == .claimUntrusted, "\(count)")
            }
        }
        #expect(try Self.ladder(5).fault() == .claimUntrusted)
    }

    @Test func pathLengthsSuffice() throws {
        // The first of three has two below it.
        for (length, expected) in [(2, nil), (1, TrustedKeyFault.claimUntrusted), (0, .claimUntrusted)] as [(UInt8, TrustedKeyFault?)] {
            let answer = try Self.ladder(3) { step, authority in
                if step == 0 { authority.extensions[0] = .constraints(authority: true, pathLength: length) }
            }
            #expect(try answer.fault() == expected)
        }
        for (length, expected) in [(1, nil), (0, TrustedKeyFault.claimUntrusted)] as [(UInt8, TrustedKeyFault?)] {
            var answer = try TestAnswer()
            answer.roots = [
                try TestCertificate.authority("Root", answer.rootKey, by: "Root", pathLength: length).signed(by: answer.rootKey)
            ]
            #expect(try answer.fault() == expected)
        }
    }

    @Test func ofTwoPathsTheOneWithMoreRoomCounts() throws {
        // A key that is certified twice: by the root itself, with room for one below it, and further down, with room for more.
        var answer = try Self.ladder(1)
        let (middle, twice, third, last) = (try TestKey(), try TestKey(), try TestKey(), try TestKey())
        let narrow = try TestCertificate.authority("Twice", twice, by: "Root", pathLength: 1, serial: [20]).signed(by: answer.rootKey)
        let wide = try TestCertificate.authority("Twice", twice, by: "Middle", serial: [21]).signed(by: middle)
        answer.issuers = [
            narrow, try TestCertificate.authority("Third", third, by: "Twice", serial: [22]).signed(by: twice),
            try TestCertificate.authority("Last", last, by: "Third", serial: [23]).signed(by: third),
            try TestCertificate.authority("Middle", middle, by: "Root", serial: [24]).signed(by: answer.rootKey),
        ]
        answer.claims = [try TestCertificate.claim(Self.parts, answer.holder, by: "Last").signed(by: last)]
        #expect(try answer.fault() == .claimUntrusted)
        answer.issuers.append(wide)
        #expect(try answer.fault() == nil)
    }

    @Test func everyIssuerIsAnAuthorityInItsTime() throws {
        #expect(try Self.fault { _ in } == nil)
        let now = TestAnswer.issued + 4
        let changes: [(inout TestCertificate) -> Void] = [
            { $0.extensions.removeFirst() }, { $0.extensions.removeLast() }, { $0.extensions = [] },
            { $0.extensions[0] = .constraints(authority: false) }, { $0.extensions[1] = .signs },
            { $0.extensions[1].contents = TestDER.bits([0], unused: 0) }, { $0.extensions[0].contents = [0x30, 5] },
            { $0.extensions.append(.init(identifier: "1.2.3", contents: [5, 0])) },
            { $0.extensions.append(.init(identifier: "2.5.29.30", contents: TestDER.sequence())) },
            { $0.validity = now - 9...now - 1 }, { $0.validity = now + 1...now + 9 },
            { $0.subject[0].text = Array("issuer".utf8) }, { $0.subject[0].tag = 0x13 }, { $0.issuer[0].text = Array("ROOT".utf8) },
            { $0.serial = [UInt8](repeating: 1, count: 21) }, { $0.extensions.append($0.extensions[0]) },
        ]
        for (place, change) in changes.enumerated() { #expect(try Self.fault(change) == .claimUntrusted, "\(place)") }
    }

    @Test func rootsAreJudgedLikeIssuers() throws {
        let now = TestAnswer.issued + 4
        let changes: [(inout TestCertificate) -> Void] = [
            { $0.extensions.removeFirst() }, { $0.extensions.removeLast() }, { $0.extensions[0] = .constraints(authority: false) },
            { $0.extensions[1] = .signs }, { $0.validity = now - 9...now - 1 }, { $0.validity = now + 1...now + 9 },
            { $0.extensions.append(.init(identifier: "1.2.3", contents: [5, 0])) }, { $0.subject[0].text = Array("Other".utf8) },
        ]
        for (place, change) in changes.enumerated() {
            var answer = try TestAnswer()
            var root = TestCertificate.authority("Root", answer.rootKey, by: "Root")
            change(&root)
            answer.roots = [try root.signed(by: answer.rootKey)]
            #expect(try answer.fault() == .claimUntrusted, "\(place)")
        }
    }

    @Test func aRootsOwnSignatureDoesNotCount() throws {
        var answer = try TestAnswer()
        let stranger = try TestKey()
        answer.roots = [try TestCertificate.authority("Root", answer.rootKey, by: "Somebody").signed(by: stranger)]
        #expect(try answer.fault() == nil)
    }

    @Test func onlyPinnedRootsEndAPath() throws {
        var answer = try TestAnswer()
        let root = answer.roots[0]
        answer.issuers.append(root)
        #expect(try answer.fault() == nil)
        answer.roots = []
        #expect(try answer.fault() == .claimUntrusted)
        // Another one of the same name.
        let stranger = try TestKey()
        let other = try TestCertificate.authority("Root", stranger, by: "Root").signed(by: stranger)
        answer.roots = [other]
        #expect(try answer.fault() == .claimUntrusted)
        answer.roots = [other, root]
        #expect(try answer.verified().claims.first?.source?.root == 1)
        // A claim that its holder signed.
        answer.claims = [try TestCertificate.claim(Self.parts, answer.holder, by: "Root").signed(by: answer.holder)]
        #expect(try answer.fault() == .claimUntrusted)
    }

    @Test func aPinnedIssuerIsARootToo() throws {
        var answer = try TestAnswer()
        (answer.roots, answer.issuers) = (answer.issuers, [])
        #expect(try answer.fault() == nil)
    }

    @Test func issuersSignWithP256OrP384AndSHA2() throws {
        let cases: [(NISTCurve, String, TrustedKeyFault?)] = [
            (.p384, "1.2.840.10045.4.3.3", nil), (.p521, "1.2.840.10045.4.3.4", .claimUntrusted),
            // SHA-1, by its name.
            (.p256, "1.2.840.10045.4.1", .claimUntrusted), (.p256, "1.2.840.113549.1.1.11", .claimUntrusted),
            (.p256, "1.2.3", .claimUntrusted),
        ]
        for (curve, algorithm, expected) in cases {
            var answer = try TestAnswer()
            let key = try TestKey(curve)
            answer.issuers = [try TestCertificate.authority("Issuer", key, by: "Root").signed(by: answer.rootKey)]
            var claim = answer.claim(Self.parts)
            claim.algorithm = algorithm
            answer.claims = [try claim.signed(by: key)]
            #expect(try answer.fault() == expected, "\(curve) \(algorithm)")
        }
    }

    @Test func whatNoPathNeedsIsIgnoredWhereItIsACertificate() throws {
        var answer = try TestAnswer()
        let stranger = try TestKey(.p521)
        var odd = TestCertificate.authority("Issuer", stranger, by: "Root")
        odd.extensions[1].contents = [0x05]
        answer.issuers.insert(try odd.signed(by: stranger), at: 0)
        #expect(try answer.fault() == nil)
        for octets in [[0x30, 0], [1, 2, 3], answer.issuers[0] + [0]] as [[UInt8]] {
            var changed = answer
            changed.issuers.append(octets)
            #expect(try changed.fault() == .answerMalformed)
        }
    }

    @Test func intermediatesOfThePathAreLookedUp() throws {
        let number = try #require(RevokedAddress("0x" + String(repeating: "0", count: 38) + "07"))
        var answer = try TestAnswer()
        answer.revoked = [number]
        #expect(try answer.fault() == .revoked)
        // The same key, certified anew, is good: a path through nobody who is revoked is enough.
        answer.issuers.append(try TestCertificate.authority("Issuer", answer.issuerKey, by: "Root", serial: [8]).signed(by: answer.rootKey))
        #expect(try answer.fault() == nil)
        // Unless it is the key that is revoked.
        answer.revoked = [try #require(RevokedAddress(answer.issuerKey.address()))]
        #expect(try answer.fault() == .revoked)
        // Who is not on the path may be revoked.
        answer = try TestAnswer()
        let other = try TestKey()
        answer.issuers.append(try TestCertificate.authority("Other", other, by: "Root", serial: [8]).signed(by: answer.rootKey))
        answer.revoked = [try #require(RevokedAddress("0x" + String(repeating: "0", count: 38) + "08"))]
        #expect(try answer.fault() == nil)
    }
}
