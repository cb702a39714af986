import VisionProtocol

/// Where the median score of an attempt lay. All that is kept of a score: finer steps would describe a face.
public enum FaceBin: UInt8, Hashable, Sendable, CaseIterable {
    case farBelow, below, justBelow, justAbove, above

    /// - Parameters:
    ///   - similarity: 0 to 1.
    ///   - threshold: above 0, at most 1.
    init(_ similarity: Double, threshold: Double) {
        if similarity >= threshold {
            self = similarity >= threshold + 0.2 * (1 - threshold) ? .above : .justAbove
        } else if similarity >= 0.8 * threshold {
            self = similarity >= 0.95 * threshold ? .justBelow : .below
        } else {
            self = .farBelow
        }
    }

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .farBelow: "far-below"
        case .below: "below"
        case .justBelow: "just-below"
        case .justAbove: "just-above"
        case .above: "above"
        }
    }
}

/// How an attempt ended.
public struct FaceOutcome: Hashable, Sendable {
    public enum Decision: Hashable, Sendable {
        /// The visitor is the person in the portrait.
        case bound(FaceBin)
        /// The bin is nil where nothing was compared.
        case refused(FaceReason, FaceBin?)
    }

    public let decision: Decision
    /// What was wrong with most frames, where the reason is their quality; nil where only the matcher knows.
    public let flaw: FrameFlaw?
    /// Frames that were assessed, and how many of them were compared.
    public let frames: UInt32
    public let compared: UInt32
    /// Whether this attempt taught the visitor something about the portrait or the attack check: it counts against the credential when it
    /// was refused.
    public let isTrial: Bool

    public var isBound: Bool {
        if case .bound = decision { true } else { false }
    }

    /// Whether it ended so because of where the visitor stood.
    public var isVisitorsDoing: Bool {
        switch reason {
        case .noFace, .severalFaces, .poorQuality: true
        default: false
        }
    }

    /// Nil where somebody was bound.
    public var reason: FaceReason? {
        if case .refused(let reason, _) = decision { reason } else { nil }
    }

    /// Nil where nothing was compared.
    public var bin: FaceBin? {
        switch decision {
        case .bound(let bin): bin
        case .refused(_, let bin): bin
        }
    }

    /// An attempt that ended before there was a `FaceCheck`: no portrait, locked out.
    public init(refused reason: FaceReason) {
        self.init(decision: .refused(reason, nil), flaw: nil, frames: 0, compared: 0, isTrial: false)
    }

    init(decision: Decision, flaw: FrameFlaw? = nil, frames: UInt32, compared: UInt32, isTrial: Bool) {
        self.decision = decision
        self.flaw = flaw
        self.frames = frames
        self.compared = compared
        self.isTrial = isTrial
    }
}

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
    /// The face was too small, too dark, too bright, blurred or turned away, leaning, or something covered it.
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
}
