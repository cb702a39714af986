/// A sub-proof with the objects of the bundle that it is checked with.
struct KnownCredential {
    let subProof: SubProof
    let identifier: CredentialIdentifier
    let schema: CredentialSchema
    let definition: CredentialDefinition

    /// Throws `schemaUnknown`, `credentialDefinitionUnknown`, `schemaMismatch`, `definitionNotCurrent`.
    init(
        _ subProof: SubProof, _ identifier: CredentialIdentifier, in context: AnonCredsContext, now: Int64
    ) throws(PresentationReason) {
        guard let schema = context.schema(identifier.schemaID) else { throw .schemaUnknown }
        guard let definition = context.definition(identifier.definitionID) else { throw .credentialDefinitionUnknown }
        guard ExactText(definition.schemaID) == identifier.schemaID else { throw .schemaMismatch }
        guard definition.isCurrent(at: now) else { throw .definitionNotCurrent }
        (self.subProof, self.identifier, self.schema, self.definition) = (subProof, identifier, schema, definition)
    }

    /// Throws `attributeUnknown` where the schema has not what is answered; then, for the sets of anoncreds.md section 5, rule 2,
    /// `answerMismatch` and `presentationMalformed`.
    func checkNames(_ answer: SubProofAnswer) throws(PresentationReason) {
        let revealed = answer.revealed, names = revealed.union(answer.unrevealed).union(answer.predicates.map(\.attribute))
        guard names.allSatisfy({ schema.has($0) }) else { throw .attributeUnknown }
        guard Set(subProof.equality.revealed.keys) == revealed else { throw .answerMismatch }
        guard Set(subProof.equality.m.keys) == schema.bases.subtracting(revealed) else { throw .presentationMalformed }
    }

    func restricted(_ answer: SubProofAnswer) -> RestrictedCredential {
        RestrictedCredential(
            schema: schema, definition: definition, registryID: subProof.nonRevocation == nil ? nil : identifier.registryID, raw: answer.raw
        )
    }

    /// Rule 6: each predicate that was asked for, once, and no other. Throws `predicateMismatch`.
    func checkPredicates(_ answer: SubProofAnswer) throws(PresentationReason) {
        let proven = subProof.predicates.map(\.predicate)
        guard Set(proven).count == proven.count, Set(proven) == answer.predicates else { throw .predicateMismatch }
    }

    /// Rule 4: text, number and proof agree. Throws `valueMismatch`, `unavailable`.
    func checkValues(_ answer: SubProofAnswer) throws(PresentationReason) {
        let raw = answer.raw
        for value in answer.values {
            guard let proven = subProof.equality.revealed[value.view], value.encoded ?? proven == proven,
                raw[value.view]?.utf8.elementsEqual(value.raw.utf8) == true
            else { throw .valueMismatch }
        }
        for (view, text) in raw {
            guard try Encoding.number(of: text) == subProof.equality.revealed[view] else { throw .valueMismatch }
        }
    }

    /// Rule 3. Throws `responseOutOfRange`.
    func checkRanges() throws(PresentationReason) {
        guard ResponseRanges.allows(subProof, n: definition.primary.n) else { throw .responseOutOfRange }
    }

    /// Rule 5: a predicate is about the very number that stays hidden. Throws `predicateUnlinked`.
    func checkLinks() throws(PresentationReason) {
        for proof in subProof.predicates {
            guard let response = subProof.equality.m[proof.predicate.attribute], response == proof.mj else { throw .predicateUnlinked }
        }
    }

    /// Throws `deadlinePassed`, `proofInvalid`, `unavailable`.
    func taus(_ challenge: ProofNumber, _ deadline: Deadline) throws(PresentationReason) -> [[UInt8]] {
        try PrimaryTaus(key: definition.primary, challenge: challenge, deadline: deadline).octets(of: subProof)
    }

    /// Of the primary proof, in their order.
    var commitments: [[UInt8]] {
        [subProof.equality.aPrime.octets] + subProof.predicates.flatMap { $0.commitments.map(\.octets) }
    }
}
