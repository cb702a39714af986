import AnonCreds
import JSON
import ProofVectors

/// One vector: what the gate says of it, and where that is not what the vector says.
struct VectorCheck {
    let name: String
    /// `accept`, or the reason.
    let outcome: String
    let differences: [String]
    /// Of the verification alone.
    let milliseconds: Double

    init(_ vector: JSONValue, _ objects: AnonCredsObjects) {
        name = vector["name"]?.string ?? "?"
        let clock = ContinuousClock()
        var begun = clock.now, ended = begun, claims: [String] = [], outcome: String
        do throws(UnusableVector) {
            let parts = try AnonCredsVector(vector, objects)
            begun = clock.now
            do throws(PresentationReason) {
                let verified = try parts.verified()
                ended = clock.now
                outcome = "accept"
                claims = Self.claims(verified)
            } catch {
                ended = clock.now
                outcome = error.rawValue
            }
        } catch {
            outcome = error.what
        }
        var differences: [String] = []
        let expected = vector["expect"]?.string ?? "?", reason = vector["reason"]?.string
        if (expected == "accept") != (outcome == "accept") || !["accept", "reject"].contains(expected) {
            differences.append("expected \(expected), found \(outcome)")
        } else if let reason, reason != outcome {
            differences.append("expected \(reason), found \(outcome)")
        }
        if outcome == "accept" {
            let wanted = ExpectedClaims.lines(vector, objects)
            if claims != wanted { differences.append("expected claims \(wanted), found \(claims)") }
        }
        self.outcome = outcome
        self.differences = differences
        let duration = begun.duration(to: ended).components
        milliseconds = (Double(duration.seconds) * 1e3 + Double(duration.attoseconds) / 1e15 * 10).rounded() / 10
    }

    private static func claims(_ verified: VerifiedPresentation) -> [String] {
        var lines: [String] = []
        for (index, credential) in verified.credentials.enumerated() {
            lines += credential.revealed.map { "\(index) \($0.name) = \($0.raw)" }
            lines += credential.predicates.map { "\(index) \($0.text)" }
        }
        lines += verified.selfAttested.map { "\($0.key) said \($0.value)" }
        return lines.sorted()
    }
}
