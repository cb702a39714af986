import Cryptography
import JSON
import Testing

@testable import Credentials
@testable import Trust

/// What a genuine credential is refused for, and in which order: one table. The judge does not look at the form; that each form comes to it
/// is the verdict tests' part.
@Suite struct ReasonOrderTests {
    private static let now = TestCredential.now

    /// Something wrong with a credential.
    private struct Fault: Sendable {
        let reason: RejectReason
        let make: @Sendable (inout Draft) -> Void
    }

    private struct Draft {
        var validity = (notBefore: now, expires: now + 1, issuedAt: now)
        var isMalformed = false
        var audience: [String]?
        var types = [TestCredential.vct]
        var status: [StatedStatus] = []
        var faults: [RejectReason] = []
    }

    /// The order is this table's.
    private static let order = [
        Fault(reason: .timeMalformed) { $0.isMalformed = true },
        Fault(reason: .expired) { $0.validity.expires = now },
        Fault(reason: .notYetValid) { $0.validity.notBefore = now + 1000 },
        Fault(reason: .issuedInFuture) { $0.validity.issuedAt = now + 1000 },
        Fault(reason: .audienceMismatch) { $0.audience = ["https://other.example"] },
        Fault(reason: .typeNotTrusted) { $0.types = ["urn:example:other"] },
        Fault(reason: .statusUnknown) { $0.status = [.unreadable] },
        Fault(reason: .credentialRule(.missing(.type))) { $0.faults = [.credentialRule(.missing(.type))] },
    ]

    private func reasons(_ faults: [Fault]) throws -> [RejectReason] {
        var draft = Draft()
        for fault in faults { fault.make(&draft) }
        var trust = TestTrust()
        trust.members["claims"] = #"{"portrait":["portrait"]}"#
        trust.members["requires"] = #"["portrait"]"#
        let store = try trust.store()
        var times = StatedTimes(
            Validity(notBefore: draft.validity.notBefore, expires: draft.validity.expires, issuedAt: draft.validity.issuedAt))
        times.isMalformed = draft.isMalformed
        let signed = SignedCredential(
            form: .sdJWT, issuer: store.issuers[0], iss: TestCredential.iss, key: .pinned("key-1"), types: draft.types, times: times,
            audience: draft.audience, status: draft.status, claims: try JSONDocument(parsing: Array("{}".utf8)), faults: draft.faults)
        return Judgement(context: VerificationContext(trust: store, time: Self.now), lists: StatusMemory()).verdict(signed).verdict.reasons
    }

    @Test func everyTwo() throws {
        for (position, first) in Self.order.enumerated() {
            #expect(try reasons([first]) == [first.reason])
            for second in Self.order[(position + 1)...] {
                #expect(try reasons([second, first]) == [first.reason, second.reason])
            }
        }
        #expect(try reasons(Self.order) == Self.order.map(\.reason))
    }

    /// What is missing is asked for last, and only of a credential with nothing else against it.
    @Test func missingClaims() throws { #expect(try reasons([]) == [.claimMissing(.portrait)]) }

    /// The dates of JSON-LD have names of their own, and the same order.
    @Test func datesOfBothDataModels() {
        let dates = [CredentialMember.issuanceDate, .validFrom].map {
            LinkedDate($0, text: "2100-01-01T00:00:00Z", datatype: SecurityTerms.dateTime)
        }
        #expect(StatedTimes(dates).faults(at: Self.now, skew: 0) == [.notYetValid, .issuedInFuture])
        #expect(StatedTimes(dates.reversed()).faults(at: Self.now, skew: 0) == [.notYetValid, .issuedInFuture])
    }
}

/// A key binding is fresh where it answers what this gate asked, and nowhere else.
@Suite struct ChallengeTests {
    private func verdict(_ challenge: Challenge?, isBound: Bool = true) throws -> Verdict {
        var credential = TestCredential()
        if isBound { credential.bind(holder: .p256) }
        let received = try ReceivedCredential(message: credential.message.span)
        return CredentialVerifier(trust: try TestTrust().store()).verify(received, at: TestCredential.now, challenge: challenge)
    }

    @Test func answered() throws {
        let credential = try #require(try verdict(Challenge(nonce: "n", audience: "https://gate.example")).credential)
        #expect(!credential.notes.contains(.keyBindingNotFresh))
    }

    @Test(arguments: [
        nil, Challenge(nonce: "m", audience: "https://gate.example"), Challenge(nonce: "n", audience: "https://gate.example/"),
    ])
    func recorded(_ challenge: Challenge?) throws {
        let credential = try #require(try verdict(challenge).credential)
        #expect(credential.notes.contains(.keyBindingNotFresh))
    }

    /// Whoever cuts an old binding off is no better off for it.
    @Test func leftOut() throws {
        let asked = try #require(try verdict(Challenge(nonce: "n", audience: "https://gate.example"), isBound: false).credential)
        #expect(asked.notes.contains(.keyBindingNotFresh))
        let unasked = try #require(try verdict(nil, isBound: false).credential)
        #expect(!unasked.notes.contains(.keyBindingNotFresh))
    }
}
