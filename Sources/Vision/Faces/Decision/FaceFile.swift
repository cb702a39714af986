import JSON

/// Why a file of the face stage is not one. Names of members are the file's own.
public enum FaceFileError: Error, Hashable, Sendable {
    /// The octet where it stops being JSON.
    case notJSON(JSONError.Reason, offset: Int)
    case notAnObject
    case unsupportedVersion
    case unknownMember(String)
    case missingMember(String)
    case wrongType(String)
    /// A value it cannot have.
    case badValue(String)
    /// The same plug-in with the same models twice, or more entries than are kept.
    case repeatedEntry
    case tooManyEntries
}

/// An object of which every member is known, and is of a known type.
struct FaceFileObject {
    private var values: [String: JSONValue] = [:]

    init(_ value: JSONValue, known: [String]) throws(FaceFileError) {
        guard let members = value.members else { throw .notAnObject }
        for member in members {
            let name = member.name
            guard known.contains(where: { member.key.isString($0) }) else { throw .unknownMember(name) }
            values[name] = member.value
        }
    }

    /// The outermost object of a file, whose first duty is to say its version.
    init(file octets: [UInt8], version member: String, known: [String]) throws(FaceFileError) {
        let document: JSONDocument
        do throws(JSONError) {
            let limits = JSONLimits(bytes: FaceThresholds.fileCapacity, depth: 4, nodes: 4096, numberBytes: 32)
            document = try JSONDocument(parsing: octets, limits: limits)
        } catch {
            throw .notJSON(error.reason, offset: error.offset)
        }
        try self.init(document.root, known: [member] + known)
        guard let version = values[member] else { throw .missingMember(member) }
        guard version.int64 == 1 else { throw .unsupportedVersion }
    }

    subscript(name: String) -> JSONValue? { values[name] }

    func required(_ name: String) throws(FaceFileError) -> JSONValue {
        guard let value = values[name] else { throw .missingMember(name) }
        return value
    }

    func text(_ name: String) throws(FaceFileError) -> String {
        guard let text = try required(name).string else { throw .wrongType(name) }
        return text
    }

    func number(_ name: String) throws(FaceFileError) -> Double {
        guard let number = try required(name).double else { throw .wrongType(name) }
        return number
    }

    /// A count from 0 to 2^40.
    func count(_ name: String) throws(FaceFileError) -> Int {
        guard let number = try required(name).int64 else { throw .wrongType(name) }
        guard (0...(1 << 40)).contains(number) else { throw .badValue(name) }
        return Int(number)
    }
}

extension FaceSettings {
    private static let version = "gatehouse-face-settings"

    /// Reads `{"gatehouse-face-settings":1,"eyeDistance":60,...}`: members are `FaceSetting`'s names, what is missing is standard, nothing
    /// is unknown.
    public init(parsing octets: [UInt8]) throws(FaceSettingsError) {
        var values: [FaceSetting: Double] = [:]
        do throws(FaceFileError) {
            let file = try FaceFileObject(file: octets, version: Self.version, known: FaceSetting.allCases.map(\.rawValue))
            for setting in FaceSetting.allCases where file[setting.rawValue] != nil {
                values[setting] = try file.number(setting.rawValue)
            }
        } catch {
            throw .file(error)
        }
        try self.init(values)
    }
}
