import Faces
import VisionProtocol

/// What workers say, and the attempt they say it to.
enum Scene {
    static let model = String(repeating: "a", count: 64)
    static let second: UInt64 = 1_000_000_000
    static let millisecond: UInt64 = 1_000_000

    static func identity(
        id: String = "test", model: String = Scene.model, checksAttacks: Bool = false, referenceMinimum: UInt32 = 0
    ) -> PluginIdentity {
        PluginIdentity(
            id: id, version: "1", modelSHA256: model, capabilities: checksAttacks ? 0b101 : 0b1, referenceMinimum: referenceMinimum)
    }

    static func thresholds(_ threshold: Double = 0.75) throws -> FaceThresholds {
        var thresholds = FaceThresholds()
        try thresholds.set(FaceThreshold(plugin: "test", model: model, threshold: threshold, evidence: .provisional, date: "2026-01-01"))
        return thresholds
    }

    /// One good face in the middle.
    static func face(_ similarity: Double?, x: Float = 200, attack: Float? = nil) -> FrameAssessment {
        var assessment = FrameAssessment(status: 0)
        assessment.width = 640
        assessment.height = 480
        assessment.faces = 1
        assessment.face = FaceBox(x: x, y: 120, width: 180, height: 180)
        assessment.eyeDistance = 75
        assessment.yaw = 0
        assessment.pitch = 0
        assessment.brightness = 120
        assessment.sharpness = 200
        assessment.attackScore = attack
        assessment.similarity = similarity
        return assessment
    }

    static var nobody: FrameAssessment {
        var assessment = FrameAssessment(status: 8)
        assessment.width = 640
        assessment.height = 480
        assessment.brightness = 100
        return assessment
    }

    static var black: FrameAssessment {
        var assessment = nobody
        assessment.brightness = 2
        return assessment
    }

    static var two: FrameAssessment {
        var assessment = face(0.99)
        assessment.faces = 2
        assessment.secondArea = 0.7
        return assessment
    }

    static var blurred: FrameAssessment {
        var assessment = face(0.99)
        assessment.sharpness = 1
        return assessment
    }

    /// An attempt that wants frames.
    static func looking(
        _ settings: FaceSettings = .standard, threshold: Double = 0.75, checksAttacks: Bool = false
    ) throws -> Attempt {
        var attempt = Attempt(settings)
        attempt.check.workerReady(identity(checksAttacks: checksAttacks), thresholds: try thresholds(threshold), at: attempt.now)
        attempt.check.takeReference(face(nil), at: attempt.now)
        return attempt
    }
}

/// A check and its clock.
struct Attempt {
    var check: FaceCheck
    var now: UInt64 = 50 * Scene.second
    /// When the last frame was taken.
    private(set) var shown: UInt64 = 0

    init(_ settings: FaceSettings = .standard) {
        check = FaceCheck(settings: settings, at: now)
    }

    /// A frame taken `after` milliseconds after the last one.
    mutating func see(_ assessment: FrameAssessment, after: UInt64 = 200) {
        now += after * Scene.millisecond
        shown = now
        check.takeProbe(assessment, captured: now, at: now)
    }

    mutating func see(scores: [Double]) {
        for score in scores { see(Scene.face(score)) }
    }

    var reason: FaceReason? { check.outcome?.reason }
    var isBound: Bool { check.outcome?.isBound ?? false }
}
