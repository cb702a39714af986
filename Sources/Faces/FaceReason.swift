/// Why nobody was bound to the credential. Every one of them is a reject; data for counters and the audit log.
public enum FaceReason: UInt8, Hashable, Sendable, CaseIterable {
    /// The credential has no portrait among its covered claims.
    case noPortrait
    /// The portrait is no JPEG or PNG.
    case unsupportedPortrait
    /// The portrait is longer or has more pixels than is taken.
    case portraitTooLarge
    /// The portrait is no base64, or does not decode.
    case portraitUnreadable
    /// The face in the portrait is too small to be relied on.
    case referenceTooSmall
    /// The portrait shows no face, several, or one the matcher makes nothing of.
    case referenceUnusable
    /// There is no camera, it gives no frames, or only dark or broken ones.
    case cameraFailed
    /// The camera saw nobody.
    case noFace
    /// Two people stood before the camera.
    case severalFaces
    /// The face was too small, too dark, too bright, blurred or turned away.
    case poorQuality
    /// Another person than the one in the portrait.
    case noMatch
    /// The matcher's own check says that it is no living person.
    case presentationAttack
    /// Too many attempts with this credential.
    case lockedOut
    /// The worker died, or is not to be had.
    case workerFailed
    /// The worker did not answer in time.
    case workerTimedOut
    /// The worker's answer was none.
    case workerLied
    /// The threshold was not measured with this plug-in and this model.
    case notCalibrated
    /// No decision in time.
    case timedOut

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .noPortrait: "no-portrait"
        case .unsupportedPortrait: "unsupported-portrait"
        case .portraitTooLarge: "portrait-too-large"
        case .portraitUnreadable: "portrait-unreadable"
        case .referenceTooSmall: "reference-too-small"
        case .referenceUnusable: "reference-unusable"
        case .cameraFailed: "camera-failed"
        case .noFace: "no-face"
        case .severalFaces: "several-faces"
        case .poorQuality: "poor-quality"
        case .noMatch: "no-match"
        case .presentationAttack: "presentation-attack"
        case .lockedOut: "locked-out"
        case .workerFailed: "worker-failed"
        case .workerTimedOut: "worker-timed-out"
        case .workerLied: "worker-lied"
        case .notCalibrated: "not-calibrated"
        case .timedOut: "face-timed-out"
        }
    }

    /// For people.
    public var sentence: String {
        switch self {
        case .noPortrait: "The credential has no photo."
        case .unsupportedPortrait: "The photo in the credential is neither JPEG nor PNG."
        case .portraitTooLarge: "The photo in the credential is larger than the gate takes."
        case .portraitUnreadable: "The photo in the credential cannot be read."
        case .referenceTooSmall: "The face in the credential's photo is too small."
        case .referenceUnusable: "The photo in the credential shows no face that can be compared."
        case .cameraFailed: "The camera gives no picture."
        case .noFace: "The camera sees nobody."
        case .severalFaces: "More than one person stands before the camera."
        case .poorQuality: "The face is too small, too dark, too bright, blurred or turned away."
        case .noMatch: "The visitor does not look like the photo in the credential."
        case .presentationAttack: "The camera sees something that is not taken for a living face."
        case .lockedOut: "There were too many attempts with this credential."
        case .workerFailed: "The face matcher failed."
        case .workerTimedOut: "The face matcher took too long."
        case .workerLied: "The face matcher gave an answer that cannot be."
        case .notCalibrated: "No threshold was measured for this face matcher and its models."
        case .timedOut: "There was no decision about the face in time."
        }
    }
}
