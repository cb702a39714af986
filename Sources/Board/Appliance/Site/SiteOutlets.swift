import JSON

/// What a site file says of a gate's outlets (`gatehouse-relay`): the files of the folder `/etc/gatehouse/outlets`, by their names. The
/// settings of an outlet are its own to judge, by its own grammar (docs/relay.md); here it is only said which files there can be.
public struct SiteOutlets: Hashable, Sendable {
    /// Kinds of outlets: of these `KIND.json` are settings. What `gatehouse-relay` knows is the same, and a test compares.
    public static let kinds = ["metrics", "mqtt", "site", "syslog", "trust", "webhook"]
    /// Files, and octets of one of them.
    static let mostFiles = 24, largestFile = 32_768

    /// The settings of each outlet, JSON as it was written, and what they name by path: certificates, keys, passwords.
    public let files: [String: [UInt8]]

    init(_ value: JSONValue, _ path: String) throws(SiteSettingsError) {
        guard let members = value.members else { throw .wrongType(path) }
        guard members.count <= Self.mostFiles else { throw .badValue(path) }
        var files: [String: [UInt8]] = [:]
        for member in members {
            let name = member.name, inside = "\(path).\(name)"
            guard Self.isName(name) else { throw .unknownMember(inside) }
            if name.hasSuffix(".json") {
                // A misspelt kind would be silently without effect.
                guard Self.kinds.contains(String(name.dropLast(5))) else { throw .unknownMember(inside) }
                guard member.value.members != nil else { throw .notAnObject(inside) }
                files[name] = Array(member.value.source)
            } else {
                guard let text = member.value.string else { throw .wrongType(inside) }
                files[name] = Array(text.utf8)
            }
            guard let octets = files[name], (1...Self.largestFile).contains(octets.count) else { throw .badValue(inside) }
        }
        self.files = files
    }

    /// What can be a file's name everywhere, and is no path: lower-case letters, digits, dots and hyphens, the first none of the last two.
    static func isName(_ name: String) -> Bool {
        guard (1...64).contains(name.utf8.count), let first = name.utf8.first, isAlphanumeric(first) else { return false }
        return name.utf8.allSatisfy { isAlphanumeric($0) || ".-".utf8.contains($0) }
    }

    private static func isAlphanumeric(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) || (0x61...0x7A).contains(octet) }
}
