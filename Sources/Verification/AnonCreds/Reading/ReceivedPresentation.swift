import JSON

/// A presentation that was read: every shape, integer and point is what it should be, and nothing in it is believed.
struct ReceivedPresentation: Sendable {
    let subProofs: [SubProof]
    /// Of each sub-proof.
    let identifiers: [CredentialIdentifier]
    let aggregated: AggregatedProof
    let form: Form

    enum Form: Sendable {
        case classic(RequestedProof)
        /// What each credential says of itself.
        case w3c([CredentialSubject])
    }

    /// - Parameters:
    ///   - octets: the presentation. Both forms are JSON objects, told apart by their members.
    ///   - nonce: of the request, which the W3C form repeats.
    ///
    /// Throws the reasons of the first step of anoncreds.md section 11.
    init(_ octets: Span<UInt8>, nonce: String) throws(PresentationReason) {
        guard octets.count <= Limits.message else { throw .messageTooLarge }
        guard let document = try? JSONDocument(parsing: octets, limits: Limits.json), let members = document.root.members else {
            throw .presentationMalformed
        }
        if members.contains(where: { $0.name == "verifiableCredential" }) {
            self = try W3CPresentation.read(document.root, nonce: nonce)
        } else {
            self = try Self.classic(ClassicValue(document.root))
        }
    }

    /// Throws `presentationMalformed` where there are more sub-proofs or predicates than there may be, or not one identifier for each.
    init(
        subProofs: [SubProof], identifiers: [CredentialIdentifier], aggregated: AggregatedProof, form: Form
    ) throws(PresentationReason) {
        guard 1...Limits.subProofs ~= subProofs.count, subProofs.count == identifiers.count,
            subProofs.reduce(0, { $0 + $1.predicates.count }) <= Limits.predicates
        else { throw .presentationMalformed }
        self.subProofs = subProofs
        self.identifiers = identifiers
        self.aggregated = aggregated
        self.form = form
    }

    private static func classic(_ value: ClassicValue) throws(PresentationReason) -> ReceivedPresentation {
        let proof = try value.require("proof")
        guard let proofs = try proof.require("proofs").items, 1...Limits.subProofs ~= proofs.count,
            let stated = try value.require("identifiers").items, stated.count == proofs.count
        else { throw .presentationMalformed }
        let answers = try RequestedProof(value.require("requested_proof"), subProofs: proofs.count)
        var identifiers: [CredentialIdentifier] = [], subProofs: [SubProof] = []
        for each in stated { identifiers.append(try CredentialIdentifier(each)) }
        let aggregated = try AggregatedProof(proof.require("aggregated_proof"))
        for each in proofs { subProofs.append(try SubProof(each)) }
        return try ReceivedPresentation(
            subProofs: subProofs, identifiers: identifiers, aggregated: aggregated, form: .classic(answers))
    }
}
