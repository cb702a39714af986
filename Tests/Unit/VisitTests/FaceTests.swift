import Envelopes
import Testing
import Trust

@testable import Faces
@testable import Tuvali
@testable import Visit

/// The face between the credential and the verdict: when it is asked for, what an answer does, and who may not wait for one.
@Suite("Face") struct FaceTests {
    private static let match = FaceOutcome(decision: .bound(.above), frames: 4, compared: 3, isTrial: true)
    private static let photo = "data:image/jpeg;base64,/9j/4AAQ"

    private func gate(_ face: Policy.Face, time: UInt64 = 30_000) throws -> TestGate {
        var policy = Policy()
        policy.face = face
        policy.faceTime = time
        return try TestGate(policy: policy)
    }

    private func visit(_ test: TestGate, portrait: String? = photo) throws {
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(portrait: portrait)))
        test.wait(50)
    }

    private func answer(_ test: TestGate, _ result: FaceOutcome, of number: UInt64) {
        test.gate.faceDecided(result, of: number, at: test.now)
        test.turn()
    }

    @Test("a match is accepted, and nobody was told before it")
    func match() throws {
        let test = try gate(.required)
        try visit(test)
        #expect(test.light == .look)
        #expect(test.statuses == [] && test.records.isEmpty)
        let request = try #require(test.takeFaceRequest())
        #expect(request.portrait == Self.photo)
        #expect(test.takeFaceRequest() == nil)
        test.wait(1000)
        #expect(test.statuses == [] && test.light == .look)
        answer(test, Self.match, of: request.number)
        #expect(test.statuses == [[0]])
        #expect(test.light == .accept)
        let record = try #require(test.records.first)
        #expect(record.outcome == .accepted && record.isHolderBound == true && record.notes == [] && record.form == .sdJWT)
        #expect(record.issuer == "https://issuer.example")
        #expect(record.face == FaceRecord(outcome: Self.match, milliseconds: 1050))
        test.leave()
        test.wait(5000)
        #expect(test.lights == [.off, .ready, .busy, .look, .accept, .ready])
    }

    @Test("a bundle that comes, or ends, while the visitor looks into the camera is no way past it", arguments: [7, 8])
    func trustBetween(_ next: Int64) throws {
        func terms(_ sequence: Int64, end: Seconds = TestIssuer.now + 1000) throws -> TrustTerms {
            let bundle = try TrustBundle(
                sequence: sequence, created: TestIssuer.now - 100, notBefore: TestIssuer.now - 100, notAfter: end, clock: .reject,
                contents: TrustContents())
            return TrustTerms(bundle, highWater: TestIssuer.now - 100)
        }
        var policy = Policy()
        policy.face = .required
        let test = try TestGate(policy: policy, terms: try terms(7))
        try visit(test)
        test.gate.believe(try TrustStore(files: [("issuer.json", TestIssuer.trust())]).under(try terms(next)))
        answer(test, Self.match, of: try #require(test.takeFaceRequest()).number)
        // The same bundle, read again, changes nothing.
        #expect(test.outcomes == [next == 7 ? .accepted : .rejected])
        if next != 7 { #expect(test.records.first?.reasons == [.trustChanged]) }

        let late = try TestGate(policy: policy, terms: try terms(7, end: TestIssuer.now + 1))
        try visit(late)
        late.setClock(TestIssuer.now + 2)
        answer(late, Self.match, of: try #require(late.takeFaceRequest()).number)
        late.expectNoAccept()
        #expect(late.records.first?.reasons == [.credential(.trustExpired)])
    }

    @Test("every reason is a reject by its own name", arguments: FaceReason.allCases)
    func reasons(_ reason: FaceReason) throws {
        let test = try gate(.required)
        try visit(test)
        let request = try #require(test.takeFaceRequest())
        answer(test, FaceOutcome(refused: reason), of: request.number)
        test.expectNoAccept()
        #expect(test.statuses == [[1]])
        #expect(test.records.first?.reasons.map(\.code) == [reason.code])
        #expect(test.records.first?.isHolderBound == false)
        #expect(test.light == .reject)
        test.leave()
        try visit(test, portrait: Self.photo)
        answer(test, Self.match, of: try #require(test.takeFaceRequest()).number)
        #expect(test.outcomes == [.rejected, .accepted])
    }

    @Test("a shell that never answers is a reject at the gate's own deadline")
    func silence() throws {
        let test = try gate(.required, time: 20_000)
        try visit(test)
        let request = try #require(test.takeFaceRequest())
        test.wait(19_900)
        #expect(test.records.isEmpty)
        test.wait(200)
        test.expectNoAccept()
        #expect(test.records.first?.reasons == [.face(.timedOut)])
        answer(test, Self.match, of: request.number)
        test.expectNoAccept()
        #expect(test.records.count == 1)
    }

    @Test("a request that nobody took runs out as well")
    func untaken() throws {
        let test = try gate(.required, time: 5_000)
        try visit(test)
        test.wait(5_100)
        #expect(test.records.first?.reasons == [.face(.timedOut)])
        #expect(test.takeFaceRequest() == nil)
    }

    @Test("without a photo: required rejects at once, when-photo accepts and says so, off asks nobody")
    func withoutPhoto() throws {
        let required = try gate(.required)
        try visit(required, portrait: nil)
        required.expectNoAccept()
        #expect(required.records.first?.reasons == [.face(.noPortrait)])
        #expect(required.takeFaceRequest() == nil)

        let whenPhoto = try gate(.whenPhoto)
        try visit(whenPhoto, portrait: nil)
        #expect(whenPhoto.outcomes == [.accepted])
        #expect(whenPhoto.records.first?.isHolderBound == false)
        #expect(whenPhoto.records.first?.notes == ["holder-not-bound"])

        let off = try gate(.off)
        try visit(off)
        #expect(off.outcomes == [.accepted])
        #expect(off.records.first?.isHolderBound == false && off.takeFaceRequest() == nil)
    }

    @Test("a portrait that is no text is not the same as none", arguments: ["7", "[]", #"{"data":"/9j/"}"#, #"["/9j/"]"#, "true"])
    func noText(_ portrait: String) throws {
        for policy in [Policy.Face.required, .whenPhoto] {
            let test = try gate(policy)
            try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(portraitJSON: portrait)))
            test.wait(50)
            test.expectNoAccept()
            #expect(test.records.first?.reasons == [.face(.unsupportedPortrait)])
        }
        let null = try gate(.required)
        try null.visit(with: TestIssuer.wrapped(TestIssuer.credential(portraitJSON: "null")))
        null.wait(50)
        #expect(null.records.first?.reasons == [.face(.noPortrait)])
    }

    @Test("with a photo, when-photo compares")
    func whenPhoto() throws {
        let test = try gate(.whenPhoto)
        try visit(test)
        answer(test, FaceOutcome(refused: .noMatch), of: try #require(test.takeFaceRequest()).number)
        test.expectNoAccept()
        #expect(test.records.first?.reasons == [.face(.noMatch)])
    }

    @Test("a credential that is not believed never reaches the camera")
    func unbelieved() throws {
        let test = try gate(.required)
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(expires: TestIssuer.now - 10, portrait: Self.photo)))
        test.wait(50)
        #expect(test.outcomes == [.rejected])
        #expect(test.faceRequest == nil && test.takeFaceRequest() == nil)
        #expect(!test.lights.contains(.look))
    }

    @Test("a wallet that leaves takes the request with it, and the next visitor does not inherit the answer")
    func leaving() throws {
        let test = try gate(.required)
        try visit(test)
        let request = try #require(test.takeFaceRequest())
        test.leave()
        #expect(test.faceRequest == nil)
        test.wait(100)
        #expect(test.outcomes == [.left])
        answer(test, Self.match, of: request.number)
        test.expectNoAccept()

        try visit(test)
        #expect(test.light == .look)
        // The answer about the one before comes late.
        answer(test, Self.match, of: request.number)
        test.expectNoAccept()
        #expect(test.faceRequest != nil && test.faceRequest != request.number)
        answer(test, FaceOutcome(refused: .noMatch), of: try #require(test.takeFaceRequest()).number)
        #expect(test.outcomes == [.left, .rejected])
    }

    @Test("a match whose record cannot be stored is a reject")
    func noRecord() throws {
        let test = try gate(.required)
        test.shelf = .fails
        try visit(test)
        answer(test, Self.match, of: try #require(test.takeFaceRequest()).number)
        #expect(test.statuses == [[1]])
        #expect(!test.lights.contains(.accept))
    }

    @Test("the next visitor is looked at when the light of the last verdict is over, not before")
    func lastVerdict() throws {
        let test = try gate(.required)
        try visit(test)
        answer(test, Self.match, of: try #require(test.takeFaceRequest()).number)
        #expect(test.light == .accept)
        test.leave()
        test.wait(10)
        #expect(test.light == .accept)
        test.visitsWaitForLights = false
        try visit(test)
        // Whoever stands there is let in: not the face that belongs to this credential.
        #expect(test.light == .accept && test.takeFaceRequest() == nil && test.wantsCamera)
        test.waitForLights()
        #expect(test.light == .look)
        #expect(test.takeFaceRequest() != nil)
        // And the light does not come back for whoever left without an answer.
        test.leave()
        test.wait(10)
        #expect(test.light == .ready)
    }

    @Test("stopping in front of the camera ends the visit without a verdict")
    func stopping() throws {
        let test = try gate(.required)
        try visit(test)
        let request = try #require(test.takeFaceRequest())
        test.gate.stop(at: test.now)
        test.turn()
        answer(test, Self.match, of: request.number)
        test.wait(2000)
        test.expectNoAccept()
        #expect(test.outcomes == [.stopped])
        #expect(test.isStopped)
    }

    @Test("a controller that fails in front of the camera ends the visit")
    func controllerFails() throws {
        let test = try gate(.required)
        try visit(test)
        let request = try #require(test.takeFaceRequest())
        test.gate.linkLost(at: test.now)
        test.turn()
        #expect(test.faceRequest == nil)
        answer(test, Self.match, of: request.number)
        test.expectNoAccept()
        #expect(test.outcomes == [.controllerFault])
    }

    @Test("the camera is wanted from Identify to the verdict, and only where faces are compared")
    func camera() throws {
        let test = try gate(.required)
        #expect(!test.wantsCamera)
        try test.goodVisit(upTo: .exchanged)
        #expect(!test.wantsCamera)
        test.leave()
        test.wait(100)
        try visit(test)
        #expect(test.wantsCamera)
        answer(test, Self.match, of: try #require(test.takeFaceRequest()).number)
        #expect(!test.wantsCamera)
        test.leave()
        test.wait(5000)
        #expect(!test.wantsCamera)

        let off = try gate(.off)
        try off.goodVisit(upTo: .halfSent)
        #expect(!off.wantsCamera)
    }

    @Test("whoever stays out of the camera's sight wastes the gate's time, and is sent away like others who do")
    func outOfSight() throws {
        let test = try gate(.required)
        for _ in 0..<6 {
            try visit(test)
            if let request = test.takeFaceRequest() {
                test.wait(8_000)
                answer(test, FaceOutcome(refused: .noFace), of: request.number)
            }
            test.leave()
            test.wait(100)
        }
        #expect(test.outcomes.count < 6)
        #expect(test.records.contains { $0.step > 0 })
    }

    @Test("a camera that fails is nobody's fault")
    func cameraFails() throws {
        let test = try gate(.required)
        for _ in 0..<6 {
            try visit(test)
            let request = try #require(test.takeFaceRequest())
            test.wait(8_000)
            answer(test, FaceOutcome(refused: .cameraFailed), of: request.number)
            test.leave()
            test.wait(100)
        }
        #expect(test.outcomes.count == 6 && test.records.allSatisfy { $0.step == 0 })
    }

    @Test("visitors whom the camera does not know are rejected again and again without anybody being sent away")
    func patience() throws {
        let test = try gate(.required)
        for _ in 0..<12 {
            try visit(test)
            let request = try #require(test.takeFaceRequest())
            test.wait(8_000)
            answer(test, FaceOutcome(decision: .refused(.noMatch, .below), frames: 9, compared: 8, isTrial: true), of: request.number)
            test.leave()
            test.wait(4000)
        }
        #expect(test.outcomes == Array(repeating: .rejected, count: 12))
        #expect(test.abandoned.isEmpty)
        #expect(test.records.allSatisfy { $0.step == 0 })
    }
}
