import Cryptography

/// t1 … t8 of a proof of non-revocation (anoncreds.md section 6), with the powers by C taken inside the pairings: e(P, Q)^C is e(C·P, Q),
/// and pairings with one point of G2 are one. That leaves eleven Miller loops, four final exponentiations and one power in GT.
struct RevocationTaus {
    private let key: RevocationKey
    private let accumulator: G2Point
    private let z: Fp12
    private let deadline: Deadline

    init(key: RevocationKey, registry: RevocationRegistry, list: RevocationStatusList, deadline: Deadline) {
        self.key = key
        accumulator = list.accumulator
        z = registry.z
        self.deadline = deadline
    }

    private typealias Term = (scalar: Scalar, point: CurvePoint<Fp>)

    /// As they are hashed. - Parameter m2: of the same sub-proof's `eq_proof`. Throws `deadlinePassed`, `unavailable`.
    func octets(of proof: NonRevocationProof, challenge: ProofNumber, m2: ProofNumber) throws(PresentationReason) -> [[UInt8]] {
        let c = -(try Self.reduced(challenge)), m2 = try Self.reduced(m2), x = proof.x
        let g = CurvePoint(key.g), hTilde = CurvePoint(key.hTilde), a = CurvePoint(proof.a), commitment = CurvePoint(proof.g)
        let masked: Term = (x.r, hTilde), back: Term = (c, -g)

        let t1 = CurvePoint.sum([(c, CurvePoint(proof.e)), (x.rho, CurvePoint(key.h)), (x.o, hTilde)])
        let t2 = CurvePoint.sum([(x.c, CurvePoint(proof.e)), (x.m, -CurvePoint(key.h)), (x.t, -hTilde)])
        try deadline.check()
        let t3 = Pairing.product([
            (
                CurvePoint.sum([
                    (c, CurvePoint(key.h0) + commitment), (x.c, a), (x.r - x.m, hTilde), (m2, -CurvePoint(key.h1)),
                    (x.s, -CurvePoint(key.h2)),
                ]), key.hCap
            ),
            (CurvePoint.sum([(c, -a), (x.rho, -hTilde)]), key.y),
        ])
        try deadline.check()
        let t4 = Pairing.product([
            (CurvePoint.sum([(c, commitment), masked]), accumulator), (CurvePoint.sum([back]), proof.w),
            (CurvePoint.sum([(x.rPrime, -g)]), key.hCap),
        ])
        try deadline.check()
        let t5 = CurvePoint.sum([(c, CurvePoint(proof.d)), (x.r, g), (x.oPrime, hTilde)])
        let t6 = CurvePoint.sum([(x.rPrime2, CurvePoint(proof.d)), (x.mPrime, -g), (x.tPrime, -hTilde)])
        let signed = CurvePoint(key.pk) + commitment
        let t7 = Pairing.product([
            (CurvePoint.sum([(c, signed), masked]), proof.s), (CurvePoint.sum([back]), key.gDash),
            (CurvePoint.sum([(x.rPrime2, signed), (x.mPrime, -hTilde)]), key.hCap),
        ])
        try deadline.check()
        let t8 = Pairing.product([
            (CurvePoint.sum([(c, commitment), masked]), key.u), (CurvePoint.sum([back]), proof.u),
            (CurvePoint.sum([(x.rPrime3, -g)]), key.hCap),
        ])
        // z⁻¹ is the conjugate, as z has order r.
        let t4z = t4 * z.conjugate.cyclotomicPower(c.limbs)
        return [
            PointOctets.octets(t1), PointOctets.octets(t2), PointOctets.octets(t3), PointOctets.octets(t4z), PointOctets.octets(t5),
            PointOctets.octets(t6), PointOctets.octets(t7), PointOctets.octets(t8),
        ]
    }

    /// Modulo r. Throws `unavailable`.
    private static func reduced(_ value: ProofNumber) throws(PresentationReason) -> Scalar {
        let order = Scalar.orderOctets
        let octets = try available { () throws(CryptographyError) in try value.number().modulo(BigNumber(octets: order.span)).octets }
        guard let scalar = Limbs(bigEndian: octets.span).flatMap({ Scalar($0) }) else { throw .unavailable }
        return scalar
    }
}
