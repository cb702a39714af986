import DIDComm
import Presentation
import Trust

/// What the gate asks of AnonCreds credentials (anoncreds.md section 9), as a site says it: `{"gatehouse-proofs": 1, "age": 18}`. Whose
/// credentials, until when they hold and whether they can be revoked is in the trust bundle.
public struct ProofSettings: Hashable, Sendable {
    public let wishes: ProofWishes

    /// A person who is asked for more reads a list; a code on a screen holds less.
    static let mostAttributes = 16, mostPredicates = 8
    /// Octets of a name, and of an address.
    static let longestName = 256, longestAddress = 200
    static let ages: ClosedRange<Int64> = 1...99

    /// Where nobody says more: that a credential holds, and the portrait where faces are compared.
    public static let standard = ProofSettings(wishes: ProofWishes())

    private init(wishes: ProofWishes) { self.wishes = wishes }

    /// - Parameter file: the object, with its name for messages about faults.
    init(_ file: TrustMember) throws(TrustError) {
        guard let version = file.value[Self.versionMember] else {
            throw TrustError(file: file.file, member: Self.versionMember, reason: file.value.members == nil ? .wrongType : .missing)
        }
        guard version.int64 == 1 else { throw TrustError(file: file.file, member: Self.versionMember, reason: .unsupportedVersion) }
        let found = try file.object(known: Self.members)
        var wishes = ProofWishes()
        if let member = found["attributes"] { wishes.attributes = try Self.names(member, most: Self.mostAttributes) }
        if let member = found["predicates"] { wishes.predicates = try Self.predicates(member) }
        if let member = found["age"] { wishes.leastAge = try Self.age(member) }
        if let member = found["definitions"] { wishes.definitions = try Self.names(member, most: TrustStore.mostAskedDefinitions) }
        if let member = found["version"] { wishes.version = try Self.word(member, ["1.0": .one, "2.0": .two]) }
        if let member = found["format"] { wishes.format = try Self.word(member, ["anoncreds": .anoncreds, "hlindy": .indy]) }
        if let member = found["service"] { wishes.service = try Self.word(member, ["fresh": .fresh, "default": .fixed]) }
        if let member = found["timeZone"] { wishes.zone = try Self.zone(member) }
        if let member = found["endpoint"] { wishes.endpoint = try Self.address(member) }
        self.wishes = wishes
    }

    private static let versionMember = "gatehouse-proofs"
    private static let members: Set<String> = [
        versionMember, "attributes", "predicates", "age", "definitions", "version", "format", "service", "timeZone", "endpoint",
    ]

    // MARK: Reading

    /// Texts, at least one, none twice.
    private static func names(_ member: TrustMember, most: Int) throws(TrustError) -> [String] {
        guard let elements = member.value.elements.map(Array.init), !elements.isEmpty else { throw member.fault(.wrongType) }
        guard elements.count <= most else { throw member.fault(.tooLarge, allowed: "\(most) at most") }
        var names: [String] = []
        for (place, value) in elements.enumerated() {
            let element = TrustMember(file: member.file, path: "\(member.path)[\(place)]", value: value)
            let name = try self.name(element)
            guard !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { throw element.fault(.duplicate) }
            names.append(name)
        }
        return names
    }

    private static func name(_ member: TrustMember) throws(TrustError) -> String {
        let name = try member.text()
        guard name.utf8.count <= longestName else { throw member.fault(.tooLarge) }
        return name
    }

    /// `{"attribute": "height", "relation": ">=", "value": 140}`.
    private static func predicates(_ member: TrustMember) throws(TrustError) -> [ProofWishes.Predicate] {
        guard let elements = member.value.elements.map(Array.init), !elements.isEmpty else { throw member.fault(.wrongType) }
        guard elements.count <= mostPredicates else { throw member.fault(.tooLarge, allowed: "\(mostPredicates) at most") }
        var predicates: [ProofWishes.Predicate] = []
        for (place, value) in elements.enumerated() {
            let element = TrustMember(file: member.file, path: "\(member.path)[\(place)]", value: value)
            let found = try element.object(known: ["attribute", "relation", "value"])
            let relation = try word(
                found.required("relation", of: element),
                Dictionary(uniqueKeysWithValues: ProofWishes.Predicate.Relation.allCases.map { ($0.rawValue, $0) }))
            let number = try found.required("value", of: element)
            guard let bound = number.value.int64 else { throw number.fault(.wrongType, allowed: "a whole number") }
            // The bound of `<` and `>` is computed with a neighbour (anoncreds.md section 4).
            guard let bound = Int32(exactly: bound) else { throw number.fault(.wrongValue, allowed: "\(Int32.min) to \(Int32.max)") }
            let predicate = ProofWishes.Predicate(try name(found.required("attribute", of: element)), relation, bound)
            guard !predicates.contains(predicate) else { throw element.fault(.duplicate) }
            predicates.append(predicate)
        }
        return predicates
    }

    private static func age(_ member: TrustMember) throws(TrustError) -> Int {
        guard let number = member.value.int64 else { throw member.fault(.wrongType, allowed: "whole years") }
        guard ages.contains(number) else { throw member.fault(.wrongValue, allowed: "\(ages.lowerBound) to \(ages.upperBound) years") }
        return Int(number)
    }

    private static func word<Value>(_ member: TrustMember, _ values: [String: Value]) throws(TrustError) -> Value {
        let text = try member.text()
        guard let value = values[text] else { throw member.fault(.wrongValue, allowed: values.keys.sorted().joined(separator: ", ")) }
        return value
    }

    /// `+02:00` in seconds east of UTC; 14 hours at the most (Kiribati), and 12 to the west.
    private static func zone(_ member: TrustMember) throws(TrustError) -> Int64 {
        let text = Array(try member.text().utf8), allowed = "hours and minutes as in +02:00, -12:00 to +14:00"
        func number(_ start: Int) -> Int64? {
            let digits = text[start..<start + 2]
            guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        guard text.count == 6, text[3] == UInt8(ascii: ":"), let hours = number(1), let minutes = number(4), minutes < 60,
            text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-")
        else { throw member.fault(.wrongValue, allowed: allowed) }
        let seconds = (hours * 60 + minutes) * (text[0] == UInt8(ascii: "+") ? 60 : -60)
        guard (-43_200...50_400).contains(seconds) else { throw member.fault(.wrongValue, allowed: allowed) }
        return seconds
    }

    /// An address that goes into the code as it is.
    private static func address(_ member: TrustMember) throws(TrustError) -> String {
        let text = try member.text()
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard text.utf8.count <= longestAddress, isPlain, text.hasPrefix("http://") || text.hasPrefix("https://") else {
            throw member.fault(.wrongValue, allowed: "an address with http or https, of \(longestAddress) octets at most")
        }
        return text
    }
}

extension TrustStore {
    /// Restrictions of a request name so many definitions at the most (anoncreds.md section 9).
    static let mostAskedDefinitions = 16
}
