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
        // Also where the worker found the face not worth a template: what it found is judged here once more.
        case .noTemplateMade(.unusableFace): self = assessment.showsSeveral(limit: settings.gates.secondArea) ? .several : .poor
        case .failure(let reason): self = .failure(reason)
        case .templateMade:
            if assessment.faces == 0 {
                self = .nobody
            } else if assessment.showsSeveral(limit: settings.gates.secondArea) {
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

extension FrameAssessment {
    /// The first gate this face does not pass, or nil. What is not a number passes none.
    public func flaw(by settings: FaceSettings) -> FrameFlaw? { flaw(by: settings.gates) }

    /// The same for people, of a face that was not compared; nil also where the plug-in says nothing of what it found.
    func toldFlaw(by settings: FaceSettings) -> FrameFlaw? { faces > 0 ? flaw(by: settings) : nil }
}
