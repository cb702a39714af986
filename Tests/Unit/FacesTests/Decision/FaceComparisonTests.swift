import Faces
import Testing
import VisionProtocol

@Suite("One comparison")
struct FaceComparisonTests {
    private func compare(
        reference: FrameAssessment = Scene.face(nil), probe: FrameAssessment = Scene.face(0.8),
        by identity: PluginIdentity = Scene.identity(),
        threshold: Double = 0.75
    ) throws -> FaceComparison {
        FaceComparison(reference: reference, probe: probe, by: identity, thresholds: try Scene.thresholds(threshold), settings: .standard)
    }

    @Test("matches from the threshold on")
    func threshold() throws {
        #expect(try compare() == .match)
        #expect(try compare(threshold: 0.8) == .match)
        #expect(try compare(threshold: 0.81) == .refused(.noMatch))
        for score in [Double.nan, .infinity, 1.1] { #expect(try compare(probe: Scene.face(score)) == .refused(.noMatch)) }
    }

    @Test("is never a match where anything is wrong")
    func errors() throws {
        #expect(try compare(by: Scene.identity(model: String(repeating: "b", count: 64))) == .refused(.notCalibrated))
        #expect(try compare(reference: Scene.two) == .refused(.referenceUnusable))
        #expect(try compare(reference: FrameAssessment(status: 0x10000)) == .refused(.portraitUnreadable))
        var small = Scene.face(nil)
        small.eyeDistance = 10
        #expect(try compare(reference: small) == .refused(.referenceTooSmall))
        #expect(try compare(probe: Scene.nobody) == .refused(.noFace))
        #expect(try compare(probe: Scene.two) == .refused(.severalFaces))
        #expect(try compare(probe: Scene.blurred) == .refused(.poorQuality, .blurred))
        #expect(try compare(probe: FrameAssessment(status: 0x10000)) == .refused(.cameraFailed))
        #expect(try compare(probe: Scene.face(nil)) == .refused(.workerLied))
        #expect(try compare(probe: FrameAssessment(status: 22)) == .refused(.workerFailed))
    }

    @Test("is denied by the check for attacks, and where one was promised and not made")
    func attacks() throws {
        #expect(try compare(probe: Scene.face(1, attack: 0.1)) == .refused(.presentationAttack))
        #expect(try compare(probe: Scene.face(1, attack: .nan)) == .refused(.presentationAttack))
        #expect(try compare(by: Scene.identity(checksAttacks: true)) == .refused(.workerLied))
        #expect(try compare(probe: Scene.face(1, attack: -1), by: Scene.identity(checksAttacks: true)) == .match)
    }
}
