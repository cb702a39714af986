import JSON

/// What a credential of the W3C form says of itself (anoncreds.md section 7): nothing of it is signed but by way of the sub-proof's
/// numbers.
struct CredentialSubject: Sendable {
    let issuer: ExactText
    /// The texts of revealed values, by view.
    let values: [ExactText: String]
    /// Views of attributes of which a predicate is said to be proven.
    let marks: Set<ExactText>

    init(issuer: String, _ value: JSONValue) throws(PresentationReason) {
        guard let members = value.members else { throw .presentationMalformed }
        var values: [ExactText: String] = [:], marks: Set<ExactText> = [], count = 0
        for member in members where member.name != "id" {
            count += 1
            let view = ExactText.view(member.name)
            if member.value.bool == true {
                marks.insert(view)
            } else if let text = member.value.string {
                guard text.utf8.count <= Limits.text else { throw .presentationMalformed }
                values[view] = text
            } else if let number = member.value.number, number.lexeme.utf8.allSatisfy({ $0 == 0x2D || 0x30...0x39 ~= $0 }) {
                values[view] = number.lexeme
            } else {
                throw .presentationMalformed
            }
        }
        // One of them by two spellings would be two.
        guard count <= Limits.attributes, values.count + marks.count == count, marks.isDisjoint(with: values.keys) else {
            throw .presentationMalformed
        }
        self.issuer = ExactText(issuer)
        self.values = values
        self.marks = marks
    }
}

/// The W3C form: a verifiable presentation whose proofs are MessagePack in base64url (anoncreds.md section 7).
enum W3CPresentation {
    private static let contexts = ["https://www.w3.org/2018/credentials/v1", "https://www.w3.org/ns/credentials/v2"]

    /// Throws the reasons of the first step of section 11.
    static func read(_ root: JSONValue, nonce: String) throws(PresentationReason) -> ReceivedPresentation {
        try checkHead(root, type: "VerifiablePresentation")
        let proof = try dataIntegrityProof(root, purpose: "authentication")
        guard let challenge = proof["challenge"]?.string else { throw .presentationMalformed }
        guard challenge.utf8.elementsEqual(nonce.utf8) else { throw .challengeMismatch }
        guard let credentials = root["verifiableCredential"]?.elements, 1...Limits.subProofs ~= credentials.count else {
            throw .presentationMalformed
        }
        // Labels before numbers: the latter cost milliseconds.
        var parts: [(identifier: CredentialIdentifier, subProof: MessagePackValue)] = [], subjects: [CredentialSubject] = []
        for credential in credentials {
            try checkHead(credential, type: "VerifiableCredential")
            let proof = try dataIntegrityProof(credential, purpose: "assertionMethod")
            guard let issuer = credential["issuer"]?.string, let subject = credential["credentialSubject"],
                let method = proof["verificationMethod"]?.string
            else { throw .presentationMalformed }
            let content = try content(proof, kind: 2)
            let identifier = try CredentialIdentifier(content)
            guard ExactText(method) == identifier.definitionID else { throw .presentationMalformed }
            parts.append((identifier, try content.require("sub_proof")))
            subjects.append(try CredentialSubject(issuer: issuer, subject))
        }
        let aggregated = try AggregatedProof(content(proof, kind: 3).require("aggregated"))
        var subProofs: [SubProof] = []
        for part in parts { subProofs.append(try SubProof(part.subProof)) }
        return try ReceivedPresentation(
            subProofs: subProofs, identifiers: parts.map(\.identifier), aggregated: aggregated, form: .w3c(subjects))
    }

    /// The first context and the type. No context is read: what the document means is pinned by the definition.
    private static func checkHead(_ value: JSONValue, type: String) throws(PresentationReason) {
        guard let first = value["@context"]?.elements?.first(where: { _ in true })?.string, contexts.contains(where: { $0 == first }),
            value["type"]?.elements?.contains(where: { $0.isString(type) }) ?? value["type"]?.isString(type) ?? false
        else { throw .presentationMalformed }
    }

    /// `proof`, which may be an array of one.
    private static func dataIntegrityProof(_ value: JSONValue, purpose: String) throws(PresentationReason) -> JSONValue {
        guard var proof = value["proof"] else { throw .presentationMalformed }
        if let elements = proof.elements {
            var rest = elements
            guard let only = rest.next(), rest.next() == nil else { throw .presentationMalformed }
            proof = only
        }
        guard proof.kind == .object, let type = proof["type"], let suite = proof["cryptosuite"], let stated = proof["proofPurpose"] else {
            throw .presentationMalformed
        }
        guard type.isString("DataIntegrityProof"), suite.isString("anoncreds-2023") else { throw .proofTypeRefused }
        guard stated.isString(purpose) else { throw .proofPurposeRefused }
        return proof
    }

    /// The map of `proofValue`: `u`, base64url without padding, of an array of the kind and the map.
    private static func content(_ proof: JSONValue, kind: Int64) throws(PresentationReason) -> MessagePackValue {
        guard let text = proof["proofValue"]?.stringBytes, text.first == UInt8(ascii: "u"), let octets = Base64URL.octets(text[1...]) else {
            throw .presentationMalformed
        }
        guard let items = try MessagePackValue(parsing: octets).items, items.count == 2, items[0].integer == kind,
            items[1].entries != nil
        else { throw .presentationMalformed }
        return items[1]
    }
}
