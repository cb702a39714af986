import VisionProtocol

/// What reasons and errors of this module mean, for people.

extension FaceReason {
    public var sentence: String {
        switch self {
        case .noPortrait: "The credential has no photo."
        case .unsupportedPortrait: "The photo in the credential is of a format that is not read."
        case .portraitTooLarge: "The photo in the credential is larger than the gate takes."
        case .portraitUnreadable: "The photo in the credential cannot be read."
        case .referenceTooSmall: "The face in the credential's photo is too small."
        case .referenceUnusable: "The photo in the credential shows no face that can be compared."
        case .cameraFailed: "The camera gives no picture."
        case .noFace: "The camera sees nobody."
        case .severalFaces: "More than one person stands before the camera."
        case .poorQuality: "The face is too small, too dark, too bright, blurred, turned away or leaning."
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

extension FrameFlaw {
    /// What `poorQuality` comes from, as far as it is known.
    public var sentence: String {
        switch self {
        case .small: "The face is too small: come nearer."
        case .blurred: "The face is blurred: hold still, or clean the lens."
        case .dark: "The face is too dark."
        case .bright: "The face is too bright."
        case .turned: "The face is turned away."
        case .leaning: "The head leans to a side."
        case .occluded: "Something covers the face."
        }
    }
}

/// Goes on from the file's name, as the next.
extension FaceFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notJSON(let reason, let offset): "is not well-formed JSON: \(reason.rawValue) at octet \(offset)"
        case .notAnObject: "is not a JSON object, or has something else where one belongs"
        case .unsupportedVersion: "is of a version this program does not know"
        case .unknownMember(let name): "has a member \(name) that does not belong there"
        case .missingMember(let name): "lacks \(name)"
        case .wrongType(let name): "has something for \(name) that it cannot be"
        case .badValue(let name): "has a value for \(name) that it cannot have"
        case .repeatedEntry: "names a plug-in with the same models twice"
        case .tooManyEntries: "has more than \(FaceThresholds.capacity) entries"
        }
    }
}

extension FaceSettingsError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .outOfRange(let setting):
            "has a value for \(setting.rawValue) that is not from \(setting.range.lowerBound) to \(setting.range.upperBound)"
                + (setting.isWhole ? ", or not whole" : "")
        case .contradictory(let one, let other): "has values for \(one.rawValue) and \(other.rawValue) that do not go together"
        case .file(let error): "\(error)"
        }
    }
}
