import VisionProtocol

/// What an assessment of a frame comes down to.
enum ProbeFinding: Hashable, Sendable {
    /// The worker or the plug-in has failed: the attempt is over.
    case failure(FaceReason)
    /// No picture.
    case broken
    case nobody
    case several
    /// A face that is not compared.
    case poor
    /// A face with its similarity to the reference.
    case face(Double)

    init(_ assessment: FrameAssessment, settings: FaceSettings) {
        switch PluginStatus(assessment.status) {
        case .noTemplateMade(.refusedInput), .noTemplateMade(.undecodable), .noTemplateMade(.tooLarge): self = .broken
        case .noTemplateMade(.noFace): self = .nobody
        case .noTemplateMade(.manyFaces): self = .several
        case .noTemplateMade(.unusableFace): self = .poor
        case .failure(let reason): self = .failure(reason)
        case .templateMade:
            if assessment.faces == 0 {
                self = .nobody
            } else if assessment.showsSeveral(limit: settings.secondArea) {
                self = .several
            } else if assessment.flaw(by: settings) != nil {
                self = .poor
            } else if let similarity = assessment.similarity {
                self = .face(similarity)
            } else {
                self = .failure(.workerLied)
            }
        }
    }
}

/// The plug-in's and the worker's codes (`face_plugin.h`, `FrameAssessment.Failure`), by what follows from them.
enum PluginStatus: Hashable, Sendable {
    case templateMade
    case noTemplateMade(Cause)
    case failure(FaceReason)

    enum Cause: Hashable, Sendable {
        case refusedInput, undecodable, tooLarge, noFace, manyFaces, unusableFace
    }

    init(_ status: Int32) {
        switch status {
        case 0: self = .templateMade
        case 3: self = .noTemplateMade(.refusedInput)
        case 4, 15: self = .noTemplateMade(.unusableFace)
        case 8: self = .noTemplateMade(.noFace)
        case 9: self = .noTemplateMade(.manyFaces)
        case 18: self = .failure(.workerTimedOut)
        case 1...22: self = .failure(.workerFailed)
        default:
            switch FrameAssessment.Failure(rawValue: status) {
            case .undecodable: self = .noTemplateMade(.undecodable)
            case .tooLarge: self = .noTemplateMade(.tooLarge)
            // A code nobody knows is an answer that cannot be.
            case .noReference, .noTemplate, .badScore, .badStatus, .badInfo, nil: self = .failure(.workerLied)
            // Whether it was a person is not known: nobody is let in on that.
            case .attackCheckFailed: self = .failure(.workerFailed)
            }
        }
    }
}

extension FrameAssessment {
    /// Whether the plug-in takes this for no person. Written so that what is not a number is an attack.
    func isAttack(limit: Float) -> Bool {
        guard let attackScore else { return false }
        return !(attackScore <= limit)
    }

    /// `FMP_Q_SMALL`
    private static let small: UInt32 = 1 << 3

    /// Why the portrait cannot be relied on, or nil.
    ///
    /// - Parameters:
    ///   - minimum: pixels between the eyes.
    ///   - secondArea: `FaceSettings.secondArea`; a ghost image beside the portrait is smaller.
    public func referenceFault(minimum: Float, secondArea limit: Float) -> FaceReason? {
        switch PluginStatus(status) {
        case .noTemplateMade(.undecodable), .noTemplateMade(.refusedInput): return .portraitUnreadable
        case .noTemplateMade(.tooLarge): return .portraitTooLarge
        case .noTemplateMade(.noFace), .noTemplateMade(.manyFaces): return .referenceUnusable
        case .noTemplateMade(.unusableFace): return qualityFlags & Self.small == 0 ? .referenceUnusable : .referenceTooSmall
        case .failure(let reason): return reason
        case .templateMade:
            guard faces > 0, !showsSeveral(limit: limit) else { return .referenceUnusable }
            guard eyes >= minimum, eyes.isFinite else { return .referenceTooSmall }
            return nil
        }
    }
}

/// Why a face that is there is not compared.
public enum FrameFlaw: UInt8, Hashable, Sendable, CaseIterable {
    case small, blurred, dark, bright, turned, occluded

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .small: "small"
        case .blurred: "blurred"
        case .dark: "dark"
        case .bright: "bright"
        case .turned: "turned"
        case .occluded: "occluded"
        }
    }
}

extension FrameAssessment {
    /// No head is narrower than this many distances between its eyes: the estimate where a plug-in does not say where they are.
    private static let headWidth: Float = 2.5
    /// `FMP_Q_OCCLUDED`: the one flaw the host cannot measure.
    private static let occluded: UInt32 = 1 << 5

    /// Pixels between the eyes, estimated from the face's width where the plug-in does not say. May be no number.
    var eyes: Float { eyeDistance ?? face.width / Self.headWidth }

    /// Whether there is more than one visitor. Written so that what is not a number is several.
    func showsSeveral(limit: Float) -> Bool { faces > 1 && !(secondArea <= limit) }

    /// The first gate this face does not pass, or nil. What is not a number passes none.
    public func flaw(by settings: FaceSettings) -> FrameFlaw? {
        guard eyes >= settings.eyeDistance, eyes.isFinite else { return .small }
        guard brightness >= settings.darkest else { return .dark }
        guard brightness <= settings.brightest else { return .bright }
        guard sharpness >= settings.sharpness else { return .blurred }
        if let yaw, !(abs(yaw) <= settings.yaw) { return .turned }
        if let pitch, !(abs(pitch) <= settings.pitch) { return .turned }
        return qualityFlags & Self.occluded == 0 ? nil : .occluded
    }
}
