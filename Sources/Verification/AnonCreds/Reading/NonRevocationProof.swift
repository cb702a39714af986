/// `non_revoc_proof` (anoncreds.md section 6): commitments, named as in `c_list`, and responses, as in `x_list`.
struct NonRevocationProof: Sendable {
    let e: G1Point, d: G1Point, a: G1Point, g: G1Point
    let w: G2Point, s: G2Point, u: G2Point
    let x: Responses

    struct Responses: Sendable {
        let rho: Scalar, r: Scalar, rPrime: Scalar, rPrime2: Scalar, rPrime3: Scalar
        let o: Scalar, oPrime: Scalar, m: Scalar, mPrime: Scalar, t: Scalar, tPrime: Scalar, s: Scalar, c: Scalar

        static let names = [
            "rho", "r", "r_prime", "r_prime_prime", "r_prime_prime_prime", "o", "o_prime", "m", "m_prime", "t", "t_prime", "s", "c",
        ]

        init(_ value: some ProofValue) throws(PresentationReason) {
            _ = try value.exactly(Self.names)
            func scalar(_ name: String) throws(PresentationReason) -> Scalar {
                guard let scalar = try value.require(name).scalar else { throw .presentationMalformed }
                return scalar
            }
            rho = try scalar("rho")
            r = try scalar("r")
            rPrime = try scalar("r_prime")
            rPrime2 = try scalar("r_prime_prime")
            rPrime3 = try scalar("r_prime_prime_prime")
            o = try scalar("o")
            oPrime = try scalar("o_prime")
            m = try scalar("m")
            mPrime = try scalar("m_prime")
            t = try scalar("t")
            tPrime = try scalar("t_prime")
            s = try scalar("s")
            c = try scalar("c")
        }
    }

    init(_ value: some ProofValue) throws(PresentationReason) {
        x = try Responses(value.require("x_list"))
        let points = try value.require("c_list").exactly(["e", "d", "a", "g", "w", "s", "u"])
        // On the curve first: the subgroup costs more.
        let first = points[..<4].compactMap { $0.g1 }
        guard first.count == 4 else { throw .presentationMalformed }
        let second = points[4...].compactMap { $0.g2 }
        guard second.count == 3 else { throw .presentationMalformed }
        (e, d, a, g) = (first[0], first[1], first[2], first[3])
        (w, s, u) = (second[0], second[1], second[2])
    }

    /// In the order in which they are hashed.
    var commitments: [[UInt8]] { [e, d, a, g].map { PointOctets.octets($0) } + [w, s, u].map { PointOctets.octets($0) } }
}
