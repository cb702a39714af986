import Testing

@testable import Presentation
@testable import Visit

/// Answers that are sent to the gate's own network (trustedkey.md section 2): judged as those before the camera, and what they do besides.
@Suite struct TrustedKeyNetworkTests {
    private let authority: TestClaimant.Authority

    init() throws { authority = try TestClaimant.Authority() }

    private func claimant() throws -> TestClaimant { try TestClaimant(authority) }
    private func gate() throws -> TestGate { try .withTrustedKey(TestClaimant.trust(authority)) }

    private func text(_ claimant: TestClaimant, _ request: String, _ form: TrustedKeyPresentation.Form) throws -> String {
        switch form {
        case .url: return try claimant.answer(request)
        case .form: return try claimant.form(request)
        case .json:
            return "{" + (try claimant.parameters(request)).map { "\"\($0.0)\":\"\($0.1)\"" }.joined(separator: ",") + "}"
        }
    }

    @Test(arguments: TrustedKeyPresentation.Form.allCases)
    func anAnswerIsSent(form: TrustedKeyPresentation.Form) throws {
        let test = try gate(), answer = try text(claimant(), test.requestNow, form)
        #expect(test.send(answer, as: form) == .taken && test.takeAnswerVerdict() == nil)
        test.wait(1)
        #expect(test.outcomes == [.accepted] && test.records.first?.presentation == .trustedkey && test.verdicts == [true])
        #expect(test.takeAnswerVerdict() == true && test.takeAnswerVerdict() == nil)
        #expect(test.send(answer, as: form) == .notAsked)
        test.pause()
        try test.goodVisit()
        test.wait(1)
        #expect(test.outcomes == [.accepted, .accepted])
    }

    @Test("what a stranger sends turns no light, leaves no record and takes no request away")
    func strangers() throws {
        let test = try gate(), request = test.requestNow, signs = test.signs, lights = test.lights
        let stranger = try TestClaimant(TestClaimant.Authority("Stranger"))
        #expect(test.send(try stranger.form(request), as: .form) == .refused(.answer(.claimUntrusted)))
        #expect(test.send(try stranger.form(request) + "&x=1", as: .form) == .refused(.answer(.answerMalformed)))
        #expect(test.send("nonce=x&result=success", as: .form) == .notAsked)
        #expect(test.send("", as: .json) == .refused(.answer(.answerMalformed)))
        var declined = try claimant()
        declined.result = "error"
        #expect(test.send(try declined.form(request), as: .form) == .refused(.answer(.declined)))
        #expect(test.requestNow == request && test.records.isEmpty && test.signs == signs && test.lights == lights)
        #expect(test.send(try claimant().form(request), as: .form) == .taken)
        test.wait(1)
        #expect(test.outcomes == [.accepted])
    }

    @Test func aHolderWhoIsRefusedIsToldSo() throws {
        let test = try gate()
        var claimant = try claimant()
        claimant.objects[0].1 = "Loyalty"
        #expect(test.send(try claimant.form(test.requestNow), as: .form) == .taken)
        test.wait(1)
        #expect(test.takeAnswerVerdict() == false && test.records.first?.reasons == [.trustedKey(.typeNotTrusted)])
    }

    @Test func oneVisitAtATime() throws {
        let test = try gate(), answer = try claimant().form(test.requestNow)
        while test.key.isEmpty { test.wait(2000) }
        try test.goodVisit(upTo: .halfSent)
        #expect(test.send(answer, as: .form) == .busy)
        test.leave()
        test.wait(1)
        #expect(test.send(answer, as: .form) == .taken)
    }
}
