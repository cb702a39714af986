import JSON
import Linux

/// Why an outlet's settings were refused.
public enum OutletSettingsError: Error, Hashable, Sendable {
    /// The file, or one it names, cannot be read.
    case unreadable(String, errno: Int32)
    /// It is longer than it can be.
    case tooLong(String)
    /// It is not JSON; the octet where it stops being.
    case notJSON(JSONError.Reason, offset: Int)
    /// It is JSON, but not an object.
    case notAnObject
    /// A member this outlet does not have: a misspelt one would otherwise be silently without effect.
    case unknownMember(String)
    case missingMember(String)
    /// A member is of another type, or an empty string.
    case wrongType(String)
    /// A member is none of the words that are allowed, out of its range, or not as it has to be written.
    case badMember(String)
    /// These two do not go together, or the one needs the other.
    case conflict(String, String)
    /// A file with a secret that others may read, too.
    case secretForAll(String)
    /// A file with a secret holds none.
    case badSecret(String)
}

extension OutletSettingsError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let code): "\(path) cannot be read (\(systemCause(code)))"
        case .tooLong(let path): "\(path) is too long"
        case .notJSON(let reason, let offset): "it is not JSON: \(reason.rawValue) at octet \(offset)"
        case .notAnObject: "it is no JSON object"
        case .unknownMember(let name): "\(name): there is no such member"
        case .missingMember(let name): "\(name) is missing"
        case .wrongType(let name): "\(name) is of another type, or empty"
        case .badMember(let name): "\(name) is not as it has to be (docs/relay.md)"
        case .conflict(let one, let other): "\(one) and \(other) do not go together as they are (docs/relay.md)"
        case .secretForAll(let path): "\(path) holds a secret, and others may read it: chmod 0600"
        case .badSecret(let path): "\(path) holds no secret: one line, 1 to 1024 octets"
        }
    }
}
