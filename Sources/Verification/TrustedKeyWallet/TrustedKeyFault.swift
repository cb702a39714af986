/// Why an answer is not believed (trustedkey.md section 8): the first step of section 3 that fails names it. The raw values are codes that
/// a user can see.
public enum TrustedKeyFault: String, Error, Hashable, Sendable, CaseIterable {
    // Steps 1 and 2
    /// Too long, parameters that nobody knows or that are there twice, text or certificates that cannot be read, no token.
    case answerMalformed = "answer-malformed"
    /// Another address than the one that was asked for, or with other parameters of ours.
    case callbackMismatch = "callback-mismatch"
    /// It answers another request.
    case nonceMismatch = "nonce-mismatch"
    /// The holder, or the wallet, did not want to.
    case declined

    // Steps 3 to 6
    /// Not the form or not the algorithm that a token has, or no key on its curve.
    case tokenMalformed = "token-malformed"
    case tokenSignature = "token-signature"
    /// The token is for somebody else.
    case audienceMismatch = "audience-mismatch"
    case tokenExpired = "token-expired"
    /// Issued too long ago or in the future, or good for too long; or its times are no integers.
    case tokenTime = "token-time"

    // Steps 7 and 8
    /// The holder's key, a claim or an issuer of it is on the list.
    case revoked
    /// A claim of another key than the token's.
    case claimKeyMismatch = "claim-key-mismatch"
    case claimNotYetValid = "claim-not-yet-valid"
    case claimExpired = "claim-expired"
    /// No path to a pinned root, or a critical extension that is not understood.
    case claimUntrusted = "claim-untrusted"

    // Step 9
    case objectMissing = "object-missing"
    /// Two values where there may be one.
    case claimAmbiguous = "claim-ambiguous"
    /// It is an address to fetch the value from, which cannot be done offline.
    case objectRefused = "object-refused"
}
