import Cryptography

/// What is hashed to the challenge (anoncreds.md section 4): all taus, then all commitments, then the nonce.
struct ProofTranscript {
    /// Of each sub-proof, those of non-revocation first.
    private(set) var revocationTaus: [[[UInt8]]] = [], taus: [[[UInt8]]] = []
    private(set) var revocationCommitments: [[[UInt8]]] = [], commitments: [[[UInt8]]] = []
    private let nonce: [UInt8]

    /// The commitments; taus come by `compute`.
    init(_ credentials: [KnownCredential], _ checks: [RevocationCheck], nonce: ProofNumber) {
        self.nonce = nonce.octets
        for (credential, check) in zip(credentials, checks) {
            revocationCommitments.append(check.due?.proof.commitments ?? [])
            commitments.append(credential.commitments)
        }
    }

    /// In the order of `c_list`.
    var allCommitments: [[UInt8]] { zip(revocationCommitments, commitments).flatMap { $0 + $1 } }

    /// The algebra, all of it. Throws `proofInvalid`, `deadlinePassed`, `unavailable`.
    mutating func compute(
        _ credentials: [KnownCredential], _ checks: [RevocationCheck], _ challenge: ProofNumber, _ deadline: Deadline
    ) throws(PresentationReason) {
        for (credential, check) in zip(credentials, checks) {
            taus.append(try credential.taus(challenge, deadline))
            guard let due = check.due else {
                revocationTaus.append([])
                continue
            }
            let taus = RevocationTaus(key: due.key, registry: due.registry, list: due.list, deadline: deadline)
            revocationTaus.append(try taus.octets(of: due.proof, challenge: challenge, m2: credential.subProof.equality.m2))
        }
    }

    /// c'. Throws `unavailable`.
    func challenge() throws(PresentationReason) -> ProofNumber {
        let parts = zip(revocationTaus, taus).flatMap { $0 + $1 } + allCommitments + [nonce]
        let digest = try available { () throws(CryptographyError) in
            var digest = try Digest(.sha256)
            for part in parts { try digest.update(part.span) }
            return try digest.finish()
        }
        return ProofNumber(magnitude: digest)
    }
}
