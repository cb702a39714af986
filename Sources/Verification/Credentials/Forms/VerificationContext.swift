import Envelopes
import Trust

/// What a form is verified against: whom the gate believes, what it learned, when it is, and what it asked for.
struct VerificationContext {
    let trust: TrustStore
    let proofs: ProofMemory
    /// Now, in seconds since 1970.
    let time: Seconds
    /// The board's clock is behind a time that has passed, and the trust bundle says to judge all the same.
    var isClockUnsure = false
    /// What this gate asked the holder to sign along; nil where the way here has no place for it, as in Tuvali.
    var challenge: Challenge?
    /// It was in a code held before the camera.
    var isFromCode = false
    var witness = Witness()

    init(trust: TrustStore, proofs: ProofMemory? = nil, time: Seconds) {
        self.trust = trust
        self.proofs = proofs ?? ProofMemory(trust)
        self.time = time
    }
}

/// What makes a holder's signature one over this visit, and no recording of another.
public struct Challenge: Hashable, Sendable {
    public let nonce: String
    /// What the holder has to call this gate.
    public let audience: String

    public init(nonce: String, audience: String) {
        self.nonce = nonce
        self.audience = audience
    }
}

/// What a verifier learned about pinned contexts. A verdict is the same with and without it; it only comes sooner.
final class ProofMemory {
    var verification: LinkedProofVerification

    init(_ trust: TrustStore) { verification = LinkedProofVerification(contexts: trust.contexts) }
}

/// What only the inside of a verification knows, noted on the way to its end.
final class Witness {
    var signer: String?
    /// The signed types: IRIs, where the document has other names for them.
    var types: [String] = []
    /// Where the status is kept, as signed; nil where that was not come to.
    var stated: [StatedStatus]?
    var proofError: LinkedProofError?
}
