/// What one sub-proof is asked to show, whichever form the presentation has.
struct SubProofAnswer {
    /// Of every referent it answers by a value. W3C presentations do not repeat the number.
    var values: [(view: ExactText, raw: String, encoded: ProofNumber?)] = []
    /// Views that are said to exist, and no more.
    var unrevealed: [ExactText] = []
    var predicates: Set<Predicate> = []
    var restrictions: [Restriction] = []
    var intervals: [PresentationRequest.Interval] = []

    var revealed: Set<ExactText> { Set(values.map(\.view)) }

    /// The first raw value of each view.
    var raw: [ExactText: String] { Dictionary(values.map { ($0.view, $0.raw) }, uniquingKeysWith: { first, _ in first }) }

    mutating func add(_ restriction: Restriction?, _ interval: PresentationRequest.Interval?) {
        if let restriction { restrictions.append(restriction) }
        if let interval { intervals.append(interval) }
    }
}

/// All answers of a presentation.
struct PresentationAnswers {
    var ofSubProofs: [SubProofAnswer]
    /// Which sub-proof answers a referent.
    var places: [ExactText: Int] = [:]
    var selfAttested: [ExactText: String] = [:]
}
