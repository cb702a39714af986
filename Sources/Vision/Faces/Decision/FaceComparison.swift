import VisionProtocol

/// One picture against one reference: what the MOSIP Face SDK asks for. No vote, so that it is as likely to be wrong as one comparison is.
///
/// The visit does not use it: see `FaceCheck`.
public enum FaceComparison: Hashable, Sendable {
    case match
    /// `noMatch`, or why there was no comparison, with what was wrong with a picture of poor quality: an error is never a match.
    case refused(FaceReason, FrameFlaw? = nil)

    public var isMatch: Bool { self == .match }

    /// - Parameters:
    ///   - reference: of the photo in the credential.
    ///   - probe: of the picture that was taken, compared with it.
    ///   - identity: of the worker both are from.
    public init(
        reference: FrameAssessment, probe: FrameAssessment, by identity: PluginIdentity, thresholds: FaceThresholds, settings: FaceSettings
    ) {
        guard let threshold = thresholds.threshold(of: identity)?.threshold else {
            self = .refused(.notCalibrated)
            return
        }
        if let reason = reference.referenceFault(minimum: settings.referenceMinimum(for: identity), secondArea: settings.gates.secondArea) {
            self = .refused(reason)
            return
        }
        if probe.isAttack(limit: settings.attackLimit) {
            self = .refused(.presentationAttack)
            return
        }
        switch ProbeFinding(probe, settings: settings) {
        case .failure(let reason): self = .refused(reason)
        case .broken: self = .refused(.cameraFailed)
        case .nobody: self = .refused(.noFace)
        case .several: self = .refused(.severalFaces)
        case .poor: self = .refused(.poorQuality, probe.toldFlaw(by: settings))
        case .face(let similarity):
            guard probe.attackScore != nil || !identity.checksAttacks else {
                self = .refused(.workerLied)
                return
            }
            // Written so that what is not a number does not match.
            self = similarity >= threshold && similarity <= 1 ? .match : .refused(.noMatch)
        }
    }
}
