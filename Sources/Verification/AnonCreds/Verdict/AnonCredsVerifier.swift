/// Verifies a presentation: whether it answers the request, with credentials whose issuers the gate knows, by a proof that holds
/// (anoncreds.md sections 5 to 8).
public struct AnonCredsVerifier: Sendable {
    public let context: AnonCredsContext

    public init(context: AnonCredsContext) { self.context = context }

    /// What a presentation proves.
    ///
    /// Everything before the algebra costs a few milliseconds. Memory is bounded by the limits of anoncreds.md section 12.
    ///
    /// - Parameters:
    ///   - presentation: as it came, in either form.
    ///   - request: what was asked for in this visit; its nonce must never have been used before.
    ///   - now: seconds since 1970.
    ///   - hasEnded: whether the visit is over; asked between two products of powers and between two pairings.
    ///
    /// Throws the first reason against it in the order of section 11.
    public func verify(
        _ presentation: Span<UInt8>, for request: PresentationRequest, now: Int64, hasEnded: @escaping () -> Bool = { false }
    ) throws(PresentationReason) -> VerifiedPresentation {
        let examination = try PresentationExamination(presentation, request, context, now: now)
        try examination.checkAlgebra(Deadline(hasPassed: hasEnded))
        return examination.result
    }
}
