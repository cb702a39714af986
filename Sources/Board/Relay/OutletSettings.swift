import Glibc
import JSON
import Linux

/// The settings of one outlet: a JSON object of strings, whole numbers, flags and lists of strings. What an outlet asks for is taken out;
/// `finish` refuses what nobody asked for.
public struct OutletSettings {
    /// Octets of the largest file.
    public static let capacity = 65_536
    /// Octets of the longest secret.
    public static let longestSecret = 1024

    private let document: JSONDocument
    private var asked: Set<String> = ["$schema"]

    public init(contentsOf path: String) throws(OutletSettingsError) {
        try self.init(parsing: try Self.read(path, most: Self.capacity))
    }

    /// Nothing twice, and nothing that is no JSON.
    public init(parsing octets: [UInt8]) throws(OutletSettingsError) {
        do throws(JSONError) {
            document = try JSONDocument(parsing: octets)
        } catch {
            throw .notJSON(error.reason, offset: error.offset)
        }
        guard document.root.members != nil else { throw .notAnObject }
    }

    private mutating func value(_ name: String) -> JSONValue? {
        asked.insert(name)
        return document.root[name]
    }

    // MARK: kinds of members

    /// A string that is not empty and has no control characters.
    public mutating func optionalText(_ name: String, most: Int = 1024) throws(OutletSettingsError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string, !text.isEmpty else { throw .wrongType(name) }
        guard text.utf8.count <= most, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .badMember(name) }
        return text
    }

    public mutating func text(_ name: String, most: Int = 1024) throws(OutletSettingsError) -> String {
        guard let text = try optionalText(name, most: most) else { throw .missingMember(name) }
        return text
    }

    /// One of the words of a type.
    public mutating func word<Word: RawRepresentable<String>>(_ name: String, else word: Word) throws(OutletSettingsError) -> Word {
        guard let text = try optionalText(name) else { return word }
        guard let word = Word(rawValue: text) else { throw .badMember(name) }
        return word
    }

    public mutating func number(_ name: String, _ range: ClosedRange<Int64>, else number: Int64) throws(OutletSettingsError) -> Int64 {
        guard let value = value(name) else { return number }
        guard let found = value.int64 else { throw .wrongType(name) }
        guard range.contains(found) else { throw .badMember(name) }
        return found
    }

    public mutating func port(_ name: String = "port", else port: UInt16) throws(OutletSettingsError) -> UInt16 {
        UInt16(truncatingIfNeeded: try number(name, 1...65_535, else: Int64(port)))
    }

    public mutating func flag(_ name: String, else flag: Bool) throws(OutletSettingsError) -> Bool {
        guard let value = value(name) else { return flag }
        guard let found = value.bool else { throw .wrongType(name) }
        return found
    }

    /// A list of strings; empty where it is not there.
    public mutating func texts(_ name: String, most: Int) throws(OutletSettingsError) -> [String] {
        guard let value = value(name) else { return [] }
        guard let elements = value.elements else { throw .wrongType(name) }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string, !text.isEmpty else { throw .wrongType(name) }
            guard texts.count < most, text.utf8.count <= 1024, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .badMember(name)
            }
            texts.append(text)
        }
        return texts
    }

    /// An absolute path.
    public mutating func optionalPath(_ name: String) throws(OutletSettingsError) -> String? {
        guard let path = try optionalText(name) else { return nil }
        guard path.hasPrefix("/"), !path.hasSuffix("/") else { throw .badMember(name) }
        return path
    }

    public mutating func path(_ name: String) throws(OutletSettingsError) -> String {
        guard let path = try optionalPath(name) else { throw .missingMember(name) }
        return path
    }

    /// A name or an address, as a resolver takes it: letters, digits, dots, colons and hyphens.
    public mutating func host(_ name: String = "host") throws(OutletSettingsError) -> String {
        let host = try text(name, most: 253)
        guard
            host.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || ".:-".utf8.contains($0)
            }), !host.hasPrefix("-"), !host.hasPrefix(".")
        else { throw .badMember(name) }
        return host
    }

    /// What the file at a member's path holds in its one line: a password, a key. Only its owner may read it.
    public mutating func secret(_ name: String) throws(OutletSettingsError) -> [UInt8]? {
        guard let path = try optionalPath(name) else { return nil }
        var facts = stat()
        guard stat(path, &facts) == 0 else { throw .unreadable(path, errno: errno) }
        // What a service manager hands over is for one user, whatever the mode for the group (0440).
        guard facts.st_mode & 0o007 == 0 else { throw .secretForAll(path) }
        var octets = try Self.read(path, most: Self.longestSecret + 2)
        if octets.last == 0x0A { octets.removeLast() }
        if octets.last == 0x0D { octets.removeLast() }
        guard (1...Self.longestSecret).contains(octets.count), !octets.contains(0x0A), !octets.contains(0) else { throw .badSecret(path) }
        return octets
    }

    /// Refuses what nobody asked for.
    public func finish() throws(OutletSettingsError) {
        guard let members = document.root.members else { throw .notAnObject }
        for member in members where !asked.contains(member.name) { throw .unknownMember(member.name) }
    }

    private static func read(_ path: String, most: Int) throws(OutletSettingsError) -> [UInt8] {
        do throws(SystemError) {
            return try File.read(path, most: most)
        } catch {
            if error.kind == .fileTooLarge { throw .tooLong(path) }
            throw .unreadable(path, errno: error.errno)
        }
    }
}
