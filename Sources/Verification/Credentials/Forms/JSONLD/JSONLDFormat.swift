import Envelopes
import JSON
import Trust

/// A JSON-LD credential (`ldp_vc`).
enum JSONLDFormat: CredentialFormat {
    /// - Parameter text: the JSON object, octets.
    static func open(_ text: [UInt8], _ context: VerificationContext) throws(Refusal) -> SignedCredential {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: text, limits: IssuerProof.limits)
        } catch {
            throw Refusal(reasons: [error.rejectReason])
        }
        let rules = DataModelRules.faults(of: document.root).map(RejectReason.credentialRule)
        do throws(RejectReason) {
            return signed(try IssuerProof(document.root, context), rules, context.witness)
        } catch {
            // Where a rule says what is missing, it says it better.
            let isPlain = [.linkedDataInvalid, .proofMissing, .issuerMissing].contains(error)
            throw Refusal(reasons: isPlain ? rules + [error] : [error] + rules)
        }
    }

    private static func signed(_ proof: IssuerProof, _ rules: [RejectReason], _ witness: Witness) -> SignedCredential {
        let facts = proof.facts, verified = proof.verified
        witness.signer = facts.issuer
        (witness.types, witness.stated) = (facts.types, facts.status)
        var signed = SignedCredential(
            form: .ldpVC, issuer: proof.issuer, iss: facts.issuer, key: .pinned(proof.keyID),
            // A list is signed with the same key and is there for everybody to fetch: it is nobody's credential, whatever the trust file
            // says.
            types: facts.isStatusList ? [] : facts.types, times: StatedTimes(facts.dates), status: facts.status, claims: facts.claims,
            faults: rules)
        if proof.ignoredProofs > 0 { signed.notes.insert(.proofsIgnored) }
        signed.uncovered = verified.appendedContexts.map(UncoveredMember.init(appendedContext:))
        if case .statements(_, let coverage) = verified.content {
            signed.uncovered = coverage.uncovered.map(UncoveredMember.init)
            if !coverage.isTypeSigned { signed.notes.insert(.typeNotSigned) }
        }
        signed.proof = ProofRecord(
            suite: verified.proof.suite.name, algorithm: verified.algorithm, options: ProofRecord.Options(verified),
            languages: verified.languages, created: verified.proof.created?.seconds)
        return signed
    }
}
