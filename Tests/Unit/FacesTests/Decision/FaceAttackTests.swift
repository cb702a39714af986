import Faces
import Testing
import VisionProtocol

@Suite("An attack")
struct FaceAttackTests {
    @Test("denies the whole attempt and beats perfect matches", arguments: [Float(0.01), 1, 7, .nan, .infinity])
    func beatsMatch(score: Float) throws {
        var attempt = try Scene.looking(checksAttacks: true)
        attempt.see(Scene.face(1, attack: -1))
        attempt.see(Scene.face(1, attack: -1))
        attempt.see(Scene.face(1, attack: score))
        #expect(attempt.reason == .presentationAttack)
        #expect(attempt.check.outcome?.isTrial == true)
        for _ in 0..<12 { attempt.see(Scene.face(1, attack: -1)) }
        #expect(attempt.reason == .presentationAttack)
    }

    @Test("denies whatever else the frame shows, and on the first frame")
    func anyFrame() throws {
        var frames = [Scene.nobody, Scene.black, Scene.two, Scene.blurred, Scene.face(nil), FrameAssessment(status: 1)]
        for index in frames.indices { frames[index].attackScore = 0.5 }
        for frame in frames {
            var attempt = try Scene.looking(checksAttacks: true)
            attempt.see(frame)
            #expect(attempt.reason == .presentationAttack)
            #expect(attempt.check.outcome?.isTrial == true)
        }
    }

    @Test("is seen by a plug-in that did not promise to look, too")
    func unpromised() throws {
        var attempt = try Scene.looking(checksAttacks: false)
        attempt.see(Scene.face(1, attack: 0.9))
        #expect(attempt.reason == .presentationAttack)
    }

    @Test("never averages: a person's score on other frames does not help")
    func noAverage() throws {
        var attempt = try Scene.looking(FaceSettings([.attackLimit: 0.5]), checksAttacks: true)
        attempt.see(Scene.face(0.1, attack: -1))
        attempt.see(Scene.face(0.1, attack: 0.5))
        #expect(attempt.check.outcome == nil)
        attempt.see(Scene.face(0.1, attack: 0.51))
        #expect(attempt.reason == .presentationAttack)
    }

    @Test("a plug-in that promises to look and gives no score denies")
    func promiseBroken() throws {
        var attempt = try Scene.looking(checksAttacks: true)
        attempt.see(Scene.face(1, attack: -1))
        attempt.see(Scene.face(1))
        #expect(attempt.reason == .workerLied)
        #expect(attempt.check.outcome?.isTrial == true)
    }

    @Test("a check that fails denies, and counts: one may not try until it does")
    func checkFailed() throws {
        var attempt = try Scene.looking(checksAttacks: true)
        attempt.see(FrameAssessment(status: FrameAssessment.Failure.attackCheckFailed.rawValue))
        #expect(attempt.reason == .workerFailed)
        #expect(attempt.check.outcome?.isTrial == true)
    }

    @Test("of a person, no score makes a match")
    func noHelp() throws {
        var attempt = try Scene.looking(checksAttacks: true)
        for _ in 0..<12 { attempt.see(Scene.face(0.74, attack: -1)) }
        #expect(attempt.reason == .noMatch)
    }
}
