import JSON

/// A JSON-LD credential (`ldp_vc`) from text to verdict.
struct LinkedVerification {
    let trust: TrustStore
    let memory: VerifierMemory
    var witness = Witness()
    /// Now, in seconds since 1970.
    let time: Seconds

    /// - Parameter text: the JSON object, octets.
    func verdict(_ text: [UInt8]) -> Verdict {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: text, limits: IssuerProof.limits)
        } catch {
            return .reject([error.rejectReason])
        }
        let rules = DataModelRules.faults(of: document.root).map(RejectReason.credentialRule)
        do throws(RejectReason) {
            let verdict = try judge(try IssuerProof(document.root, trust: trust, memory: memory, witness: witness, at: time))
            return rules.isEmpty ? verdict : .reject(verdict.reasons + rules)
        } catch {
            // Where a rule says what is missing, it says it better.
            let isPlain = [.linkedDataInvalid, .proofMissing, .issuerMissing].contains(error)
            return .reject(isPlain ? rules + [error] : [error] + rules)
        }
    }

    /// The credential is genuine; every reason against it is worth knowing.
    private func judge(_ proof: IssuerProof) throws(RejectReason) -> Verdict {
        let facts = proof.facts, issuer = proof.issuer
        witness.signer = facts.issuer
        (witness.types, witness.stated) = (facts.types, facts.status)
        let times = LinkedValidity(facts.dates, at: time, skew: issuer.skew)
        var reasons = times.faults
        var notes: Set<CredentialNote> = []
        // In the order of the trust file: statements have none, and the document's is the sender's choice.
        let specific = issuer.types.filter { !LinkedFacts.isBareType($0) }, bare = issuer.types.filter(LinkedFacts.isBareType)
        // A list is signed with the same key and is there for everybody to fetch: it is nobody's credential, whatever the trust file says.
        let type = facts.isStatusList ? nil : (specific + bare).first { trusted in facts.types.contains { $0.isExactly(trusted) } }
        if type == nil { reasons.append(.typeNotTrusted) }
        let status = StatusLookup(trust: trust, memory: memory, time: time).finding(facts.status, of: issuer)
        witness.status = status
        status.judge(issuer.status, &reasons, &notes)
        guard reasons.isEmpty, let type else { return .reject(reasons) }
        if proof.ignoredProofs > 0 { notes.insert(.proofsIgnored) }
        if times.validity.expires == nil { notes.insert(.neverExpires) }
        if times.isZoneAssumed { notes.insert(.timeZoneAssumed) }
        var uncovered = proof.verified.appendedContexts.map(UncoveredMember.init(appendedContext:))
        if case .statements(_, let coverage) = proof.verified.content {
            uncovered = coverage.uncovered.map(UncoveredMember.init)
            if !coverage.isTypeSigned { notes.insert(.typeNotSigned) }
        }
        let signature = ProofRecord(
            suite: proof.verified.proof.suite.name, algorithm: proof.verified.algorithm, options: ProofRecord.Options(proof.verified),
            languages: proof.verified.languages, created: proof.verified.proof.created?.seconds)
        return .accept(VerifiedCredential(
            issuer: facts.issuer, trust: issuer, form: .ldpVC, type: type, claims: facts.claims, validity: times.validity, keyID: proof.keyID,
            notes: notes, proof: signature, uncovered: uncovered, status: status))
    }
}
