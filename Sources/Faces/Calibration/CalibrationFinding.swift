/// What a picture is worth to calibration as a frame: quality is noted, but keeps nothing out, since a site's own pictures say what it has to live
/// with.
public enum CalibrationFinding: Hashable, Sendable {
    /// Its similarity to the reference; and the gate it would not pass at the gate.
    case compared(Double, FrameFlaw?)
    case notCompared(FaceReason)

    public init(_ probe: FrameAssessment, settings: FaceSettings) {
        if probe.isAttack(limit: settings.attackLimit) {
            self = .notCompared(.presentationAttack)
            return
        }
        switch ProbeFinding(probe, settings: settings) {
        case .failure(let reason): self = .notCompared(reason)
        case .broken: self = .notCompared(.portraitUnreadable)
        case .nobody: self = .notCompared(.noFace)
        case .several: self = .notCompared(.severalFaces)
        case .face(let similarity): self = .compared(similarity, nil)
        case .poor:
            if let similarity = probe.similarity { self = .compared(similarity, probe.flaw(by: settings)) } else { self = .notCompared(.poorQuality) }
        }
    }
}
