/// Why a proof, or what it covers, is not believed.
package enum LinkedProofError: Error, Hashable, Sendable, CaseIterable {
    // The document
    /// No object, no `@context`, or no `credentialSubject`.
    case documentMalformed
    case proofMissing
    /// A context that is not pinned: nothing is ever fetched.
    case contextUnknown
    /// No JSON-LD, for example a protected term that is defined again.
    case documentInvalid
    case tooComplex

    // The proof
    case proofMalformed
    /// A member this verifier gives no meaning to: an older signature, a chain of proofs that cannot have one, anything unknown.
    case memberRefused
    case typeRefused
    case cryptosuiteRefused
    case purposeRefused
    case createdMalformed
    case expired
    /// A proof's own `@context` where it must be absent, or is not the document's.
    case contextMismatch
    /// The graph of the proof options lacks something the proof says: the signature would not cover it.
    case optionsUncovered
    /// A proof says it was made after another, and that one is missing, unknown, not unmistakable, made after it, or not among what was signed.
    case previousProofRefused
    /// No key is known for any proof.
    case keyUnknown

    // The signature
    /// Neither `header..signature` nor base58btc with its `z`, or both at once, or the one the type does not have.
    case signatureMalformed
    /// Something between the dots: the payload of a detached JWS is the hash data and nothing else.
    case payloadNotDetached
    case headerMalformed
    /// Not exactly `"b64": false` and `"crit": ["b64"]` (RFC 7797).
    case criticalHeaderRefused
    /// `alg` is unknown or not one of the proof type's.
    case algorithmRefused
    /// The key is not of the kind the proof type asks for.
    case keyMismatch
    case signatureInvalid
    case digestUnavailable

    // What is covered
    /// Something under a member that decisions rest on makes no statement: not signed.
    case claimsUncovered
    /// The graph does not have exactly one credential.
    case credentialAmbiguous
}

extension LinkedProofError {
    /// The same refusal in the words of a verdict.
    var rejectReason: RejectReason {
        switch self {
        case .documentMalformed, .documentInvalid: .linkedDataInvalid
        case .proofMissing: .proofMissing
        case .contextUnknown: .contextUnknown
        // A digest that cannot be computed is a fault of the gate; the credential is refused all the same.
        case .tooComplex, .digestUnavailable: .tooComplex
        case .proofMalformed, .memberRefused, .createdMalformed, .contextMismatch, .optionsUncovered, .previousProofRefused, .signatureMalformed:
            .proofMalformed
        case .typeRefused, .cryptosuiteRefused: .proofTypeRefused
        case .purposeRefused: .proofPurposeRefused
        case .expired: .proofExpired
        case .payloadNotDetached: .payloadNotDetached
        case .headerMalformed: .headerMalformed
        case .criticalHeaderRefused: .criticalHeaderRefused
        case .algorithmRefused: .algorithmRefused
        case .keyUnknown: .keyUnknown
        case .keyMismatch: .keyMismatch
        case .signatureInvalid: .signatureInvalid
        case .claimsUncovered: .claimsUncovered
        case .credentialAmbiguous: .credentialAmbiguous
        }
    }
}
