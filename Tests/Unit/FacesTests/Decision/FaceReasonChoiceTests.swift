import Faces
import Testing
import VisionProtocol

/// Which reason a refusal has.
@Suite("The reason of a refusal")
struct FaceReasonChoiceTests {
    /// The reason after these frames, a tenth of a second apart, and then nothing until the time is over.
    private func reason(_ frames: [FrameAssessment]) throws -> FaceReason? {
        var attempt = try Scene.looking()
        for frame in frames { attempt.see(frame, after: 160) }
        if let deadline = attempt.check.deadline { attempt.check.expire(at: deadline) }
        return attempt.reason
    }

    private func frames(_ frame: FrameAssessment, _ count: Int) -> [FrameAssessment] { Array(repeating: frame, count: count) }

    @Test("is the camera's where it gave no frame, or only black and broken ones")
    func camera() throws {
        #expect(try reason([]) == .cameraFailed)
        #expect(try reason(frames(Scene.black, 20)) == .cameraFailed)
        #expect(try reason(frames(FrameAssessment(status: 0x10000), 20)) == .cameraFailed)
        var dark = Scene.nobody
        dark.brightness = .nan
        #expect(try reason(frames(dark, 20)) == .cameraFailed)
    }

    @Test("is what was seen most")
    func most() throws {
        #expect(try reason(frames(Scene.nobody, 20)) == .noFace)
        #expect(try reason(frames(Scene.nobody, 9) + frames(Scene.black, 10)) == .cameraFailed)
        #expect(try reason(frames(Scene.nobody, 9) + frames(Scene.blurred, 10)) == .poorQuality)
        #expect(try reason(frames(Scene.two, 11) + frames(Scene.blurred, 10)) == .severalFaces)
        #expect(try reason(frames(Scene.two, 3) + frames(Scene.face(0.2), 4)) == .noMatch)
        #expect(try reason(frames(Scene.nobody, 5) + frames(Scene.face(0.2), 4)) == .noFace)
    }

    @Test("is, among equals, what tells the visitor most")
    func equal() throws {
        #expect(try reason([Scene.face(0.2), Scene.two, Scene.blurred, Scene.nobody, Scene.black]) == .noMatch)
        #expect(try reason([Scene.two, Scene.blurred, Scene.nobody, Scene.black]) == .severalFaces)
        #expect(try reason([Scene.blurred, Scene.nobody, Scene.black]) == .poorQuality)
        #expect(try reason([Scene.nobody, Scene.black]) == .noFace)
    }

    @Test("says of poor frames what most of them had, and of equals the first")
    func flaws() throws {
        func flaw(_ frames: [FrameAssessment]) throws -> FrameFlaw? {
            var attempt = try Scene.looking()
            for frame in frames { attempt.see(frame, after: 160) }
            if let deadline = attempt.check.deadline { attempt.check.expire(at: deadline) }
            return attempt.check.outcome?.flaw
        }
        var leaning = Scene.face(0.9)
        leaning.roll = 40
        #expect(try flaw(frames(leaning, 3) + frames(Scene.blurred, 2)) == .leaning)
        #expect(try flaw(frames(leaning, 2) + frames(Scene.blurred, 2)) == .blurred)
        // The plug-in's own judgement has no word for it.
        var unusable = Scene.face(0.9)
        unusable.status = 15
        #expect(try flaw(frames(unusable, 5)) == nil)
        // What it does not describe is not called small, nor is what it describes with numbers that cannot be.
        #expect(try flaw(frames(FrameAssessment(status: 15), 5)) == nil)
        #expect(try reason(frames(FrameAssessment(status: 15), 5)) == .poorQuality)
        // Nor has anybody else's reason one.
        #expect(try flaw(frames(Scene.blurred, 3) + frames(Scene.nobody, 4)) == nil)
        #expect(try flaw(frames(Scene.face(0.2), 12)) == nil)
    }

    @Test("is the time where the face passed more often than not")
    func tooSlow() throws {
        #expect(try reason([Scene.face(0.9), Scene.face(0.9)]) == .timedOut)
        #expect(try reason([Scene.face(0.9), Scene.face(0.2)]) == .noMatch)
    }

    @Test("follows from the plug-in's code, which ends the attempt where the worker has failed")
    func codes() throws {
        let ends: [Int32: FaceReason] = [
            1: .workerFailed, 2: .workerFailed, 5: .workerFailed, 6: .workerFailed, 7: .workerFailed, 10: .workerFailed, 11: .workerFailed,
            13: .workerFailed, 14: .workerFailed, 16: .workerFailed, 17: .workerFailed, 18: .workerTimedOut, 19: .workerFailed,
            20: .workerFailed, 21: .workerFailed, 22: .workerFailed, 23: .workerLied, -1: .workerLied, 0x10002: .workerLied,
            0x10003: .workerLied, 0x10004: .workerLied, 0x10005: .workerLied, .max: .workerLied, .min: .workerLied,
        ]
        for (status, reason) in ends {
            var attempt = try Scene.looking()
            attempt.see(scores: [0.9, 0.9])
            var frame = Scene.face(0.9)
            frame.status = status
            attempt.see(frame)
            #expect(attempt.reason == reason, "\(status)")
        }
        let goesOn: [Int32: FaceReason] = [
            3: .cameraFailed, 4: .poorQuality, 8: .noFace, 9: .severalFaces, 15: .poorQuality, 0x10000: .cameraFailed,
            0x10001: .cameraFailed,
        ]
        for (status, expected) in goesOn {
            var frame = Scene.face(0.9)
            frame.status = status
            #expect(try reason(frames(frame, 12)) == expected, "\(status)")
        }
    }

    @Test("is a lie where a template was made and there is no similarity, and nobody where it was made of no face")
    func incomplete() throws {
        #expect(try reason([Scene.face(nil)]) == .workerLied)
        var none = Scene.face(0.9)
        none.faces = 0
        #expect(try reason(frames(none, 5)) == .noFace)
    }

    @Test("is the stage's own where it gives one")
    func given() throws {
        for reason in [FaceReason.workerFailed, .workerTimedOut, .workerLied] {
            var attempt = try Scene.looking()
            attempt.see(scores: [0.9, 0.9])
            attempt.check.workerFailed(reason)
            #expect(attempt.check.outcome?.decision == .refused(reason, .above))
        }
        var attempt = Attempt()
        attempt.check.cameraFailed()
        #expect(attempt.check.outcome?.decision == .refused(.cameraFailed, nil))
    }
}

@Suite("The quality gates")
struct FrameFlawTests {
    private typealias Change = (inout FrameAssessment) -> Void

    @Test("find each flaw, at its limit and not before it")
    func limits() {
        let cases: [(FrameFlaw?, Change)] = [
            (nil, { _ in }),
            (nil, { $0.eyeDistance = 60 }), (.small, { $0.eyeDistance = 59.9 }),
            (nil, { $0.brightness = 40 }), (.dark, { $0.brightness = 39.9 }),
            (nil, { $0.brightness = 220 }), (.bright, { $0.brightness = 220.1 }),
            (nil, { $0.sharpness = 10 }), (.blurred, { $0.sharpness = 9.9 }),
            (nil, { $0.yaw = -20 }), (.turned, { $0.yaw = -20.1 }), (.turned, { $0.yaw = 20.1 }),
            (nil, { $0.pitch = 20 }), (.turned, { $0.pitch = 20.1 }),
            (nil, { $0.roll = -25 }), (.leaning, { $0.roll = -25.1 }), (.leaning, { $0.roll = 25.1 }),
            (.occluded, { $0.qualityFlags = 1 << 5 }),
        ]
        for (flaw, change) in cases {
            var face = Scene.face(0.9)
            change(&face)
            #expect(face.flaw(by: .standard) == flaw)
        }
    }

    @Test("let nothing pass that is not a number")
    func notNumbers() {
        let cases: [(FrameFlaw, Change)] = [
            (.small, { $0.eyeDistance = .nan }), (.small, { $0.eyeDistance = .infinity }), (.dark, { $0.brightness = .nan }),
            (.blurred, { $0.sharpness = .nan }), (.turned, { $0.yaw = .nan }), (.turned, { $0.pitch = .nan }),
            (.leaning, { $0.roll = .nan }),
        ]
        for (flaw, change) in cases {
            var face = Scene.face(0.9)
            change(&face)
            #expect(face.flaw(by: .standard) == flaw)
        }
    }

    @Test("do without angles, and judge the face's width where the eyes are not known")
    func unknown() {
        var face = Scene.face(0.9)
        face.yaw = nil
        face.pitch = nil
        face.eyeDistance = nil
        #expect(face.flaw(by: .standard) == nil)
        face.face.width = 149
        #expect(face.flaw(by: .standard) == .small)
        face.face.width = .nan
        #expect(face.flaw(by: .standard) == .small)
    }

    @Test("follow the settings")
    func settings() throws {
        var face = Scene.face(0.9)
        face.eyeDistance = 40
        face.sharpness = 5
        #expect(face.flaw(by: try FaceSettings([.eyeDistance: 40, .sharpness: 5])) == nil)
        #expect(face.flaw(by: try FaceSettings([.eyeDistance: 41, .sharpness: 5])) == .small)
    }
}

@Suite("A reference")
struct ReferenceTests {
    private func reason(_ change: (inout FrameAssessment) -> Void, plugin: UInt32 = 0, settings: FaceSettings = .standard) throws
        -> FaceReason?
    {
        var attempt = Attempt(settings)
        attempt.check.workerReady(Scene.identity(referenceMinimum: plugin), thresholds: try Scene.thresholds(), at: attempt.now)
        var reference = Scene.face(nil)
        change(&reference)
        attempt.check.takeReference(reference, at: attempt.now)
        #expect((attempt.check.wants == .frame) == (attempt.check.outcome == nil))
        return attempt.reason
    }

    @Test("that is too small, unusable, unreadable or too large has a reason of its own")
    func reasons() throws {
        let cases: [(Int32, FaceReason)] = [
            (3, .portraitUnreadable), (0x10000, .portraitUnreadable), (0x10001, .portraitTooLarge), (8, .referenceUnusable),
            (9, .referenceUnusable), (4, .referenceUnusable), (15, .referenceUnusable), (1, .workerFailed), (22, .workerFailed),
            (18, .workerTimedOut), (0x10003, .workerLied), (0x10002, .workerLied), (99, .workerLied), (-1, .workerLied),
        ]
        for (status, expected) in cases { #expect(try reason { $0.status = status } == expected, "\(status)") }
        #expect(
            try reason {
                $0.status = 15
                $0.qualityFlags = 1 << 3
            } == .referenceTooSmall)
        #expect(try reason { $0.faces = 0 } == .referenceUnusable)
        #expect(
            try reason {
                $0.faces = 2
                $0.secondArea = 0.9
            } == .referenceUnusable)
        #expect(
            try reason {
                $0.faces = 2
                $0.secondArea = .nan
            } == .referenceUnusable)
        #expect(
            try reason {
                $0.faces = 2
                $0.secondArea = 0.1
            } == nil)
    }

    @Test("has to be as large as the plug-in asks, and larger where the settings ask for more, never smaller")
    func size() throws {
        #expect(try reason { $0.eyeDistance = 40 } == nil)
        #expect(try reason { $0.eyeDistance = 39.9 } == .referenceTooSmall)
        #expect(try reason { $0.eyeDistance = .nan } == .referenceTooSmall)
        #expect(try reason({ $0.eyeDistance = 24 }, plugin: 24) == nil)
        #expect(try reason({ $0.eyeDistance = 23 }, plugin: 24) == .referenceTooSmall)
        #expect(try reason({ $0.eyeDistance = 24 }, plugin: 24, settings: FaceSettings([.referenceMinimum: 30])) == .referenceTooSmall)
        #expect(try reason({ $0.eyeDistance = 30 }, plugin: 50, settings: FaceSettings([.referenceMinimum: 30])) == .referenceTooSmall)
        #expect(try reason({ $0.eyeDistance = 1e9 }, plugin: .max) == .referenceTooSmall)
    }

    @Test("is judged by its size alone: no gate for camera frames is applied to it")
    func gates() throws {
        #expect(
            try reason {
                $0.brightness = 5
                $0.sharpness = 0
                $0.yaw = 30
            } == nil)
    }
}
