import AnonCreds
import JSON

/// One vector of AnonCreds: a gate's request, what its bundle has, and what a wallet presented.
package struct AnonCredsVector: Sendable {
    package let name: String
    package let verifier: AnonCredsVerifier
    package let request: PresentationRequest
    /// As it came, in either form.
    package let presentation: [UInt8]
    /// The gate's clock: seconds since 1970.
    package let now: Int64

    package init(_ vector: JSONValue, _ objects: AnonCredsObjects) throws(UnusableVector) {
        name = vector["name"]?.string ?? "?"
        do throws(ContextFault) { verifier = AnonCredsVerifier(context: try objects.context(of: vector)) } catch {
            throw UnusableVector(what: "context: \(error)")
        }
        guard let stated = vector["pres_req"]?.source else { throw UnusableVector(what: "no pres_req") }
        do throws(RequestFault) { request = try PresentationRequest(parsing: stated.span) } catch {
            throw UnusableVector(what: "request: \(error)")
        }
        guard let presentation = vector["presentation_text"]?.stringBytes ?? vector["presentation"]?.source else {
            throw UnusableVector(what: "no presentation")
        }
        self.presentation = presentation
        now = vector["at"]?.int64 ?? 0
    }

    /// What the gate says of this presentation, or of another in its place.
    package func verified(_ presentation: [UInt8]? = nil) throws(PresentationReason) -> VerifiedPresentation {
        let presentation = presentation ?? self.presentation
        return try verifier.verify(presentation.span, for: request, now: now)
    }
}
