import Cryptography
import JSON
import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

/// Root files as they are made, and what another one does to bundles.
@Suite struct RootChangeTests {
    private func change(_ old: (Int, [TestSigner]), _ new: (Int, [TestSigner])) throws -> TrustRootChange {
        TrustRootChange(from: try TestBundle.root(threshold: old.0, old.1), to: try TestBundle.root(threshold: new.0, new.1))
    }

    private static let dave = TestSigner("dave", 4), erin = TestSigner("erin", 5)

    @Test func whoStaysAndWhatHolds() throws {
        let old = (2, [TestSigner.alice, .bob, .carol])
        let same = try change(old, old)
        #expect(same.stay == ["alice", "bob", "carol"] && same.come == [] && same.go == [])
        #expect(same.forward == .always && same.back == .always)
        // One of two may be the one who goes.
        let one = try change(old, (2, [.alice, .carol, Self.dave]))
        #expect(one.stay == ["alice", "carol"] && one.come == ["dave"] && one.go == ["bob"])
        #expect(one.forward == .signedBy(fewest: 2) && one.back == .signedBy(fewest: 2))
        // The overlap of docs/updates.md: either side can reach it.
        let both = try change(old, (2, [.alice, .bob, .carol, Self.dave, Self.erin]))
        #expect(both.forward == .always && both.back == .signedBy(fewest: 2))
        #expect(try change(old, (2, [Self.dave, Self.erin])).forward == .never)
        #expect(try change(old, (2, [.alice, Self.dave])).forward == .never)
        #expect(try change(old, (1, [.alice, Self.dave])).forward == .signedBy(fewest: 1))
        #expect(try change(old, (1, [.alice, .bob])).forward == .always)
        #expect(try change(old, (3, [.alice, .bob, .carol])).forward == .signedBy(fewest: 3))
        #expect(try change(old, (3, [.alice, .bob, .carol])).back == .always)
    }

    /// The arithmetic against what signatures are worth: every choice of signers under each of two roots.
    @Test func whatHoldsIsWhatVerifies() throws {
        let everybody = [TestSigner.alice, .bob, .carol, Self.dave]
        let roots: [(Int, [TestSigner])] = [
            (1, [.alice]), (2, [.alice, .bob]), (2, [.alice, .bob, .carol]), (3, [.alice, .bob, .carol, Self.dave]),
            (1, [.carol, Self.dave]), (2, [.bob, .carol, Self.dave]),
        ]
        for old in roots {
            for new in roots {
                let known = try change(old, new).forward
                let believed = try TestBundle.root(threshold: new.0, new.1), before = try TestBundle.root(threshold: old.0, old.1)
                var holds: [Bool] = []
                for choice in 1..<16 {
                    let signers = everybody.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element)
                    let file = try TestBundle().signed(by: signers)
                    // Only what the old root's own signers signed, and no others.
                    guard signers.allSatisfy({ signer in old.1.contains { $0.id == signer.id } }), (try? file.verify(before)) != nil else {
                        continue
                    }
                    holds.append((try? file.verify(believed)) != nil)
                }
                let expected: Bool =
                    switch known {
                    case .always: holds.allSatisfy { $0 }
                    case .signedBy: holds.contains(true) && holds.contains(false)
                    case .never: !holds.contains(true)
                    }
                #expect(expected, "\(old.0) of \(old.1.map(\.id)) to \(new.0) of \(new.1.map(\.id)): \(known), \(holds)")
            }
        }
    }

    @Test func anotherKeyUnderTheNameIsAnotherSigner() throws {
        let found = try change((1, [.alice, .bob]), (1, [TestSigner("alice", 9), .bob]))
        #expect(found.stay == ["bob"] && found.come == ["alice"] && found.go == ["alice"] && found.forward == .signedBy(fewest: 1))
        let renamed = try change((1, [.alice]), (1, [TestSigner("alice-2", 1)]))
        #expect(renamed.stay == [] && renamed.forward == .never)
    }

    @Test func theTextOfARoot() throws {
        let row = #"{"kid":"alice","jwk":\#(try TestSigner.alice.jwk)}"#
        let value = try JSONDocument(parsing: Array((row + "\n").utf8)).root
        let text = TrustRoot.text(threshold: 1, signers: [value])
        #expect(String(decoding: text, as: UTF8.self).contains("\n    \(row)\n"))
        let root = try TrustRoot(name: "root.json", bytes: text)
        #expect(root.threshold == 1 && root.signers.map(\.id) == ["alice"])
        #expect(TrustRoot.signer("alice", in: text).map { String(decoding: $0.source, as: UTF8.self) } == row)
        #expect(TrustRoot.signer("bob", in: text) == nil)
    }

    @Test func keysAreWrittenAsTheyAreRead() throws {
        for key in [TestKey.ed25519, .p256, .secp256k1] {
            let known = try key.publicKey
            var writer = JSONWriter()
            try known.writeJWK(to: &writer)
            #expect(JSONWebKey(try JSONDocument(parsing: writer.bytes).root)?.key == known)
        }
        var writer = JSONWriter()
        #expect(throws: CryptographyError.unsupportedKey) { try TestKey.rsa.publicKey.writeJWK(to: &writer) }
        #expect(writer.bytes == [])
    }
}
