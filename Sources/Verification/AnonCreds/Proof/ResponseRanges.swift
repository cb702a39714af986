/// Which numbers a sub-proof may have (anoncreds.md section 5, rule 3): what an honest prover never exceeds, and with which nothing else
/// can be proven than what is said.
enum ResponseRanges {
    static let e = 457
    static let v = 3061
    /// Of m_k and u_j.
    static let m = 594
    static let m2 = 2433
    /// Of r_j and r_Δ.
    static let r = 2386
    static let alpha = 2788
    static let challenge = 256
    /// Revealed values are in -2^31 ... 2^256 - 1.
    static let value = 256
    private static let least = ProofNumber(-1 << 31)

    static func allows(challenge: ProofNumber) -> Bool { challenge.isNatural(below: Self.challenge) }

    static func allows(_ proof: SubProof, n: ProofNumber) -> Bool {
        allows(proof.equality, n) && proof.predicates.allSatisfy { allows($0, n) }
    }

    private static func allows(_ proof: EqualityProof, _ n: ProofNumber) -> Bool {
        proof.e.isNatural(below: e) && proof.v.isNatural(below: v) && proof.m2.isNatural(below: m2)
            && proof.m.values.allSatisfy { $0.isNatural(below: m) } && proof.revealed.values.allSatisfy(allows(value:))
            && ProofNumber(1).isMagnitudeLess(than: proof.aPrime) && proof.aPrime.isMagnitudeLess(than: n)
    }

    private static func allows(value number: ProofNumber) -> Bool {
        number.isNegative ? !least.isMagnitudeLess(than: number) : number.isNatural(below: value)
    }

    private static func allows(_ proof: PredicateProof, _ n: ProofNumber) -> Bool {
        proof.u.allSatisfy { $0.isNatural(below: m) } && proof.r.allSatisfy { $0.isNatural(below: r) } && proof.rDelta.isNatural(below: r)
            && proof.alpha.isNatural(below: alpha)
            && proof.commitments.allSatisfy { ProofNumber.zero.isMagnitudeLess(than: $0) && $0.isMagnitudeLess(than: n) }
    }
}
