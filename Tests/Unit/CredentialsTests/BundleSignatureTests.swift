import CBOR
import Cryptography
import Testing

@testable import Credentials
@testable import Trust

@Suite struct BundleSignatureTests {
    private func answer(_ signed: SignedTrustBundle, _ root: TrustRoot) -> Result<TrustBundle, TrustBundleError> {
        TestBundle.answer(signed.octets, root)
    }

    @Test("two of three signers, whichever they are, are enough; one is not")
    func twoOfThree() throws {
        let root = try TestBundle.root(), test = TestBundle(), bundle = try TestBundle().bundle()
        for signers in [[.alice, .bob], [.bob, .carol], [.carol, .alice], [.alice, .bob, .carol]] as [[TestSigner]] {
            #expect(try answer(test.signed(by: signers), root) == .success(bundle))
        }
        for signer in [.alice, .bob, .carol, .mallory] as [TestSigner] {
            #expect(try answer(test.signed(by: [signer]), root) == .failure(.thresholdNotMet))
        }
        #expect(try answer(test.signed(by: [.alice, .bob]), TestBundle.root(threshold: 3)) == .failure(.thresholdNotMet))
        #expect(try answer(test.signed(by: [.alice, .mallory]), root) == .failure(.thresholdNotMet), "a stranger counts for nothing")
        #expect(try answer(test.signed(by: [.mallory, .alice, .bob]), root) == .success(bundle), "and spoils nothing")
        #expect(
            try answer(test.signed(by: [.alice, TestSigner("bob", 66)]), root) == .failure(.thresholdNotMet),
            "a stranger under a known name")
    }

    @Test("the same signer twice is one signer, under her own name or another's")
    func sameSignerTwice() throws {
        let root = try TestBundle.root(), payload = try TestBundle().bundle().encoded()
        #expect(throws: TrustBundleError.alreadySigned) { try TestBundle().signed(by: [.alice, .alice]) }
        let twice = try TestBundle.signed(payload, by: [.alice, .alice])
        #expect(TestBundle.answer(twice, root) == .failure(.thresholdNotMet))
        #expect(try TestBundle.answer(twice, TestBundle.root(threshold: 1)) == .success(TestBundle().bundle()))
        #expect(try TestBundle.answer(TestBundle.signed(payload, by: [.alice, TestSigner("bob", 1)]), root) == .failure(.thresholdNotMet))
    }

    @Test("a signature over other data, or without the bundle's own words, is none")
    func otherData() throws {
        let root = try TestBundle.root(), payload = try TestBundle().bundle().encoded()
        for aad in [
            [], Array("gatehouse trust bundle 2".utf8), Array("gatehouse trust bundle ".utf8), Array("gatehouse trust bundle 1\0".utf8),
        ] as [[UInt8]] {
            #expect(try TestBundle.answer(TestBundle.signed(payload, aad: aad), root) == .failure(.thresholdNotMet))
        }
        var other = TestBundle()
        other.sequence = 8
        let good = try TestBundle().signed().octets, swapped = try other.bundle().encoded()
        #expect(payload.count == swapped.count)
        let start = try #require(good.indices.first { good[$0...].starts(with: payload) })
        var forged = good
        forged.replaceSubrange(start..<start + payload.count, with: swapped)
        #expect(TestBundle.answer(forged, root) == .failure(.thresholdNotMet))
    }

    @Test("cut at any length, a bundle is refused")
    func truncation() throws {
        let root = try TestBundle.root(), octets = try TestBundle().signed().octets
        for length in 0..<octets.count {
            guard case .failure(.malformed(let error)) = TestBundle.answer(Array(octets[..<length]), root) else {
                Issue.record("cut at \(length): not refused as malformed")
                continue
            }
            #expect(error.reason == .truncated)
        }
        guard case .failure(.malformed(let error)) = TestBundle.answer(octets + [0], root) else {
            Issue.record("accepted")
            return
        }
        #expect(error.reason == .trailingBytes)
    }

    @Test("with any octet changed in any of three ways, a bundle is refused")
    func everyOctet() throws {
        let root = try TestBundle.root(), octets = try TestBundle().signed().octets
        var errors: Set<TrustBundleError> = []
        for position in octets.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var changed = octets
                changed[position] ^= change
                switch TestBundle.answer(changed, root) {
                case .success: Issue.record("octet \(position) changed by \(change): accepted")
                case .failure(let error): errors.insert(error)
                }
            }
        }
        #expect(errors.contains(.thresholdNotMet) && errors.contains(.notSigned))
    }

    @Test("an envelope of another kind or form is refused by name")
    func envelopes() throws {
        let root = try TestBundle.root(), octets = try TestBundle().signed().octets
        #expect(TestBundle.answer(Array(octets.dropFirst(2)), root) == .failure(.notSigned), "no tag")
        #expect(TestBundle.answer([0xD8, 61] + octets.dropFirst(2), root) == .failure(.notSigned), "another tag")
        #expect(try TestBundle.answer(TestBundle().bundle().encoded(), root) == .failure(.notSigned), "a payload nobody signed")
        #expect(TestBundle.answer([], root) == .failure(.malformed(CBORError(.truncated, at: 0))))
        #expect(TestBundle.answer([UInt8](repeating: 0, count: TrustBundle.largest + 1), root) == .failure(.tooLarge))
        #expect(TestBundle.answer(hex("d8628440a0f680"), root) == .failure(.envelope(.payloadDetached)))
        #expect(TestBundle.answer(hex("d8628440a04080"), root) == .failure(.envelope(.malformed(CBORError(.missing, at: 2)))))
        // The tag's number in more octets than it needs.
        #expect(TestBundle.answer([0xD9, 0, 98] + octets.dropFirst(2), root) == .failure(.malformed(CBORError(.notShortest, at: 0))))
        let many = try TestBundle.signed(TestBundle().bundle().encoded(), by: (0..<16).map { TestSigner("s\($0)", UInt8($0)) })
        let full = try SignedTrustBundle(many)
        #expect(throws: TrustBundleError.envelope(.tooManySignatures)) { try full.signed(as: "alice", with: TestSigner.alice.key()) }
    }

    @Test("a signature is not put under a bundle no gate would take")
    func signing() throws {
        let alice = try TestSigner.alice.key()
        for id in ["", String(repeating: "a", count: 65)] {
            #expect(throws: TrustBundleError.keyIDRefused) { try SignedTrustBundle(signing: TestBundle().bundle(), as: id, with: alice) }
        }
        let nonsense = try SignedTrustBundle(TestBundle.signed([0xA0], by: [.bob]))
        #expect(throws: TrustBundleError.malformed(CBORError(.missing, at: 0))) {
            try nonsense.signed(as: "alice", with: TestSigner.alice.key())
        }
    }

    @Test("each signature is reported for what it is worth")
    func standings() throws {
        let signed = try TestBundle().signed(by: [.alice, TestSigner("bob", 66), .mallory])
        #expect(signed.signerIDs == ["alice", "bob", "mallory"])
        let expected: [(String, SignatureStanding)] = [("alice", .valid), ("bob", .invalid), ("mallory", .unknown)]
        #expect(try signed.signatures(TestBundle.root()) == expected.map { SignatureReport(id: $0.0, standing: $0.1) })
        #expect(try signed.unverified().content == TestBundle().bundle())
    }

    @Test("signing twice gives the same octets, and keeps those that were there")
    func stable() throws {
        let one = try TestBundle().signed(by: [.alice]).octets, two = try TestBundle().signed(by: [.alice, .bob]).octets
        #expect(try TestBundle().signed(by: [.alice, .bob]).octets == two)
        // All but the count of signatures.
        #expect(zip(one, two).filter { $0 != $1 }.count == 1)
    }
}
