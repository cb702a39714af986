import Cryptography

/// T and τ of a sub-proof, computed from its responses (anoncreds.md section 4).
struct PrimaryTaus {
    /// E: by how many bits the exponent of the signature was moved.
    static let exponentShift = 596

    private let key: PrimaryKey
    private let challenge: ProofNumber
    private let deadline: Deadline

    init(key: PrimaryKey, challenge: ProofNumber, deadline: Deadline) {
        self.key = key
        self.challenge = challenge
        self.deadline = deadline
    }

    /// be() of T, then of τ_0 … τ_5 of each predicate. Throws `proofInvalid` where a number has no inverse, `deadlinePassed`,
    /// `unavailable`.
    func octets(of proof: SubProof) throws(PresentationReason) -> [[UInt8]] {
        var taus = [try octets(equality(proof.equality))]
        for predicate in proof.predicates {
            for tau in try self.predicate(predicate) { taus.append(try octets(tau)) }
        }
        return taus
    }

    private func octets(_ tau: Residue) throws(PresentationReason) -> [UInt8] {
        let modulus = key.modulus
        return try available { () throws(CryptographyError) in try modulus.octets(of: tau) }
    }

    /// T = A'^(e + c·2^E) · S^v · Rctxt^m2 · Π R_k^(m_k) · Π R_k^(c·value_k) · Z^-c
    private func equality(_ proof: EqualityProof) throws(PresentationReason) -> Residue {
        var powers = [
            Power(try residue(proof.aPrime), try Self.exponent(of: proof, challenge)), Power(key.s, proof.v.octets),
            Power(key.rctxt, proof.m2.octets), Power(key.zInverse, challenge.octets),
        ]
        for (view, response) in proof.m { powers.append(Power(try base(view), response.octets)) }
        for (view, value) in proof.revealed {
            let base = try base(view), challenge = challenge
            let exponent = try available { () throws(CryptographyError) in try challenge.number().times(value.number()).octets }
            powers.append(Power(value.isNegative ? try inverse(base) : base, exponent))
        }
        return try product(powers)
    }

    /// e + c·2^E. Throws `unavailable`.
    static func exponent(of proof: EqualityProof, _ challenge: ProofNumber) throws(PresentationReason) -> [UInt8] {
        try available { () throws(CryptographyError) in
            let moved = try challenge.number().shifted(left: exponentShift)
            return try proof.e.number().plus(moved).octets
        }
    }

    private func residue(_ number: ProofNumber) throws(PresentationReason) -> Residue {
        let modulus = key.modulus
        return try available { () throws(CryptographyError) in try modulus.residue(number.octets.span) }
    }

    private func base(_ view: ExactText) throws(PresentationReason) -> Residue {
        // Keys were compared before; there is no other way here.
        guard let base = key.r[view] else { throw .presentationMalformed }
        return base
    }

    private func inverse(_ base: Residue) throws(PresentationReason) -> Residue {
        guard let inverse = try inverses([base]).first else { throw .proofInvalid }
        return inverse
    }

    private func inverses(_ bases: [Residue]) throws(PresentationReason) -> [Residue] {
        let modulus = key.modulus
        guard let inverses = try available({ () throws(CryptographyError) in try modulus.inverses(of: bases) }),
            inverses.count == bases.count
        else { throw .proofInvalid }
        return inverses
    }

    /// τ_0 … τ_5.
    private func predicate(_ proof: PredicateProof) throws(PresentationReason) -> [Residue] {
        var bases: [Residue] = []
        for t in proof.commitments { bases.append(try residue(t)) }
        // One inversion for all five.
        let inverses = try inverses(bases)
        var taus: [Residue] = [], last = [Power(key.s, proof.alpha.octets), Power(inverses[4], challenge.octets)]
        for (index, (u, r)) in zip(proof.u, proof.r).enumerated() {
            taus.append(
                try product([Power(key.z, u.octets), Power(key.s, r.octets), Power(inverses[index], challenge.octets)]))
            last.append(Power(bases[index], u.octets))
        }
        taus.append(try difference(proof, tDelta: bases[4], inverse: inverses[4]))
        taus.append(try product(last))
        return taus
    }

    /// τ_4 = Z^(mj - c·δ') · S^(σ·r_Δ) · T_Δ^(-σ·c)
    private func difference(_ proof: PredicateProof, tDelta: Residue, inverse: Residue) throws(PresentationReason) -> Residue {
        let challenge = challenge, bound = proof.predicate.bound
        let exponent = try available { () throws(CryptographyError) in
            let moved = try challenge.number().times(BigNumber(bound))
            let difference = try proof.mj.number().minus(moved)
            return ProofNumber(magnitude: difference.octets, isNegative: difference.isNegative)
        }
        let base = Power(exponent.isNegative ? key.zInverse : key.z, exponent.octets)
        if proof.predicate.relation.isUpward {
            return try product([base, Power(key.s, proof.rDelta.octets), Power(inverse, challenge.octets)])
        }
        // S^-r is the inverse of a power, as no inverse of S is kept.
        let mask = try self.inverse(product([Power(key.s, proof.rDelta.octets)]))
        return try times(product([base, Power(tDelta, challenge.octets)]), mask)
    }

    private func times(_ left: Residue, _ right: Residue) throws(PresentationReason) -> Residue {
        let modulus = key.modulus
        return try available { () throws(CryptographyError) in try modulus.product(left, right) }
    }

    /// In parts that are bounded: the deadline is asked before each.
    private func product(_ powers: [Power]) throws(PresentationReason) -> Residue {
        let modulus = key.modulus
        var result: Residue?
        for start in stride(from: 0, to: powers.count, by: Modulus.mostFactors) {
            try deadline.check()
            let factors = Array(powers[start..<min(start + Modulus.mostFactors, powers.count)])
            let part = try available { () throws(CryptographyError) in try modulus.product(factors) }
            if let before = result { result = try times(before, part) } else { result = part }
        }
        guard let result else { throw .proofInvalid }
        return result
    }

    /// Bits of all exponents of a sub-proof, which is what it costs (anoncreds.md section 12).
    static func exponentBits(of proof: SubProof, _ challenge: ProofNumber) -> Int {
        let equality = proof.equality, c = challenge.bitCount
        var bits = c + exponentShift + equality.v.bitCount + equality.m2.bitCount + c
        for response in equality.m.values { bits += response.bitCount }
        for value in equality.revealed.values { bits += c + value.bitCount }
        for predicate in proof.predicates {
            let squares = predicate.u.reduce(0) { $0 + $1.bitCount }
            // u_j are exponents of Z in τ_j and of T_j in τ_5.
            bits += 2 * squares + predicate.r.reduce(0) { $0 + $1.bitCount } + 6 * c
            bits += max(predicate.mj.bitCount, c + 32) + predicate.rDelta.bitCount + predicate.alpha.bitCount
        }
        return bits
    }
}
