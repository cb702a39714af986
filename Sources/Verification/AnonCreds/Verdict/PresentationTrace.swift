/// Every value on the way to a presentation's challenge, for programs of ours that compare it with what others computed.
package struct PresentationTrace {
    package struct SubProofTrace {
        package let revocationTaus: [[UInt8]], taus: [[UInt8]]
        package let revocationCommitments: [[UInt8]], commitments: [[UInt8]]
        /// e + c·2^596.
        package let exponent: [UInt8]
    }

    package let subProofs: [SubProofTrace]
    package let nonce: [UInt8]
    package let given: [UInt8], computed: [UInt8]
}

extension AnonCredsVerifier {
    /// The values of a presentation that passes everything before the algebra. Throws what `verify` throws.
    package func trace(
        _ presentation: Span<UInt8>, for request: PresentationRequest, now: Int64
    ) throws(PresentationReason) -> PresentationTrace {
        try PresentationExamination(presentation, request, context, now: now).trace()
    }
}

extension PresentationExamination {
    func trace() throws(PresentationReason) -> PresentationTrace {
        var transcript = ProofTranscript(credentials, checks, nonce: request.nonceNumber)
        let challenge = received.aggregated.challenge
        try transcript.compute(credentials, checks, challenge, Deadline(hasPassed: { false }))
        var subProofs: [PresentationTrace.SubProofTrace] = []
        for (index, credential) in credentials.enumerated() {
            subProofs.append(
                PresentationTrace.SubProofTrace(
                    revocationTaus: transcript.revocationTaus[index], taus: transcript.taus[index],
                    revocationCommitments: transcript.revocationCommitments[index], commitments: transcript.commitments[index],
                    exponent: try PrimaryTaus.exponent(of: credential.subProof.equality, challenge)))
        }
        return PresentationTrace(
            subProofs: subProofs, nonce: request.nonceNumber.octets, given: challenge.octets, computed: try transcript.challenge().octets)
    }
}

/// The numbers of texts, likewise.
package enum AttributeEncoding {
    /// Whether a decimal text is the number of an attribute's raw text (anoncreds.md section 3).
    package static func isNumber(_ decimal: String, of raw: String) -> Bool {
        guard let expected = try? ProofNumber(text: Array(decimal.utf8), signed: true) else { return false }
        return (try? Encoding.number(of: raw)) == expected
    }
}
