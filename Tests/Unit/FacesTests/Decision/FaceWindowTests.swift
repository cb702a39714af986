import Faces
import Testing
import VisionProtocol

/// The same face, and nothing in between.
@Suite("The window of a face check")
struct FaceWindowTests {
    /// Two passes, then `between`, then a third: bound only where it is still the same face.
    private func bindsAfter(_ between: [FrameAssessment], third: FrameAssessment = Scene.face(0.9), after: UInt64 = 200) throws -> Bool {
        var attempt = try Scene.looking()
        attempt.see(scores: [0.9, 0.9])
        for frame in between { attempt.see(frame) }
        attempt.see(third, after: after)
        return attempt.isBound
    }

    @Test("goes on over a blurred, a dark, a turned and a broken frame of the same face")
    func poorFrames() throws {
        var dark = Scene.face(0.9), turned = Scene.face(0.9)
        dark.brightness = 10
        turned.yaw = -35
        #expect(try bindsAfter([]))
        #expect(try bindsAfter([Scene.blurred, dark, turned, FrameAssessment(status: 0x10000)]))
    }

    @Test("begins anew when the face vanishes, when the picture goes black and when somebody joins")
    func interrupted() throws {
        #expect(try !bindsAfter([Scene.nobody]))
        #expect(try !bindsAfter([Scene.black]))
        #expect(try !bindsAfter([Scene.two]))
        #expect(try !bindsAfter([FrameAssessment(status: 9)]))
    }

    @Test("begins anew when the box jumps, also when only a poor frame shows the other face")
    func jumped() throws {
        #expect(try bindsAfter([], third: Scene.face(0.9, x: 250)))
        #expect(try !bindsAfter([], third: Scene.face(0.9, x: 400)))
        var blurred = Scene.blurred
        blurred.face.x = 420
        #expect(try !bindsAfter([blurred]))
    }

    @Test("begins anew when the size of the picture changes, and when nobody looked for a second")
    func anotherPicture() throws {
        var smaller = Scene.face(0.9)
        smaller.width = 320
        smaller.height = 240
        #expect(try !bindsAfter([], third: smaller))
        #expect(try bindsAfter([], after: 1_000))
        #expect(try !bindsAfter([], after: 1_001))
    }

    @Test("a box that is no box is no face to go on with", arguments: [Float.nan, .infinity, -.infinity, 0, -180])
    func noBox(width: Float) throws {
        var attempt = try Scene.looking()
        for _ in 0..<12 {
            var frame = Scene.face(0.9)
            frame.face.width = width
            attempt.see(frame)
        }
        #expect(attempt.check.outcome?.isBound != true)
        var place = try Scene.looking()
        for _ in 0..<12 {
            var frame = Scene.face(0.9)
            frame.face.x = width - width + .nan
            place.see(frame)
        }
        #expect(place.check.outcome?.isBound != true)
    }

    @Test("people who take turns share the frames of the attempt, not their passes")
    func takingTurns() throws {
        var attempt = try Scene.looking()
        for turn in 0..<6 {
            attempt.see(Scene.face(0.9, x: turn % 2 == 0 ? 20 : 420))
            attempt.see(Scene.face(0.9, x: turn % 2 == 0 ? 20 : 420))
        }
        #expect(attempt.check.outcome?.isBound == false)
        #expect(attempt.check.outcome?.compared == 12)
    }

    @Test("a small second face behind the visitor does not matter, half as large it does")
    func background() throws {
        var attempt = try Scene.looking()
        for area in [Float(0.1), 0.5, 0.3] {
            var frame = Scene.face(0.9)
            frame.faces = 3
            frame.secondArea = area
            attempt.see(frame)
        }
        #expect(attempt.isBound)
        for area in [Float(0.51), 1, .nan] {
            var frame = Scene.face(0.9)
            frame.faces = 2
            frame.secondArea = area
            #expect(try !bindsAfter([frame]))
        }
    }
}
