import ClaimTestSupport
import Credentials
import Testing
import TrustedKeyWallet

@testable import Presentation
@testable import Trust
@testable import Visit

/// Whole visits by Trusted Key wallets, whose answers are held before the camera (trustedkey.md sections 1 to 6).
@Suite struct TrustedKeyVisitTests {
    static let authority = try? TestClaimant.Authority()

    private func authority() throws -> TestClaimant.Authority { try #require(Self.authority) }
    private func claimant() throws -> TestClaimant { try TestClaimant(authority()) }
    private func gate(face: Policy.Face = .off, fetched: Int64? = 60, revoked: [String] = [], more: String = "") throws -> TestGate {
        try .withTrustedKey(TestClaimant.trust(authority(), more: more, revoked: revoked, fetched: fetched), face: face)
    }

    // MARK: who is let in

    @Test func anAnswerLetsSomebodyIn() throws {
        let test = try gate(), request = test.request, asked = TestClaimant.asked(request)
        #expect(request.utf8.count <= TrustedKeyRequest.longestCode)
        #expect(asked["callbackUrl"] == TestGate.callback && asked["objectIds"] == "\(TestClaimant.name),\(TestClaimant.ofAge)")
        try test.answer(claimant())
        #expect(test.lights.last == .accept && test.verdicts == [true] && test.signs.last == .accepted)
        let record = try #require(test.records.first)
        #expect(record.outcome == .accepted && record.presentation == .trustedkey && record.form == .trustedKey && record.reasons.isEmpty)
        #expect(record.issuer == TestClaimant.id && record.status == .good && record.isHolderBound == false)
        #expect(record.notes == ["holder-bound-hardware-claimed", "holder-not-bound"])
        #expect(record.sizeClass ?? 0 >= 10 && record.times.decided != nil)
        // Another nonce, at once; and whoever comes by radio is served as before.
        #expect(test.requestNow != request && !test.requestNow.isEmpty)
        test.pause()
        try test.goodVisit()
        test.wait(1)
        #expect(test.outcomes == [.accepted, .accepted])
    }

    @Test func severalClaimsOfOneKey() throws {
        let test = try gate()
        var claimant = try claimant()
        let kind = (TestClaimant.kind, "Access")
        claimant.claims = [
            try claimant.claim([kind, (TestClaimant.name, "Noor")]), try claimant.claim([kind, (TestClaimant.ofAge, "true")]),
        ]
        try test.answer(claimant)
        #expect(test.outcomes == [.accepted])
    }

    @Test("an answer is no copy: where no face is asked for, none is needed", arguments: [Policy.Face.off, .whenPhoto])
    func noCopy(face: Policy.Face) throws {
        let test = try gate(face: face)
        try test.answer(claimant())
        #expect(test.outcomes == [.accepted] && test.records.first?.isHolderBound == false)
    }

    @Test func whereAFaceIsRequiredAKeyIsNotEnough() throws {
        let test = try gate(face: .required)
        try test.answer(claimant())
        #expect(test.outcomes == [.rejected] && test.records.first?.reasons == [.face(.noPortrait)])
    }

    @Test("a portrait among the claims is compared", arguments: [Policy.Face.whenPhoto, .required])
    func portrait(face: Policy.Face) throws {
        let claims = #"{"fullName":[["2.5.4.3"]],"portrait":[["\#(TestClaimant.thumbnail)"]]}"#
        let trust = try TestClaimant.trust(
            authority(), asking: [TestClaimant.name, TestClaimant.thumbnail], claims: claims)
        let test = try TestGate.withTrustedKey(trust, face: face)
        var claimant = try claimant()
        claimant.objects.append((TestClaimant.thumbnail, "/9j/4AAQ"))
        let request = test.requestNow
        try test.answer(claimant)
        #expect(test.lights.last == .look && test.signs.last == .look)
        // It is used up by now: whoever does not match answers another one.
        #expect(test.requestNow.isEmpty)
        let asked = try #require(test.takeFaceRequest())
        #expect(asked.portrait == "/9j/4AAQ")
        test.gate.faceDecided(TestGate.match, of: asked.number, at: test.now)
        test.turn()
        #expect(test.outcomes == [.accepted] && test.records.first?.isHolderBound == true)
        #expect(test.records.first?.notes == ["holder-bound-hardware-claimed"] && test.requestNow != request)
    }

    @Test func anotherBundleWhileTheFaceIsCompared() throws {
        let claims = #"{"fullName":[["2.5.4.3"]],"portrait":[["\#(TestClaimant.thumbnail)"]]}"#
        let trust = try TestClaimant.trust(authority(), asking: [TestClaimant.name, TestClaimant.thumbnail], claims: claims)
        let test = try TestGate.withTrustedKey(trust, face: .required)
        var claimant = try claimant()
        claimant.objects.append((TestClaimant.thumbnail, "/9j/4AAQ"))
        try test.answer(claimant)
        try test.believe(trust)
        try test.answer(TestGate.match)
        #expect(test.records.first?.reasons == [.trustChanged])
    }

    // MARK: who is not

    static let refusals: [(String, TrustedKeyReason, @Sendable (inout TestClaimant) throws -> Void)] = [
        ("unknown", .answer(.answerMalformed), { $0.more = "&more=1" }),
        ("no token", .answer(.answerMalformed), { $0.more = "&chain" }),
        ("fragment", .answer(.callbackMismatch), { $0.more = "#x" }),
        ("other nonce", .answer(.nonceMismatch), { $0.nonce = String(repeating: "A", count: 43) + "=" }),
        ("error", .answer(.declined), { $0.result = "error" }),
        ("signer", .answer(.tokenSignature), { $0.signer = try TestKey() }),
        ("audience", .answer(.audienceMismatch), { $0.audience = "harbour-gate-3" }),
        ("ended", .answer(.tokenExpired), { ($0.issued, $0.expires) = (TestIssuer.now - 9, TestIssuer.now) }),
        ("old", .answer(.tokenTime), { $0.issued = TestIssuer.now - 601 }),
        ("other key", .answer(.claimKeyMismatch), { $0.claims = [try $0.claim($0.objects, over: try TestKey())] }),
        ("expired", .answer(.claimExpired), { $0.validity = 0...TestIssuer.now - 1 }),
        ("early", .answer(.claimNotYetValid), { $0.validity = TestIssuer.now + 1...TestIssuer.now + 2 }),
        (
            "stranger", .answer(.claimUntrusted),
            {
                let stranger = try TestClaimant.Authority()
                ($0.claims, $0.issuers) = ([try $0.claim($0.objects, by: stranger)], [stranger.issuer, stranger.root])
            }
        ),
        ("a key alone", .answer(.objectMissing), { $0.claims = [] }),
        ("two names", .claims(.claimAmbiguous), { $0.objects.append((TestClaimant.name, "Mallory")) }),
        ("no name", .claims(.objectMissing), { $0.objects.removeAll { $0.0 == TestClaimant.name } }),
        ("other kind", .typeNotTrusted, { $0.objects[0].1 = "Loyalty" }),
        ("no kind", .typeNotTrusted, { $0.objects.removeFirst() }),
        ("empty name", .answer(.answerMalformed), { $0.objects[1].1 = "" }),
    ]

    @Test(arguments: refusals.indices)
    func whoIsNot(place: Int) throws {
        let (what, reason, spoil) = Self.refusals[place]
        let test = try gate(), request = test.requestNow
        var bad = try claimant()
        try spoil(&bad)
        try test.answer(bad)
        let record = try #require(test.records.first)
        #expect(record.outcome == .rejected && record.reasons == [.trustedKey(reason)] && test.verdicts == [false], "\(what): \(record)")
        #expect(record.presentation == .trustedkey && record.form == .trustedKey && record.isHolderBound == nil && record.notes == [])
        // Only an issuer who is believed takes the request away from whoever is reading it.
        let isVouchedFor = reason.isOfGenuineClaim || reason == .typeNotTrusted
        #expect((test.requestNow != request) == isVouchedFor && record.issuer == (reason.isVouchedByOne ? TestClaimant.id : nil), "\(what)")
        try test.answer(claimant())
        #expect(test.outcomes == [.rejected, .accepted], "\(what)")
    }

    @Test func whatWasRevoked() throws {
        let claimant = try claimant()
        let test = try gate(revoked: [try claimant.key.address()])
        try test.answer(claimant)
        try test.answer(self.claimant())
        #expect(test.outcomes == [.rejected, .accepted] && test.records.first?.reasons == [.trustedKey(.answer(.revoked))])
    }

    @Test("how old the list of what was revoked is", arguments: [nil, -1, 0, 86_400, 86_401, 604_800, 604_801] as [Int64?])
    func ages(fetched: Int64?) throws {
        for unknown in ["reject", "accept"] {
            let test = try gate(fetched: fetched, more: #""status":{"unknown":"\#(unknown)"},"#)
            try test.answer(claimant())
            let record = try #require(test.records.first), isKnown = fetched.map { 0...604_800 ~= $0 } ?? false
            #expect((record.outcome == .accepted) == (isKnown || unknown == "accept"), "\(record)")
            if record.outcome == .rejected {
                #expect(record.reasons == [.trustedKey(.statusUnknown)])
            } else {
                #expect(record.notes.contains("status-unknown") == !isKnown && record.status == (isKnown ? .good : .unknown))
                #expect(record.notes.contains("status-stale") == (isKnown && fetched ?? 0 > 86_400))
            }
        }
    }

    /// The token answers for its own key: with that alone asked for, no step of the verifier needs a claim. Trust files that ask so are
    /// refused; the gate would not believe it either.
    @Test func aKeyAloneLetsNobodyIn() throws {
        let request = try TrustedKeyRequest(
            nonce: [UInt8](repeating: 7, count: 32), callbackURL: TestGate.callback, callbackType: .json, objects: [.publicKey])
        let question = TrustedKeyBelief.Question(clientID: TestClaimant.clientID, wallet: TestClaimant.wallet, objects: [.publicKey])
        let belief = TrustedKeyBelief(question: question, trust: TrustedKeyTrust(roots: []), issuers: [], issuerOfRoot: [])
        var claimant = try claimant()
        claimant.claims = []
        let text = try claimant.answer(request.code(wallet: TestClaimant.wallet))
        let finding = TrustedKeyJudgement(belief: belief, question: question, now: TestIssuer.now)
            .finding(try TrustedKeyAnswer(url: Array(text.utf8), to: request), to: request)
        guard case .reject(let reasons) = finding.verdict else { throw NobodyMayEnter() }
        #expect(reasons == [.typeNotTrusted] && !finding.isVouchedFor)
    }
}

private struct NobodyMayEnter: Error {}

extension TrustedKeyReason {
    /// By the judgement behind the verifier, which knows the issuer.
    fileprivate var isVouchedByOne: Bool {
        switch self {
        case .statusUnknown, .typeNotTrusted, .claimMissing: true
        case .answer, .claims: false
        }
    }
}
