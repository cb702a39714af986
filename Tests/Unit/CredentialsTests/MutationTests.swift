import Credentials
import TestSupport
import Testing

/// Whatever is changed in a genuine credential, either it is rejected or it still says exactly what the issuer signed.
@Suite struct MutationTests {
    /// What a verdict shows about a credential: claim texts by name, the issuer and the type.
    private func shown(_ verdict: Verdict) -> [String: [UInt8]] {
        guard let credential = verdict.credential else { return [:] }
        var shown: [String: [UInt8]] = [:]
        for member in credential.claims.root.members! { shown[member.name] = member.value.source }
        return shown
    }

    private func mutate(_ message: [UInt8], _ generator: inout SeededRandom) -> [UInt8] {
        var mutant = message
        let alphabet = Array("ABCxyz019-_.~{}[]\":,\\=\0 \u{ff}".utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let position = Int.random(in: 0..<mutant.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: mutant[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: mutant[position] = alphabet.randomElement(using: &generator)!
            case 2: mutant.insert(alphabet.randomElement(using: &generator)!, at: position)
            case 3: mutant.remove(at: position)
            case 4:
                let end = min(mutant.count, position + Int.random(in: 1..<200, using: &generator))
                mutant.append(contentsOf: mutant[position..<end])
            default:
                let parts = mutant.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false).shuffled(using: &generator)
                mutant = Array(parts.joined(separator: [UInt8(ascii: "~")]))
            }
        }
        return mutant
    }

    /// The claims an accepted mutant may show: all of the original's, or fewer, because a disclosure may be left out.
    private func mutants(of credential: TestCredential, seed: UInt64, count: Int, wrapped: Bool) throws {
        let verifier = try TestTrust(keys: [("key-1", credential.key)]).verifier()
        let text = String(decoding: credential.message, as: UTF8.self)
        let message =
            wrapped
            ? Array(#"{"vcMetadata":{"format":"vc+sd-jwt"},"verifiableCredential":{"credential":"\#(text)"}}"#.utf8) : credential.message
        let original = shown(verifier.verify(message, at: TestCredential.now))
        #expect(original.count >= 8)
        var generator = SeededRandom(seed: seed)
        for round in 0..<count {
            let verdict = verifier.verify(mutate(message, &generator), at: TestCredential.now)
            for (name, source) in shown(verdict) where original[name] != source {
                Issue.record("round \(round) of seed \(seed) shows a changed \(name)")
            }
            if !verdict.isAccept { #expect(!verdict.reasons.isEmpty) }
        }
    }

    @Test(arguments: [1, 2, 3, 4]) func plain(_ seed: UInt64) throws {
        var credential = TestCredential()
        let leaf = base64URL(#"["s","street","Main"]"#)
        let element = base64URL(#"["s","DE"]"#)
        credential.set("address", #"{"_sd":["\#(digest(leaf))"],"nationalities":[{"...":"\#(digest(element))"}]}"#)
        credential.disclosures += [leaf, element]
        try mutants(of: credential, seed: seed, count: 500, wrapped: false)
    }

    @Test(arguments: [5, 6, 8]) func wrapped(_ seed: UInt64) throws {
        try mutants(of: TestCredential(key: .p256), seed: seed, count: 500, wrapped: true)
    }

    @Test func bound() throws {
        var credential = TestCredential()
        credential.bind(holder: .otherEd25519)
        try mutants(of: credential, seed: 7, count: 500, wrapped: false)
    }

    @Test func everyCut() throws {
        let verifier = try TestTrust().verifier()
        let message = TestCredential().message
        let original = shown(verifier.verify(message, at: TestCredential.now))
        for length in 0..<message.count {
            // A cut right after a `~` only leaves disclosures out.
            let claims = shown(verifier.verify(Array(message[..<length]), at: TestCredential.now))
            for (name, source) in claims { #expect(original[name] == source) }
            #expect(claims.isEmpty || message[length - 1] == UInt8(ascii: "~"))
        }
    }
}
