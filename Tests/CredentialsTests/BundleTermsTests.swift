import Credentials
import Testing

/// What a bundle says of itself decides over every credential it would otherwise let in.
@Suite struct BundleTermsTests {
    /// - Parameter highWater: how much later than the bundle was made it is known to be.
    private func verdict(at time: Seconds, clock: TrustBundle.ClockPolicy = .reject, highWater: Seconds = 0) throws -> Verdict {
        var bundle = TestBundle()
        bundle.clock = clock
        let made = try bundle.bundle()
        let store = try made.store().under(TrustTerms(made, highWater: TestBundle.created + highWater))
        return CredentialVerifier(trust: store).verify(TestCredential().message, at: time)
    }

    @Test func inForce() throws {
        let credential = try #require(try verdict(at: TestBundle.created).credential)
        #expect(!credential.notes.contains(.clockUnsure))
        #expect(try verdict(at: TestBundle.notAfter - 1).isAccept)
    }

    @Test func expired() throws {
        #expect(try verdict(at: TestBundle.notAfter).reasons == [.trustExpired])
        #expect(try verdict(at: .max).reasons == [.trustExpired])
        // Also where only the mark knows it.
        #expect(try verdict(at: 0, clock: .accept, highWater: 1000).reasons == [.trustExpired])
    }

    @Test func clockBehind() throws {
        #expect(try verdict(at: TestBundle.created - 1).reasons == [.clockUnsure])
        #expect(try verdict(at: .min).reasons == [.clockUnsure])
        let accepted = try #require(try verdict(at: TestBundle.created - 1, clock: .accept).credential)
        #expect(accepted.notes.contains(.clockUnsure))
    }

    /// A clock that was turned back revives nothing that is known to have expired.
    @Test func expiredCredentialStaysExpired() throws {
        var bundle = TestBundle()
        bundle.clock = .accept
        let made = try bundle.bundle()
        let store = try made.store().under(TrustTerms(made, highWater: TestCredential.now + 500))
        var credential = TestCredential()
        credential.set("exp", "\(TestCredential.now + 400)")
        let verifier = CredentialVerifier(trust: store)
        #expect(verifier.verify(credential.message, at: TestCredential.now).reasons == [.expired])
        credential.set("exp", "\(TestCredential.now + 600)")
        #expect(verifier.verify(credential.message, at: TestCredential.now).isAccept)
    }

    @Test("a running gate goes back neither to an older bundle, nor to an earlier time, nor to a folder that nobody signed")
    func following() throws {
        func store(_ sequence: Int64, highWater: Seconds = 0) throws -> TrustStore {
            var bundle = TestBundle()
            bundle.sequence = sequence
            let made = try bundle.bundle()
            return try made.store().under(TrustTerms(made, highWater: made.created + highWater))
        }
        let unsigned = try TestBundle().bundle().store(), old = try store(7, highWater: 50)
        #expect(try store(6, highWater: 90).following(old) == nil && unsigned.following(old) == nil)
        for (next, mark) in [(try store(7), 50), (try store(8, highWater: 60), 60)] as [(TrustStore, Seconds)] {
            #expect(next.following(old)?.terms?.sequence == next.terms?.sequence)
            #expect(next.following(old)?.terms?.highWater == TestBundle.created + mark)
        }
        #expect(try store(1).following(unsigned)?.terms?.sequence == 1 && unsigned.following(unsigned) != nil)
    }

    @Test("before the bundle's beginning the clock is in doubt")
    func beforeBeginning() throws {
        for (clock, reasons) in [(TrustBundle.ClockPolicy.reject, [RejectReason.clockUnsure]), (.accept, [])] {
            var bundle = TestBundle()
            bundle.clock = clock
            bundle.notBefore = TestBundle.created + 100
            let made = try bundle.bundle()
            let verifier = CredentialVerifier(trust: try made.store().under(TrustTerms(made, highWater: made.created)))
            let verdict = verifier.verify(TestCredential().message, at: made.created + 50)
            #expect(verdict.reasons == reasons && verdict.credential?.notes.contains(.clockUnsure) != false)
            #expect(verifier.verify(TestCredential().message, at: made.notBefore).credential?.notes.contains(.clockUnsure) == false)
            // What has expired by the beginning has expired.
            var credential = TestCredential()
            credential.set("exp", "\(made.created + 80)")
            #expect(!verifier.verify(credential.message, at: made.created + 50).isAccept)
        }
    }
}
