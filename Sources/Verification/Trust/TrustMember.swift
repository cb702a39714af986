import Envelopes
import JSON

/// A value in a trust file together with its path, so that every fault names file and member.
package struct TrustMember {
    package let file: String
    /// `keys[0].jwk`, or empty for the file's own object.
    package let path: String
    package let value: JSONValue

    package init(file: String, path: String, value: JSONValue) {
        self.file = file
        self.path = path
        self.value = value
    }

    /// The value of a whole file.
    package init(file: String, bytes: [UInt8]) throws(TrustError) {
        try self.init(file: file, bytes: bytes, nodes: JSONLimits.standard.nodes)
    }

    /// - Parameter nodes: how many values and names there may be.
    init(file: String, bytes: [UInt8], nodes: Int) throws(TrustError) {
        do throws(JSONError) {
            let limits = JSONLimits(bytes: TrustStore.largestFile, nodes: nodes)
            self.init(file: file, path: "", value: try JSONDocument(parsing: bytes, limits: limits).root)
        } catch {
            throw TrustError(file: file, reason: error.reason == .tooLong ? .tooLarge : .malformed(error))
        }
    }

    /// - Parameter allowed: what may be there instead, for people.
    package func fault(_ reason: TrustError.Reason, allowed: String? = nil) -> TrustError {
        let isValueOfInterest = [.wrongType, .wrongValue, .unsupportedVersion].contains(reason)
        return TrustError(file: file, member: path, reason: reason, found: isValueOfInterest ? words : nil, allowed: allowed)
    }

    private static let longestWords = 80

    /// The value for people: nothing long, and nothing that has others inside.
    private var words: String {
        switch value.kind {
        case .object: return "an object"
        case .array: return "a list of \(value.elements.map { $0.count } ?? 0)"
        default:
            let source = value.source
            return source.count <= Self.longestWords ? String(decoding: source, as: UTF8.self) : "\(source.count) octets"
        }
    }

    /// The members of an object. Any name outside `known` is a fault: a misspelt restriction must not widen trust.
    package func object(known: Set<String>) throws(TrustError) -> [String: TrustMember] {
        guard let members = value.members else { throw fault(.wrongType) }
        var found: [String: TrustMember] = [:]
        for member in members {
            let inside = TrustMember(file: file, path: path.isEmpty ? member.name : "\(path).\(member.name)", value: member.value)
            guard known.contains(where: { member.key.isString($0) }) else {
                throw inside.fault(.unknown, allowed: known.sorted().joined(separator: ", "))
            }
            found[member.name] = inside
        }
        return found
    }

    /// The elements of an array with at least one.
    func list() throws(TrustError) -> [TrustMember] {
        guard let elements = value.elements else { throw fault(.wrongType) }
        let list = elements.enumerated().map { TrustMember(file: file, path: "\(path)[\($0.offset)]", value: $0.element) }
        guard !list.isEmpty else { throw fault(.wrongType) }
        return list
    }

    /// A string with at least one character.
    package func text() throws(TrustError) -> String {
        guard let text = value.string, !text.isEmpty else { throw fault(.wrongType) }
        return text
    }

    /// A non-empty array of non-empty strings, none twice.
    func texts() throws(TrustError) -> [String] {
        var texts: [String] = []
        for element in try list() {
            let text = try element.text()
            guard !texts.contains(where: { $0.isExactly(text) }) else { throw element.fault(.duplicate) }
            texts.append(text)
        }
        return texts
    }

    /// One of an enumeration's raw values.
    func choice<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) throws(TrustError) -> Choice where Choice.RawValue == String {
        let text = try text()
        guard let choice = Choice(rawValue: text), choice.rawValue.isExactly(text) else {
            throw fault(
                .wrongValue,
                allowed: Choice.allCases.map(\.rawValue).filter { $0 != CredentialForm.unknown.rawValue }.joined(separator: ", "))
        }
        return choice
    }

    /// A non-empty array of an enumeration's raw values, none twice.
    func choices<Choice: RawRepresentable & Hashable & CaseIterable>(_: Choice.Type) throws(TrustError) -> Set<Choice>
    where Choice.RawValue == String {
        var choices: Set<Choice> = []
        for element in try list() {
            guard choices.insert(try element.choice(Choice.self)).inserted else { throw element.fault(.duplicate) }
        }
        return choices
    }

    /// An RFC 3339 time.
    package func time() throws(TrustError) -> Seconds {
        guard let time = Timestamp.seconds(try text()) else { throw fault(.wrongValue, allowed: "a time such as 2026-01-31T12:00:00Z") }
        return time
    }
}

extension [String: TrustMember] {
    /// A member that must be there; `owner` is the object that was read.
    package func required(_ name: String, of owner: TrustMember) throws(TrustError) -> TrustMember {
        guard let member = self[name] else {
            throw TrustError(file: owner.file, member: owner.path.isEmpty ? name : "\(owner.path).\(name)", reason: .missing)
        }
        return member
    }
}
