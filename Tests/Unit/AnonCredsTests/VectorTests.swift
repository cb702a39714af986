import Testing

@testable import AnonCreds

/// Presentations made by another implementation, and what was changed in them (anoncreds.md section 11).
struct VectorTests {
    @Test(arguments: Vectors.names) func verdictAndReasonAreTheVectors(_ name: String) throws {
        let vector = Vectors.vector(name), found = try vector.reasonFound()
        #expect((found == nil) == (vector.expect == "accept"))
        if let reason = vector.reason { #expect(found?.rawValue == reason) }
    }

    @Test func thereAreAllOfThem() {
        #expect(Vectors.names.count == 138)
        #expect(Vectors.acceptedNames.count == 23)
    }

    @Test func codesAreDistinct() {
        #expect(Set(PresentationReason.allCases.map(\.rawValue)).count == PresentationReason.allCases.count)
    }

    @Test func whatIsSaidIsWhatWasProven() throws {
        let verified = try Vectors.vector("a10_group_attested_negative").verified()
        let credential = try #require(verified.credentials.first)
        #expect(credential.issuerID == "did:web:town.example")
        #expect(credential.schemaName == "resident")
        #expect(credential.schemaVersion == "1.2")
        #expect(credential.definitionID == TestBundle.resident)
        #expect(
            credential.revealed.map(\.name)
                == credential.revealed.map(\.name).filter { ["Full Name", "family name", "floor"].contains($0) })
        #expect(credential.revealed.first { $0.name == "floor" }?.raw == "-3")
        #expect(credential.revocation == .cannotBeRevoked)
        #expect(verified.places == ["g": 0])
        #expect(verified.selfAttested == ["s": "+36 1 555 0100"])
        #expect(verified.notes == [.holderBoundLinkSecret, .sameCredential, .selfAttested])
    }

    @Test func predicatesAreStatementsInTheSchemasSpelling() throws {
        let verified = try Vectors.vector("a02_revealed_unrevealed_ge").verified()
        #expect(verified.credentials.first?.predicates.map(\.text) == ["Years >= 18"])
    }

    @Test func severalCredentialsAreOfOneHolder() throws {
        let verified = try Vectors.vector("a08_two_credentials").verified()
        #expect(verified.credentials.count == 2)
        #expect(verified.notes.contains(.sameHolder))
    }

    @Test func revocationIsOfTheListsTime() throws {
        let verified = try Vectors.vector("a15_not_revoked_by_item").verified()
        #expect(verified.credentials.first?.revocation == .notRevoked(at: 1_790_172_800))
        let unasked = try Vectors.vector("a09_three_credentials").verified()
        #expect(unasked.credentials.contains { $0.revocation == .notAsked })
    }

    @Test func aVisitThatIsOverStopsTheAlgebra() throws {
        #expect(try Vectors.vector("a02_revealed_unrevealed_ge").reasonFound(hasEnded: { true }) == .deadlinePassed)
        var left = 3
        let found = try Vectors.vector("a14_not_revoked").reasonFound(hasEnded: {
            left -= 1
            return left < 0
        })
        #expect(found == .deadlinePassed)
    }

    @Test func everyIntermediateValueIsTheOtherVerifiers() throws {
        let file = Vectors.file("intermediate.json")["vectors"]?.memberList ?? []
        #expect(!file.isEmpty)
        for member in file {
            let vector = Vectors.vector(member.name), presentation = vector.presentation
            let trace = try AnonCredsVerifier(context: TestBundle.context(of: vector)).trace(
                presentation.span, for: vector.request(), now: vector.now)
            let expected = member.value["sub_proofs"]?.elementList ?? []
            #expect(trace.subProofs.count == expected.count)
            for (found, expected) in zip(trace.subProofs, expected) {
                #expect(found.taus.map(hexNumber) == expected["taus"]?.texts)
                #expect(found.commitments.map(hexNumber) == expected["commitments"]?.texts)
                #expect(found.revocationTaus.map(hexOctets) == expected["revocation_taus"]?.texts ?? [])
                #expect(hexNumber(found.exponent) == expected["exponent_of_a_prime"]?.string)
            }
            #expect(trace.computed == trace.given)
        }
    }
}
