/// Whether `requested_proof` answers exactly what was asked for (anoncreds.md section 9).
enum ClassicAnswers {
    /// Throws `answerMismatch`, `selfAttestedRefused`.
    static func read(
        _ proof: RequestedProof, to request: PresentationRequest, subProofs: Int
    ) throws(PresentationReason) -> PresentationAnswers {
        var answers = PresentationAnswers(ofSubProofs: Array(repeating: SubProofAnswer(), count: subProofs))
        let stated = Array(proof.revealed.keys) + Array(proof.groups.keys) + Array(proof.unrevealed.keys) + Array(proof.selfAttested.keys)
        // Disjoint and together exactly what was asked for.
        guard Set(stated).count == stated.count, Set(stated) == Set(request.attributes.map { ExactText($0.referent) }),
            Set(proof.predicates.keys) == Set(request.predicates.map { ExactText($0.referent) })
        else { throw .answerMismatch }
        for attribute in request.attributes { try answer(attribute, proof, &answers) }
        for item in request.predicates {
            guard let index = proof.predicates[ExactText(item.referent)], answers.ofSubProofs.indices.contains(index) else {
                throw .answerMismatch
            }
            answers.places[ExactText(item.referent)] = index
            answers.ofSubProofs[index].predicates.insert(item.predicate)
            answers.ofSubProofs[index].add(item.restriction, item.interval)
        }
        return answers
    }

    private static func answer(
        _ attribute: PresentationRequest.Attribute, _ proof: RequestedProof, _ answers: inout PresentationAnswers
    ) throws(PresentationReason) {
        let referent = ExactText(attribute.referent), views = attribute.views, place: Int
        if let text = proof.selfAttested[referent] {
            guard !attribute.isGroup else { throw .answerMismatch }
            guard attribute.restriction == nil else { throw .selfAttestedRefused }
            answers.selfAttested[referent] = text
            return
        }
        var values: [(view: ExactText, raw: String, encoded: ProofNumber?)] = [], unrevealed: [ExactText] = []
        if let single = proof.revealed[referent] {
            guard !attribute.isGroup, let view = views.first else { throw .answerMismatch }
            place = single.index
            values = [(view, single.value.raw, single.value.encoded)]
        } else if let group = proof.groups[referent] {
            values = group.values.map { (ExactText.view($0.name), $0.value.raw, $0.value.encoded) }
            guard attribute.isGroup, values.count == views.count, Set(values.map(\.view)) == Set(views) else { throw .answerMismatch }
            place = group.index
        } else if let index = proof.unrevealed[referent] {
            guard !attribute.isGroup else { throw .answerMismatch }
            place = index
            unrevealed = views
        } else {
            throw .answerMismatch
        }
        guard answers.ofSubProofs.indices.contains(place) else { throw .answerMismatch }
        answers.places[referent] = place
        answers.ofSubProofs[place].values += values
        answers.ofSubProofs[place].unrevealed += unrevealed
        answers.ofSubProofs[place].add(attribute.restriction, attribute.interval)
    }
}
