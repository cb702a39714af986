import Faces
import Testing

@Suite("A face check")
struct FaceCheckTests {
    @Test("asks for a worker, the reference and frames, in this order, and binds after three passes")
    func binds() throws {
        var attempt = Attempt()
        #expect(attempt.check.wants == .worker)
        attempt.check.workerReady(Scene.identity(), thresholds: try Scene.thresholds(), at: attempt.now)
        #expect(attempt.check.wants == .reference)
        attempt.check.takeReference(Scene.face(nil), at: attempt.now)
        #expect(attempt.check.wants == .frame)
        #expect(attempt.check.deadline == attempt.now + 6 * Scene.second)
        attempt.see(scores: [0.9, 0.9])
        #expect(attempt.check.outcome == nil)
        attempt.see(scores: [0.9])
        #expect(attempt.check.outcome?.decision == .bound(.above))
        #expect(attempt.check.outcome?.frames == 3)
        #expect(attempt.check.outcome?.compared == 3)
        #expect(attempt.check.wants == .nothing)
        #expect(attempt.check.deadline == nil)
    }

    @Test("three of five are enough, wherever they lie among the five", arguments: 0..<32)
    func threeOfFive(pattern: Int) throws {
        var attempt = try Scene.looking()
        for place in 0..<5 { attempt.see(scores: [pattern >> place & 1 == 1 ? 0.8 : 0.6]) }
        #expect(attempt.isBound == (pattern.nonzeroBitCount >= 3))
    }

    @Test("two passes in every five are never enough, however many there are")
    func twoOfFive() throws {
        var attempt = try Scene.looking()
        attempt.see(scores: [0.99, 0.99, 0.1, 0.1, 0.1, 0.99, 0.99, 0.1, 0.1, 0.1, 0.99])
        #expect(attempt.check.outcome == nil)
        attempt.see(scores: [0.99])
        #expect(attempt.reason == .noMatch)
        #expect(attempt.check.outcome?.compared == 12)
    }

    @Test("one perfect score among many is worth nothing")
    func notBestOfMany() throws {
        var attempt = try Scene.looking()
        attempt.see(scores: [0.3, 0.3, 1, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3])
        #expect(attempt.check.outcome?.decision == .refused(.noMatch, .farBelow))
    }

    @Test("what was decided stands")
    func final() throws {
        var attempt = try Scene.looking()
        attempt.see(scores: Array(repeating: 0.1, count: 12))
        let outcome = attempt.check.outcome
        attempt.see(scores: [0.9, 0.9, 0.9, 0.9])
        attempt.check.workerReady(Scene.identity(), thresholds: try Scene.thresholds(), at: attempt.now)
        attempt.check.refuse(.cameraFailed)
        attempt.check.expire(at: .max)
        #expect(attempt.check.outcome == outcome)
        #expect(attempt.reason == .noMatch)
    }

    @Test(
        "a score that is not a number, or above all scores, does not pass",
        arguments: [Double.nan, -.nan, .infinity, -.infinity, 1.000_001, -1])
    func notANumber(score: Double) throws {
        var attempt = try Scene.looking()
        attempt.see(scores: Array(repeating: score, count: 12))
        #expect(attempt.reason == .noMatch)
    }

    @Test("the threshold decides: the same scores pass a lower one and not a higher one")
    func threshold() throws {
        var low = try Scene.looking(threshold: 0.7)
        var high = try Scene.looking(threshold: 0.8)
        let scores = Array(repeating: 0.75, count: 12)
        low.see(scores: scores)
        high.see(scores: scores)
        #expect(low.isBound)
        #expect(high.reason == .noMatch)
        var exact = try Scene.looking(threshold: 0.75)
        exact.see(scores: scores)
        #expect(exact.isBound)
    }

    @Test("each number of the policy decides")
    func policy() throws {
        var four = try Scene.looking(FaceSettings([.passes: 4]))
        four.see(scores: [0.9, 0.9, 0.9])
        #expect(four.check.outcome == nil)
        four.see(scores: [0.9])
        #expect(four.isBound)

        var few = try Scene.looking(FaceSettings([.frames: 5]))
        few.see(scores: [0.1, 0.1, 0.1, 0.9, 0.9])
        #expect(few.reason == .noMatch)

        var brief = try Scene.looking(FaceSettings([.lookSeconds: 1]))
        brief.see(Scene.nobody, after: 999)
        #expect(brief.check.outcome == nil)
        brief.see(Scene.nobody, after: 1)
        #expect(brief.reason == .noFace)
    }

    @Test("another model, another plug-in or no entry at all is not calibrated")
    func notCalibrated() throws {
        let other = String(repeating: "b", count: 64)
        for identity in [Scene.identity(model: other), Scene.identity(id: "tests"), Scene.identity(model: Scene.model.uppercased())] {
            var attempt = Attempt()
            attempt.check.workerReady(identity, thresholds: try Scene.thresholds(), at: attempt.now)
            #expect(attempt.reason == .notCalibrated)
            #expect(attempt.check.wants == .nothing)
        }
        var empty = Attempt()
        empty.check.workerReady(Scene.identity(), thresholds: FaceThresholds(), at: empty.now)
        #expect(empty.reason == .notCalibrated)
    }

    @Test("another worker in the middle of an attempt refuses: it has no reference")
    func secondWorker() throws {
        var attempt = try Scene.looking()
        attempt.see(scores: [0.9, 0.9])
        attempt.check.workerReady(Scene.identity(), thresholds: try Scene.thresholds(), at: attempt.now)
        #expect(attempt.reason == .workerFailed)
    }

    @Test("answers nobody asked for are lies")
    func unasked() throws {
        var early = Attempt()
        early.check.takeProbe(Scene.face(0.9), captured: early.now, at: early.now)
        #expect(early.reason == .workerLied)
        var reference = Attempt()
        reference.check.takeReference(Scene.face(nil), at: reference.now)
        #expect(reference.reason == .workerLied)
        var twice = try Scene.looking()
        twice.check.takeReference(Scene.face(nil), at: twice.now)
        #expect(twice.reason == .workerLied)
    }

    @Test("no worker, and no word about the reference, are in time or too late")
    func preparation() throws {
        var none = Attempt()
        none.check.expire(at: none.now + 5 * Scene.second - 1)
        #expect(none.check.outcome == nil)
        none.check.expire(at: none.now + 5 * Scene.second)
        #expect(none.reason == .workerTimedOut)
        #expect(none.check.outcome?.isTrial == false)

        var late = Attempt()
        late.check.workerReady(Scene.identity(), thresholds: try Scene.thresholds(), at: late.now)
        late.check.takeReference(Scene.face(nil), at: late.now + 5 * Scene.second)
        #expect(late.reason == .workerTimedOut)
    }

    @Test("a clock at its end traps nowhere")
    func endOfTime() throws {
        var check = FaceCheck(settings: .standard, at: .max - 1)
        #expect(check.deadline == .max)
        check.workerReady(Scene.identity(), thresholds: try Scene.thresholds(), at: .max - 1)
        check.takeReference(Scene.face(nil), at: .max - 1)
        check.takeProbe(Scene.face(0.9), captured: .max, at: .max - 1)
        check.expire(at: .max)
        #expect(check.outcome?.isBound == false)
    }

    @Test("the third pass comes too late when the time is over")
    func tooLate() throws {
        var attempt = try Scene.looking()
        attempt.see(scores: [0.9, 0.9])
        attempt.see(Scene.face(0.9), after: 5_700)
        #expect(attempt.reason == .timedOut)
        #expect(attempt.check.outcome?.isTrial == true)
    }

    @Test("a frame from before the attempt, the same frame twice, and frames out of order count for nothing")
    func staleFrames() throws {
        var attempt = try Scene.looking()
        let start = attempt.now
        for _ in 0..<5 { attempt.check.takeProbe(Scene.face(0.9), captured: start - 1, at: start) }
        for _ in 0..<5 { attempt.check.takeProbe(Scene.face(0.9), captured: start + 1, at: start + 1) }
        for _ in 0..<5 { attempt.check.takeProbe(Scene.face(0.9), captured: start, at: start + 2) }
        #expect(attempt.check.outcome == nil)
        attempt.check.refuse(.timedOut)
        #expect(attempt.check.outcome?.frames == 1)
    }

    @Test("frames of one blink are one comparison")
    func spacing() throws {
        var attempt = try Scene.looking()
        for _ in 0..<10 { attempt.see(Scene.face(0.9), after: 14) }
        #expect(attempt.check.outcome == nil)
        attempt.check.refuse(.timedOut)
        #expect(attempt.check.outcome?.compared == 1)
        #expect(attempt.check.outcome?.frames == 10)
    }

    @Test(
        "a look that would still last when a frame is due that counts is in the way; before the first comparison, and once one is due, none is"
    )
    func inTheWay() throws {
        let millisecond: UInt64 = 1_000_000
        var attempt = try Scene.looking()
        #expect(!attempt.check.isInTheWay(captured: attempt.now, lasting: .max))
        attempt.see(Scene.face(0.9))
        let compared = attempt.now
        // 150 ms apart, by the standard.
        for (after, lasting, expected) in [
            (10, 140, false), (10, 141, true), (100, 50, false), (100, 51, true), (149, 2, true), (150, 500, false), (400, 500, false),
        ] {
            let found = attempt.check.isInTheWay(captured: compared + UInt64(after) * millisecond, lasting: UInt64(lasting) * millisecond)
            #expect(found == expected, "\(after) \(lasting)")
        }
        #expect(!attempt.check.isInTheWay(captured: compared, lasting: .max) && !attempt.check.isInTheWay(captured: 0, lasting: .max))
        #expect(!attempt.check.isInTheWay(captured: .max, lasting: .max))
    }

    @Test("where comparisons are so far apart that a face would be lost between two, no look is in the way", arguments: [0.5, 0.501, 1])
    func inTheWayOfNothing(spacing: Double) throws {
        var attempt = try Scene.looking(try FaceSettings([.spacingSeconds: spacing]))
        attempt.see(Scene.face(0.9))
        #expect(attempt.check.isInTheWay(captured: attempt.now + 33_000_000, lasting: 600_000_000) == (spacing == 0.5))
    }

    @Test("an attempt that is given up still tells whether it was a trial")
    func givenUp() throws {
        var before = try Scene.looking()
        before.see(Scene.nobody)
        before.check.refuse(.timedOut)
        #expect(before.check.outcome?.isTrial == false)
        var after = try Scene.looking()
        after.see(scores: [0.5])
        after.check.refuse(.timedOut)
        #expect(after.check.outcome?.isTrial == true)
        #expect(after.check.outcome?.decision == .refused(.timedOut, .farBelow))
    }
}
