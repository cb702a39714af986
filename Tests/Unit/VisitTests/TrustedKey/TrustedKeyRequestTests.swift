import Credentials
import Testing
import Trust

@testable import Presentation
@testable import Visit

/// One request at a time, once, for five minutes, and nothing of it afterwards (trustedkey.md section 1).
@Suite struct TrustedKeyOnceTests {
    private let authority: TestClaimant.Authority

    init() throws { authority = try TestClaimant.Authority() }

    private func claimant() throws -> TestClaimant { try TestClaimant(authority) }
    private func gate() throws -> TestGate { try .withTrustedKey(TestClaimant.trust(authority)) }

    // MARK: once

    @Test("the same answer, in the same words or in others, lets nobody in again")
    func twice() throws {
        let test = try gate(), answer = try claimant().answer(test.requestNow)
        test.answer(answer)
        test.pause()
        test.answer(answer)
        test.answer(answer + "&")
        test.answer(answer.replacing("&chain=", with: "&chain=+"))
        #expect(test.outcomes == [.accepted, .rejected, .rejected, .rejected])
        #expect(test.records.dropFirst().allSatisfy { $0.reasons.first?.code != nil })
        #expect(test.records.last?.reasons == [.trustedKey(.answer(.nonceMismatch))])
    }

    @Test("no two requests have the same nonce, and no two answers that are accepted")
    func nonces() throws {
        let test = try gate()
        var nonces: Set<String> = []
        for visit in 1...20 {
            nonces.insert(try #require(TestClaimant.asked(test.requestNow)["nonce"]))
            try test.answer(claimant())
            #expect(nonces.count == visit && test.outcomes.count == visit && test.outcomes.last == .accepted)
        }
    }

    @Test("junk that repeats the nonce takes the request from nobody")
    func junk() throws {
        let test = try gate(), request = test.requestNow, answer = try claimant().answer(request)
        let stranger = try TestClaimant.Authority("Stranger")
        for number in 0..<10 {
            var junk = try TestClaimant(stranger)
            junk.more = number % 2 == 0 ? "&junk" : ""
            test.answer(try junk.answer(request))
            // Whoever floods waits.
            test.hold("", milliseconds: 17_000)
        }
        #expect(test.requestNow == request && test.outcomes == Array(repeating: .rejected, count: 10))
        test.answer(answer)
        #expect(test.outcomes.last == .accepted && test.requestNow != request)
    }

    // MARK: for five minutes

    @Test func fiveMinutes() throws {
        for isLate in [false, true] {
            let test = try gate(), request = test.requestNow, answer = try claimant().answer(request)
            test.wait(isLate ? 300_000 : 299_990)
            #expect((test.requestNow != request) == isLate && !test.requestNow.isEmpty)
            test.look(answer)
            test.wait(1)
            #expect(test.outcomes == [isLate ? .rejected : .accepted])
            if isLate { #expect(test.records.first?.reasons == [.trustedKey(.answer(.nonceMismatch))]) }
        }
    }

    @Test("an answer that waits for the end of another's light is judged by the request that it answers")
    func waiting() throws {
        let test = try TestGate.withTrustedKey(TestClaimant.trust(authority), copies: ["*"])
        let request = test.requestNow
        test.wait(298_500)
        test.answer(try TestIssuer.credential())
        test.look(try claimant().answer(request))
        #expect(test.isMessageOpened && test.outcomes == [.accepted])
        // Five minutes are over before the light is.
        test.wait(4_000)
        #expect(test.outcomes == [.accepted, .accepted] && test.requestNow != request)
    }

    // MARK: nobody is asked

    @Test func whereNobodyIsBelieved() throws {
        let test = try TestGate.withTrustedKey(TrustContents())
        #expect(test.request.isEmpty && test.requestNow.isEmpty)
        test.look(TestGate.callback + "&nonce=x")
        #expect(test.codes.foreign == 1 && test.records.isEmpty)
    }

    @Test func whereTheSiteDoesNotSaySo() throws {
        let test = try TestGate.withTrustedKey(TestClaimant.trust(authority), callback: nil)
        #expect(test.request.isEmpty)
        test.look(TestGate.callback + "&nonce=x")
        #expect(test.codes.foreign == 1 && test.records.isEmpty)
        #expect(test.send("nonce=x", as: .form) == .notAsked)
    }

    @Test("another bundle: the request goes, or another takes its place, or it stays")
    func bundles() throws {
        let test = try gate(), request = test.request
        try test.believe(TestClaimant.trust(authority, fetched: 30))
        #expect(test.requestNow == request)
        try test.believe(TestClaimant.trust(authority, asking: [TestClaimant.name]))
        let other = test.requestNow
        #expect(other != request && TestClaimant.asked(other)["objectIds"] == TestClaimant.name)
        // An answer to the one before.
        test.answer(try claimant().answer(request))
        #expect(test.records.last?.reasons == [.trustedKey(.answer(.nonceMismatch))])
        try test.believe(TrustContents())
        #expect(test.requestNow.isEmpty && test.request.isEmpty && test.isRequestForgotten)
        try test.believe(TestClaimant.trust(authority))
        #expect(!test.request.isEmpty)
    }

    @Test("what is no answer is ignored, as it was")
    func otherCodes() throws {
        let test = try gate(), answer = try claimant().answer(test.requestNow)
        let others = [
            answer.replacing("http:", with: "https:"), answer.replacing("/answer?", with: "/answers?"),
            answer.replacing("gate.local", with: "gate.example"),
            "HTTP" + answer.dropFirst(4), "http://gate.local/tk/answe", " " + answer,
        ]
        for other in others { test.look(other) }
        #expect(test.codes.foreign + test.codes.nothing == UInt64(others.count) && test.records.isEmpty)
        // The gate's own request in a pane of glass.
        test.look(test.requestNow)
        #expect(test.codes.own == 1 && test.records.isEmpty)
        test.answer(answer)
        #expect(test.outcomes == [.accepted])
    }

    @Test("an answer for another lane is refused by name", arguments: ["?lane=4", "", "?lane=5x", "?lane=55"])
    func otherLanes(query: String) throws {
        let test = try gate()
        try test.answer(claimant(), to: "http://gate.local/tk/answer" + query)
        #expect(test.records.first?.reasons == [.trustedKey(.answer(.callbackMismatch))])
    }

    // MARK: nothing stays

    @Test("nothing of a request or an answer is left, whatever ends it")
    func canary() throws {
        let ends: [(TestGate) throws -> Void] = [
            { $0.wipe() }, { $0.stop() },
            { test in
                try test.answer(claimant())
                test.wipe()
            },
            { test in
                test.answer(try claimant().answer(test.requestNow) + "&junk")
                test.wipe()
            },
            { test in
                // It waits behind a light, and is never judged.
                try test.answer(claimant())
                test.look(try claimant().answer(test.requestNow))
                #expect(test.isMessageOpened)
                test.stop()
            },
            { try $0.believe(TrustContents()) },
        ]
        for end in ends {
            let test = try gate()
            #expect(!test.request.isEmpty && !test.isRequestForgotten)
            try end(test)
            #expect(test.isRequestForgotten)
        }
    }

    @Test("a controller that fails takes the code from the screen, and its request is as good as before when it is back")
    func controllerLost() throws {
        let test = try gate(), request = test.request
        test.gate.linkLost(at: test.now)
        test.turn()
        #expect(test.uri.isEmpty)
        test.open()
        #expect(test.request == request)
        try test.answer(claimant())
        #expect(test.outcomes == [.accepted])
    }
}
