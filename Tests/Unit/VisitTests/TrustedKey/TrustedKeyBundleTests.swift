import ClaimTestSupport
import Testing

@testable import Presentation
@testable import Trust
@testable import Visit

/// A bundle that comes between an answer and its verdict, and requests that cannot be asked.
@Suite struct TrustedKeyBundleTests {
    private let authority: TestClaimant.Authority

    init() throws { authority = try TestClaimant.Authority() }

    private func claimant() throws -> TestClaimant { try TestClaimant(authority) }

    private func terms(_ sequence: Int64) throws -> TrustTerms {
        let bundle = try TrustBundle(
            sequence: sequence, created: TestIssuer.now - 100, notBefore: TestIssuer.now - 100, notAfter: TestIssuer.now + 1000,
            clock: .reject, contents: TrustContents())
        return TrustTerms(bundle, highWater: TestIssuer.now - 100)
    }

    private func store(_ contents: TrustContents, _ sequence: Int64) throws -> TrustStore {
        var contents = contents
        contents.issuers.append(.init(name: "issuer.json", bytes: try TestIssuer.trust()))
        return try TrustStore(contents).under(terms(sequence))
    }

    /// A gate at which an answer waits for the end of another's light.
    private func waiting(byNetwork: Bool) throws -> TestGate {
        let test = try TestGate.withTrustedKey(TestClaimant.trust(authority), copies: ["*"])
        test.gate.believe(try store(TestClaimant.trust(authority), 7))
        test.turn()
        test.answer(try TestIssuer.credential())
        #expect(test.outcomes == [.accepted])
        if byNetwork {
            #expect(test.send(try claimant().form(test.requestNow), as: .form) == .taken)
        } else {
            test.look(try claimant().answer(test.requestNow))
        }
        #expect(test.isMessageOpened)
        return test
    }

    private func outcome(_ test: TestGate) throws -> GateReason? {
        test.turn()
        #expect(test.outcomes == [.accepted])
        test.wait(4_000)
        let record = try #require(test.records.last)
        #expect(test.records.count == 2 && (record.outcome == .accepted) == record.reasons.isEmpty)
        return record.reasons.first
    }

    @Test("the same bundle, read again, changes nothing", arguments: [false, true])
    func same(byNetwork: Bool) throws {
        let test = try waiting(byNetwork: byNetwork)
        test.gate.believe(try store(TestClaimant.trust(authority), 7))
        #expect(try outcome(test) == nil)
    }

    @Test("an answer in a code is judged by whom is believed then")
    func judgedLater() throws {
        let good = try waiting(byNetwork: false)
        good.gate.believe(try store(TestClaimant.trust(authority, fetched: 30), 8))
        #expect(try outcome(good) == nil)

        let key = try waiting(byNetwork: false)
        key.gate.believe(try store(TestClaimant.trust(TestClaimant.Authority("Other")), 8))
        #expect(try outcome(key) == .trustedKey(.answer(.claimUntrusted)))

        let nobody = try waiting(byNetwork: false)
        nobody.gate.believe(try store(TrustContents(), 8))
        #expect(try outcome(nobody) == .trustedKey(.answer(.claimUntrusted)))
    }

    @Test("what was asked by one bundle is no answer to what another asks, with less or with more")
    func otherQuestion() throws {
        for asked in [[TestClaimant.name], [TestClaimant.name, TestClaimant.ofAge, TestClaimant.thumbnail]] {
            let test = try waiting(byNetwork: false)
            test.gate.believe(try store(TestClaimant.trust(authority, asking: asked), 8))
            #expect(try outcome(test) == .trustedKey(.answer(.nonceMismatch)))
            // And the new request is answered.
            try test.answer(claimant(with: asked.count > 2))
            #expect(test.outcomes.last == .accepted)
        }
    }

    private func claimant(with thumbnail: Bool) throws -> TestClaimant {
        var claimant = try claimant()
        if thumbnail { claimant.objects.append((TestClaimant.thumbnail, "/9j/4AAQ")) }
        return claimant
    }

    @Test("an answer that was judged when it was sent is not let in by another bundle", arguments: [8, 6])
    func sent(sequence: Int64) throws {
        let test = try waiting(byNetwork: true)
        test.gate.believe(try store(TestClaimant.trust(authority), sequence))
        #expect(try outcome(test) == .trustChanged)
        #expect(test.takeAnswerVerdict() == false)
    }

    // MARK: another issuer

    /// Two issuers who are believed: the harbour about names and faces, the club about membership.
    private func two(_ club: TestClaimant.Authority) throws -> TrustContents {
        let claims = #"{"fullName":[["2.5.4.3"]],"portrait":[["\#(TestClaimant.thumbnail)"]]}"#
        var contents = try TestClaimant.trust(
            authority, asking: [TestClaimant.name, TestClaimant.ofAge, TestClaimant.thumbnail], claims: claims, fetched: 60)
        let other = try TestClaimant.trust(
            club, asking: [TestClaimant.name, TestClaimant.ofAge, TestClaimant.thumbnail], claims: "{}", requires: "[]",
            more: #""status":{"unknown":"accept"},"#, fetched: nil)
        let text = String(decoding: try #require(other.issuers.first).bytes, as: UTF8.self)
            .replacing(TestClaimant.id, with: "https://club.example").replacing(#","claims":{},"requires":[]"#, with: "")
        contents.issuers.append(.init(name: "club.json", bytes: Array(text.utf8)))
        return contents
    }

    /// - Parameter club: what the club signs; the harbour signs the rest.
    private func visit(_ signed: Set<String>) throws -> TestGate {
        let club = try TestClaimant.Authority("Club")
        let test = try TestGate.withTrustedKey(try two(club), face: .required)
        var claimant = try claimant()
        let kind = (TestClaimant.kind, "Access")
        let all = [(TestClaimant.name, "Noor"), (TestClaimant.ofAge, "true"), (TestClaimant.thumbnail, "/9j/4AAQ")]
        claimant.claims = [
            try claimant.claim([kind] + all.filter { !signed.contains($0.0) }),
            try claimant.claim([kind] + all.filter { signed.contains($0.0) }, by: club),
        ]
        claimant.issuers = [authority.issuer, club.issuer]
        try test.answer(claimant)
        return test
    }

    @Test("each issuer is believed for what its entry says: the harbour's name and face, the club's age")
    func eachForItsOwn() throws {
        let test = try visit([TestClaimant.ofAge])
        #expect(try #require(test.takeFaceRequest()).portrait == "/9j/4AAQ")
    }

    @Test("a portrait that another issuer has signed, of which its entry says nothing, is compared with nobody")
    func othersPortrait() throws {
        let test = try visit([TestClaimant.thumbnail])
        #expect(test.takeFaceRequest() == nil && test.records.first?.reasons == [.face(.noPortrait)])
        test.expectNoAccept()
    }

    @Test("a name that another issuer has signed is none of the harbour's")
    func othersName() throws {
        let test = try visit([TestClaimant.name])
        #expect(test.takeFaceRequest() == nil && test.records.first?.reasons == [.trustedKey(.claimMissing(.fullName))])
        test.expectNoAccept()
    }

    // MARK: a request that makes no code

    @Test("what does not fit into a code is not tried again and again, but when another bundle asks for less")
    func tooLong() throws {
        let long = "http://gate.local/tk/" + String(repeating: "x", count: 330)
        let asked = [TestClaimant.name, TestClaimant.ofAge, TestClaimant.thumbnail]
        let test = try TestGate.withTrustedKey(TestClaimant.trust(authority, asking: asked), callback: long)
        #expect(test.request.isEmpty && test.requestNow.isEmpty)
        let deadline = test.gate.presentations.trustedKey.deadline
        #expect(deadline == nil, "nothing is waited for")
        let question = test.gate.verifier.trust.trustedKey.question
        for _ in 0..<3 {
            test.wait(600_000)
            let isNew = test.gate.presentations.trustedKey.ask(question, at: test.now.monotonic)
            #expect(!isNew && test.requestNow.isEmpty)
        }
        try test.believe(TestClaimant.trust(authority, asking: [TestClaimant.name], requires: #"["fullName"]"#))
        #expect(!test.requestNow.isEmpty)
        try test.believe(TestClaimant.trust(authority, asking: asked))
        #expect(test.requestNow.isEmpty && test.request.isEmpty)
    }
}
