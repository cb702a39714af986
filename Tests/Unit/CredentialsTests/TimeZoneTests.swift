import Testing

@testable import Credentials
@testable import Trust

/// A date without a zone is taken as UTC, and the verdict says so.
@Suite struct TimeZoneTests {
    /// Noon of 2027-01-15 UTC is four hours after `TestCredential.now`.
    private static let noon: Int64 = 1_800_014_400, date = "2027-01-15T12:00:00"

    private func jwt(_ member: String, _ date: String, at time: Int64) throws -> Verdict {
        var credential = TestCredential()
        credential.set("exp", nil)
        credential.set(member, quoted(date))
        return try verdict(credential, at: time)
    }

    private func linked(_ member: String, _ date: String, _ suite: LinkedProofSuite, at time: Int64) throws -> Verdict {
        var credential = TestLinkedCredential(suite)
        credential.set("expirationDate", nil)
        credential.set("validUntil", nil)
        credential.set(member, quoted(date))
        return try TestIssuers().verifier().verify(credential.signed(), at: time)
    }

    private func isAssumed(_ verdict: Verdict) -> Bool { verdict.credential?.notes.map(\.code).contains("time-zone-assumed") ?? false }

    @Test func ends() throws {
        for member in ["validUntil", "expirationDate"] {
            let assumed = try jwt(member, Self.date, at: Self.noon - 1)
            #expect(assumed.isAccept && isAssumed(assumed), "\(member) \(assumed.reasons)")
            #expect(assumed.credential?.validity.expires == Self.noon)
            #expect(try jwt(member, Self.date, at: Self.noon).reasons == [.expired])
            for zone in ["Z", "+00:00"] {
                let stated = try jwt(member, Self.date + zone, at: Self.noon - 1)
                #expect(stated.isAccept && !isAssumed(stated), "\(member)")
            }
            #expect(isAssumed(try jwt(member, Self.date + ".5", at: Self.noon - 1)))
        }
    }

    @Test func beginnings() throws {
        for member in ["validFrom", "issuanceDate"] {
            #expect(isAssumed(try jwt(member, Self.date, at: Self.noon)), "\(member)")
            #expect(try jwt(member, Self.date, at: Self.noon - 301).reasons == [.notYetValid])
        }
    }

    @Test func datesThatAreNone() throws {
        for date in [
            "2027-01-15", "2027-01-15T12:00", "2027-01-15T12:00:00+", "2027-01-15T12:00:00.", "2027-01-15 12:00:00", "2027-02-30T12:00:00",
            "2027-01-15T12:00:00 ", "noon",
        ] {
            #expect(try jwt("validUntil", date, at: Self.noon - 1).reasons == [.timeMalformed], "\(date)")
        }
    }

    @Test(arguments: [LinkedProofSuite.ed25519Signature2020, .eddsaRDFC2022, .eddsaJCS2022])
    func linked(_ suite: LinkedProofSuite) throws {
        let member = suite == .ed25519Signature2020 ? "expirationDate" : "validUntil"
        let assumed = try linked(member, Self.date, suite, at: Self.noon - 1),
            stated = try linked(member, Self.date + "Z", suite, at: Self.noon - 1)
        #expect(assumed.isAccept && isAssumed(assumed), "\(assumed.reasons)")
        #expect(stated.isAccept && !isAssumed(stated), "\(stated.reasons)")
        #expect(try linked(member, Self.date, suite, at: Self.noon).reasons.contains(.expired))
    }
}
