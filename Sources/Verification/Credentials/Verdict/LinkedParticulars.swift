import Envelopes
import JSON
import LinkedData
import Trust

extension Particulars {
    /// Nodes of a document that are looked at for names of contexts.
    private static let mostNodes = 10_000

    /// A JSON-LD credential.
    mutating func readDocument(_ text: [UInt8], _ reasons: [RejectReason], _ trust: TrustStore, _ witness: Witness) {
        guard let document = try? JSONDocument(parsing: text, limits: IssuerProof.limits) else { return }
        let root = document.root
        let stated = root["issuer"]
        state(issuer: stated?.string ?? stated?["id"]?.string)
        see(.type, Self.list(root["type"]).map(Self.words))
        if root["proof"] == nil { see(.proof, ["none"]) }
        for proof in Self.list(root["proof"]).prefix(Particular.most) { see(proof: proof) }
        see(StatedStatus.all(in: root))
        for name in ["expirationDate", "validUntil", "issuanceDate", "validFrom"] {
            see(.time, root[name].map { ["\(name) \(Self.words($0))"] } ?? [])
        }
        for case .credentialRule(let fault) in reasons { see(rule: fault, in: root) }
        if reasons.contains(.contextUnknown) {
            see(.context, Self.contexts(of: root).filter { trust.contexts.document(at: Text($0)) == nil })
        }
        if reasons.contains(.credentialAmbiguous) { see(.member, ["credentialSubject \(Self.kind(root["credentialSubject"]))"]) }
        if !Set(reasons).isDisjoint(with: [.claimsUncovered, .linkedDataInvalid]) { see(dropped: root, trust) }
    }

    private mutating func see(proof: JSONValue) {
        let type = Self.words(proof["type"])
        see(.suite, [proof["cryptosuite"].map { "\(type) \(Self.words($0))" } ?? type])
        see(.key, [proof["verificationMethod"].map(Self.words) ?? "no verificationMethod"])
        see(.purpose, [Self.words(proof["proofPurpose"])])
        see(.time, proof["expires"].map { ["proof.expires \(Self.words($0))"] } ?? [])
        // The algorithm is in the header of a detached JWS.
        guard let jws = proof["jws"]?.string, let header = Base64.decode(Array(jws.utf8.prefix { $0 != UInt8(ascii: ".") })[...]),
            let members = try? JSONDocument(parsing: header).root
        else { return }
        see(.algorithm, [Self.words(members["alg"])])
    }

    private mutating func see(rule fault: DataModelFault, in root: JSONValue) {
        var value: JSONValue? = root
        for name in fault.member.rawValue.split(separator: ".") { value = value.flatMap { Self.list($0).first?[String(name)] } }
        see(.rule, ["\(fault.member.rawValue) \(fault.member.isAboutSomebody ? Self.kind(value) : Self.words(value))"])
    }

    /// What the signature does not cover, or why the document says nothing at all.
    private mutating func see(dropped root: JSONValue, _ trust: TrustStore) {
        var processor = LinkedDataProcessor(store: trust.contexts)
        do throws(LinkedDataError) {
            let journal = try processor.dataset(of: root, omitting: "proof").journal
            let decisive = journal.dropped.filter { dropped in
                LinkedCoverage.decisive.contains { LinkedCoverage.isWithin(dropped.pointer, $0) }
            }
            see(
                .member,
                (decisive.isEmpty ? journal.dropped : decisive).map {
                    "\($0.pointer.isEmpty ? "the whole document" : $0.pointer) (\($0.reason))"
                })
        } catch {
            see(.member, [error.rawValue])
        }
    }

    /// What a value is, and nothing of it.
    private static func kind(_ value: JSONValue?) -> String {
        guard let value else { return "(not there)" }
        switch value.kind {
        case .object: return "an object"
        case .array: return "an array of \(value.elements.map { $0.count } ?? 0)"
        case .string: return "a text of \(value.stringBytes?.count ?? 0) octets"
        default: return "a number, a truth value or null"
        }
    }

    private static func list(_ value: JSONValue?) -> [JSONValue] { value.map { $0.elements.map(Array.init) ?? [$0] } ?? [] }

    /// Every context that is named anywhere in a document.
    private static func contexts(of root: JSONValue) -> [String] {
        var found: [String] = [], waiting = [root], seen = 0
        while let value = waiting.popLast(), seen < mostNodes {
            seen += 1
            if let elements = value.elements { waiting += elements }
            guard let members = value.members else { continue }
            for member in members {
                if member.key.isString("@context") { found += list(member.value).compactMap(\.string) }
                waiting.append(member.value)
            }
        }
        return found
    }
}

extension CredentialMember {
    /// Whether it may say who the visitor is: that does not belong on paper that is passed on.
    fileprivate var isAboutSomebody: Bool {
        switch self {
        case .id, .credentialSubject, .subjectID, .name, .description, .evidence, .evidenceID: true
        default: false
        }
    }
}
