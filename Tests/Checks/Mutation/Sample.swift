import Credentials
import Envelopes
import JSON
import LinkedData
import Trust

/// One accepted credential, the trust under which it is, and what a stranger who holds it knows.
final class Sample {
    let name: String
    let message: [UInt8]
    let form: CredentialForm
    let time: Seconds
    let contents: TrustContents
    let trust: TrustStore
    /// One verifier for all mutants: what one of them leaves behind must not help the next.
    private(set) var verifier: CredentialVerifier
    let original: Snapshot
    /// The proofs of the document, and those of other samples: the test vectors have several of one document.
    var proofs: Set<String> = []
    /// What the other samples say. To turn one genuine credential into another is to forge nothing.
    var genuine: [Snapshot] = []
    /// JSON-LD: documents that say the same as the sample in other words, the sample first. Empty for the other forms.
    let documents: [Tree]
    /// JSON-LD: what the members of the document stand for, by pointer.
    let properties: [(pointer: String, iri: String)]
    /// Verification methods and ids of everyone trusted, the sample's issuer first.
    let methods: [String]
    let issuers: [String]
    let contexts: [String]
    /// Paths of one step to the portrait.
    let portraits: [String]
    /// JSON-LD credentials of the same and of other issuers, to take parts from.
    var others: [Tree] = []

    /// Nil when the sample is not accepted as it is.
    init?(_ source: SampleSource, _ contents: TrustContents) throws {
        let trust = try TrustStore(contents)
        self.contents = contents
        name = source.name
        message = source.message
        time = source.time
        self.trust = trust
        verifier = CredentialVerifier(trust: trust)
        guard let credential = verifier.verify(message, at: time).credential else { return nil }
        form = credential.form
        original = Snapshot(credential)
        let issuer = trust.issuers.first { $0.ids.contains(credential.issuer) }
        let all = [issuer].compactMap { $0 } + trust.issuers.filter { $0.ids.first != issuer?.ids.first }
        methods = all.flatMap(\.keys).map(\.id)
        issuers = all.flatMap(\.ids)
        portraits = issuer?.claims[.portrait]?.compactMap(\.first) ?? []
        contexts = source.contexts
        guard form == .ldpVC, let document = Tree(parsing: message), let statements = Statements(document, trust.contexts) else {
            (documents, properties) = ([], [])
            return
        }
        properties = statements.properties
        let isDataset = credential.proof?.options != .canonicalJSON
        documents = [document] + (isDataset ? statements.disguises(of: document) : [])
        for disguise in documents {
            let verdict = verifier.verify(disguise.octets, at: time)
            guard let credential = verdict.credential,
                Snapshot(credential).differences(from: original, mayWithhold: false, proofs: []).isEmpty
            else {
                print(
                    "mutation: \(name): the same in other words is not accepted: \(verdict.reasons.map(\.code)) \(disguise.text.prefix(3000))"
                )
                return nil
            }
        }
    }

    func verdict(_ message: [UInt8]) -> Verdict { verifier.verify(message, at: time) }

    /// The same with what is known of a rejected one.
    func examine(_ message: [UInt8]) -> Examination { verifier.examine(message.span, at: time, inFull: true) }

    /// Each proof of the document alone or first, as far as that is accepted, by the name a snapshot has for it.
    func proofsAlone() -> [String] {
        guard let document = documents.first, let proofs = document["proof"]?.elements else { return [original.proof] }
        return proofs.flatMap { first in
            [[first], [first] + proofs.filter { $0 != first }].compactMap { proofs in
                var reordered = document
                reordered["proof"] = .array(proofs)
                return verdict(reordered.octets).credential.map { Snapshot($0).proof }
            }
        }
    }

    /// What a verifier says that has seen nothing else.
    func freshVerdict(_ message: [UInt8]) -> Verdict { CredentialVerifier(trust: trust).verify(message, at: time) }

    /// Why accepting this mutant is wrong; empty for a rejected one and for one that says the same.
    func differences(_ verdict: Verdict) -> [String] {
        guard let snapshot = verdict.credential.map(Snapshot.init) else { return [] }
        let found = snapshot.differences(from: original, mayWithhold: form == .sdJWT, proofs: proofs)
        let isAnother = !found.isEmpty && genuine.contains { snapshot.differences(from: $0, mayWithhold: false, proofs: proofs).isEmpty }
        return isAnother ? [] : found
    }
}

/// What is needed to make a sample.
struct SampleSource {
    let name: String
    let message: [UInt8]
    let time: Seconds
    let issuer: IssuerText
    var contexts: [String] = []
    var lists: [PinnedStatusList] = []
}
