import Cryptography

extension SiteSettingsError: CustomStringConvertible {
    /// What the member of that path may be, where a few words say it.
    private static func allowed(_ path: String) -> String? {
        if path.split(separator: ".").dropLast().contains("outlets") { return "a file of 1 to \(SiteOutlets.largestFile) octets" }
        return switch path.split(separator: ".").last {
        case "wire": SiteSettings.wires.joined(separator: " or ")
        case "face": "required, when-photo or off"
        case "faceMatcher": "lower-case letters, digits and hyphens, at most 32"
        case "codes": "off, always, motion or button"
        case "codesWithoutFace": "names of types, each once, or \"*\" alone"
        case "codePrefix": "1 to \(SiteSettings.longestPrefix) printable ASCII characters"
        case "auditFull": "stop or drop-oldest"
        case "url": "an http or https URL"
        case "timeServers": "at most \(SiteTimeServer.most) names or addresses, each once, with nts: before those that prove who they are"
        case "timeAuthorities": "1 to \(Certificate.mostInFile) certificates in PEM, at most \(SiteTimeAuthorities.longest) octets"
        case "outlets": "at most \(SiteOutlets.mostFiles) files"
        default: nil
        }
    }

    /// The bounds of the number of that path, with its unit; nil where it is none.
    private static func bounds(_ path: String) -> String? {
        let name = path.split(separator: ".").last.map(String.init) ?? path
        guard let range = SiteSettings.bounds[name] else { return nil }
        let unit =
            switch name {
            case "auditSize": "MiB"
            case "poll": "seconds"
            default: "milliseconds"
            }
        return "from \(range.lowerBound) to \(range.upperBound) \(unit)"
    }

    public var description: String {
        switch self {
        case .notAnObject(let path): "\(path) is not a JSON object"
        case .unknownMember(let path): "\(path) is not a member of a site file"
        case .wrongType(let path): "\(path) " + (Self.bounds(path).map { "is not a whole number \($0)" } ?? "has the wrong type")
        case .outOfBounds(let path, let number): "\(path) is \(number): it can be \(Self.bounds(path) ?? "another")"
        case .badValue(let path): "\(path) has a value it cannot have\(Self.allowed(path).map { ": \($0)" } ?? "")"
        case .badMoniker(let path, let error): "\(path): \(error)"
        case .linkNotAllowed(let path): "\(path): only the board's profile and the command line may name a link of this kind"
        case .badThresholds(let path, let error): "\(path) \(error)"
        case .badFaceSettings(let path, let error): "\(path) \(error)"
        case .badDocuments(let error), .badProofs(let error), .badTrustedKey(let error): error.description
        case .noTimeAuthority(let path): "\(path) names a server by NTS, and timeAuthorities nobody who issues its certificate"
        case .notAddressed(let path): "\(path): the order is not for this gate"
        case .badGateID(let path): "\(path): no gate has such an id"
        case .notASiteFile: "the order is not one of the kind site"
        }
    }
}

extension SiteError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .order(let error): error.description
        case .settings(let error): "the site file: \(error)"
        case .lost: "this gate has had a site file, and it is gone"
        case .trialNotCounted: "there is a new one, and how often the gate starts with it cannot be written down"
        case .resetAndFetched: "the gate was reset: who sets it up again stands before it, and what a network brings is not taken"
        }
    }
}
