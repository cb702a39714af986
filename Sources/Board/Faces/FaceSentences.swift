import Faces

/// What errors of the face stage's files mean, for the operator: each goes on from the file's name.

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
