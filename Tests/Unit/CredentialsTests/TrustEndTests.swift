import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

@Suite struct TrustEndTests {
    @Test func everythingThatEndsIsThereTheFirstFirst() throws {
        var issuers = TestIssuers()
        issuers.lists = [try TestStatusList().document(.jose)]
        let made = try TestBundle().bundle()
        let store = try issuers.store().under(TrustTerms(made, highWater: 0))
        let ends = store.ends(at: TestCredential.now)
        #expect(ends.contains(TrustEnd(part: .bundle, time: made.notAfter)))
        #expect(ends.contains(TrustEnd(part: .statusList(TestStatusEntry.url), time: TestCredential.now + 1000)))
        #expect(ends == ends.sorted { $0.time < $1.time })
    }

    @Test(arguments: [(86_400, 1), (86_399, 0), (14 * 86_400, 14), (0, 0), (-5, 0), (Seconds.max, 0)] as [(Seconds, Int64)])
    func daysThatAreLeft(_ left: Seconds, _ days: Int64) {
        let now: Seconds = left == .max ? -1 : 1000
        let time = left == .max ? Seconds.max : now + left
        #expect(TrustEnd(part: .bundle, time: time).days(from: now) == days)
    }

    @Test func nobodyIsBelievedWithoutABundle() throws {
        let verifier = CredentialVerifier(trust: .nobody)
        #expect(verifier.verify(TestCredential().message, at: TestCredential.now).reasons == [.issuerUnknown])
        #expect(TrustStore.nobody.ends(at: 0) == [])
        // And whatever is installed takes its place.
        #expect(try TestBundle().bundle().store().following(.nobody) != nil)
    }
}
