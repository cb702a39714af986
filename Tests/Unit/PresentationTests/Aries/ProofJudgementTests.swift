import Envelopes
import Testing

@testable import AnonCreds
@testable import Presentation
@testable import Trust

/// What is made of what a presentation proves, on the day of the verdict and of whose credential.
@Suite("A proof is judged") struct ProofJudgementTests {
    private typealias Shown = VerifiedPresentation.Credential

    private func shown(
        _ definition: String = ProofSamples.resident, revealed: [(String, String)] = [], proven: [(String, String, Int32)] = []
    ) -> Shown {
        Shown(
            issuerID: "did:web:town.example", schemaID: "schema", schemaName: "resident", schemaVersion: "1.2", definitionID: definition,
            revealed: revealed.map { .init(name: $0.0, raw: $0.1) },
            predicates: proven.map { .init(attribute: $0.0, relation: $0.1, value: $0.2) }, revocation: .cannotBeRevoked)
    }

    private func finding(
        _ credentials: [Shown], _ belief: AnonCredsBelief, _ wishes: ProofWishes = ProofWishes(),
        demands: [ProofWishes.Predicate] = [], needsPortrait: Bool = false, at now: Seconds = ProofSamples.now
    ) -> ProofFinding {
        ProofJudgement(wishes: wishes, demands: demands, belief: belief, needsPortrait: needsPortrait, now: now)
            .finding(VerifiedPresentation(credentials: credentials, places: [:], selfAttested: [:], notes: []))
    }

    private func reason(_ finding: ProofFinding) -> ProofReason? { if case .reject(let reason, _) = finding { reason } else { nil } }

    private func portrait(_ finding: ProofFinding) -> String? { if case .accept(let proven) = finding { proven.portrait } else { nil } }

    // MARK: the day

    /// 2026-09-26 at 00:00 UTC.
    private static let midnight: Seconds = 1_790_380_800

    @Test("an age that was proven by another day holds where it is enough on the day of the verdict")
    func ages() throws {
        let belief = try ProofSamples.belief()
        var wishes = ProofDesk.adult
        func found(_ value: Int32, at now: Seconds) -> ProofReason? {
            reason(
                finding(
                    [shown(proven: [("birth_date", "<=", value)])], belief, wishes, demands: [.init("birth_date", .atMost, value)], at: now)
            )
        }
        #expect(found(20_080_926, at: Self.midnight) == nil && found(20_080_925, at: Self.midnight) == nil)
        #expect(found(20_080_926, at: Self.midnight - 1) == .dayPassed && found(20_080_927, at: Self.midnight) == .dayPassed)
        // By the site's own day.
        wishes.zone = 3600
        #expect(found(20_080_926, at: Self.midnight - 3600) == nil && found(20_080_926, at: Self.midnight - 3601) == .dayPassed)
        #expect(found(20_080_926, at: .max) == .dayPassed)
        // A year that is asked for now, and was not then.
        wishes.leastAge = 19
        #expect(found(20_080_926, at: Self.midnight) == .dayPassed && found(20_070_926, at: Self.midnight) == nil)
    }

    @Test("a credential that was proven not to have ended by yesterday may end today")
    func expiries() throws {
        let belief = try ProofSamples.belief([ProofSamples.definition(expiry: "Years")])
        func found(_ relation: ProofWishes.Predicate.Relation = .atLeast, _ values: Int32..., at now: Seconds) -> ProofReason? {
            reason(
                finding(
                    [shown(proven: values.map { ("years", relation.rawValue, $0) })], belief,
                    demands: values.map { .init("Years", relation, $0) }, at: now))
        }
        #expect(found(.atLeast, 20_260_926, at: Self.midnight) == nil && found(.atLeast, 20_260_927, at: Self.midnight) == nil)
        #expect(found(.atLeast, 20_260_925, at: Self.midnight) == .dayPassed && found(.atLeast, 20_260_925, at: Self.midnight - 1) == nil)
        // What a site asks besides, of the same attribute, is enough only where it is enough.
        #expect(found(.atLeast, 20_200_101, 20_260_926, at: Self.midnight) == nil)
        #expect(found(.atLeast, 20_200_101, 20_250_926, at: Self.midnight) == .dayPassed)
        #expect(found(.more, 20_260_926, at: Self.midnight) == .claimMissing("Years"))
        #expect(found(.atMost, 20_270_926, at: Self.midnight) == .claimMissing("Years"))
    }

    @Test("a visit that is refused for its day was no stranger's, and its wallet may ask again")
    func dayPassed() {
        #expect(ProofReason.dayPassed.code == "day-passed" && ProofReason.dayPassed.isOfGenuineCredential)
        #expect(ProofReason.dayPassed.problem == .expired && ProofReason.dayPassed.detail == nil)
    }

    // MARK: whose credential

    @Test("a portrait is that of the definition which says so, and of no other attribute and no other credential")
    func portraits() throws {
        let other = ProofSamples.definition(ProofSamples.permit, types: ["permit"], roles: [.portrait: "photo"])
        let belief = try ProofSamples.belief([ProofSamples.definition(), other])
        func found(_ credentials: Shown...) -> ProofFinding { finding(credentials, belief, needsPortrait: true) }
        #expect(portrait(found(shown(revealed: [("portrait", "/9j/own")]))) == "/9j/own")
        // The other definition's name for it means nothing here.
        #expect(reason(found(shown(revealed: [("photo", "/9j/other")]))) == .claimMissing("portrait"))
        #expect(portrait(found(shown(revealed: [("photo", "/9j/other"), ("portrait", "/9j/own")]))) == "/9j/own")
        #expect(portrait(found(shown(ProofSamples.permit, revealed: [("portrait", "/9j/own"), ("photo", "/9j/other")]))) == "/9j/other")
        // One that vouches for the rest, and another for the face.
        #expect(reason(found(shown(), shown(ProofSamples.permit, revealed: [("photo", "/9j/other")]))) == .severalCredentials)
        #expect(reason(found(shown("another", revealed: [("portrait", "/9j/own")]))) == .typeNotTrusted)
    }

    @Test("what another definition has to show decides nothing")
    func requirements() throws {
        let strict = ProofSamples.definition(roles: [.fullName: "Full Name"], requires: [.fullName])
        let belief = try ProofSamples.belief([strict, ProofSamples.definition(ProofSamples.permit, roles: [:])])
        #expect(reason(finding([shown(revealed: [("Full Name", "")])], belief)) == .claimMissing("Full Name"))
        #expect(reason(finding([shown(revealed: [("Full Name", "Noor")])], belief)) == nil)
        #expect(reason(finding([shown(ProofSamples.permit, revealed: [("Full Name", "")])], belief)) == nil)
    }
}
