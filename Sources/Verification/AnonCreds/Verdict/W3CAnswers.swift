/// Which credential of a W3C presentation answers which item: the gate finds that itself (anoncreds.md section 7).
struct W3CAnswers {
    private let subjects: [CredentialSubject]
    private let subProofs: [SubProof]
    private let request: PresentationRequest

    /// Throws `answerMismatch` where a credential says other than its sub-proof proves, says something that nobody asked for, or no
    /// credential says what was asked for.
    init(_ subjects: [CredentialSubject], _ subProofs: [SubProof], to request: PresentationRequest) throws(PresentationReason) {
        let names = Set(request.attributes.flatMap(\.views))
        for (subject, proof) in zip(subjects, subProofs) {
            guard Set(subject.values.keys) == Set(proof.equality.revealed.keys),
                subject.marks == Set(proof.predicates.map(\.predicate.attribute)), names.isSuperset(of: subject.values.keys)
            else { throw .answerMismatch }
        }
        for attribute in request.attributes {
            guard subjects.contains(where: { Self.reveals($0, attribute) }) else { throw .answerMismatch }
        }
        (self.subjects, self.subProofs, self.request) = (subjects, subProofs, request)
    }

    private static func reveals(_ subject: CredentialSubject, _ attribute: PresentationRequest.Attribute) -> Bool {
        attribute.views.allSatisfy { subject.values[$0] != nil }
    }

    /// What each sub-proof shows, before it is known which of it answers what.
    var shown: [SubProofAnswer] {
        zip(subjects, subProofs).map { subject, proof in
            var answer = SubProofAnswer()
            answer.values = subject.values.map { ($0.key, $0.value, nil) }
            answer.predicates = Set(proof.predicates.map(\.predicate))
            return answer
        }
    }

    /// Every item by the first credential that says what it asks for and meets its restrictions. Throws `restrictionUnmet`,
    /// `predicateMismatch` where a predicate was not asked for, or is not proven.
    func placed(_ credentials: [RestrictedCredential]) throws(PresentationReason) -> PresentationAnswers {
        var answers = PresentationAnswers(ofSubProofs: shown)
        func place(
            _ referent: String, _ places: [Int], _ restriction: Restriction?, _ interval: PresentationRequest.Interval?
        ) throws(PresentationReason) {
            guard let place = places.first(where: { index in restriction.map { $0.isMet(by: credentials[index]) } ?? true }) else {
                throw .restrictionUnmet
            }
            answers.places[ExactText(referent)] = place
            answers.ofSubProofs[place].add(restriction, interval)
        }
        let indexes = subjects.indices.filter { credentials.indices.contains($0) }
        for attribute in request.attributes {
            try place(
                attribute.referent, indexes.filter { Self.reveals(subjects[$0], attribute) }, attribute.restriction, attribute.interval)
        }
        let asked = Set(request.predicates.map(\.predicate))
        guard answers.ofSubProofs.allSatisfy({ asked.isSuperset(of: $0.predicates) }) else { throw .predicateMismatch }
        for item in request.predicates {
            let places = indexes.filter { answers.ofSubProofs[$0].predicates.contains(item.predicate) }
            guard !places.isEmpty else { throw .predicateMismatch }
            try place(item.referent, places, item.restriction, item.interval)
        }
        return answers
    }
}
