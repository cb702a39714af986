import JSON

/// What the gate asks for (anoncreds.md section 9): made for one visit, with a nonce that is never used again.
public struct PresentationRequest: Sendable {
    /// When a status list has to be of; both ends are included. Seconds since 1970.
    struct Interval: Hashable, Sendable {
        let from: Int64, to: Int64

        func contains(_ time: Int64) -> Bool { from <= time && time <= to }
    }

    struct Attribute: Sendable {
        let referent: String
        /// As the request spells them.
        let names: [String]
        /// Whether it was asked for by `names`.
        let isGroup: Bool
        let restriction: Restriction?
        let interval: Interval?

        var views: [ExactText] { names.map { .view($0) } }
    }

    struct PredicateItem: Sendable {
        let referent: String, name: String
        let predicate: Predicate
        let restriction: Restriction?
        let interval: Interval?
    }

    /// As the request has it, for the wallet and for `challenge`.
    public let nonce: String
    let nonceNumber: ProofNumber
    let attributes: [Attribute]
    let predicates: [PredicateItem]
    let interval: Interval?

    /// Octets of a request, of which the gate makes every one itself.
    private static let limits = JSONLimits(bytes: 64 << 10, depth: 16, nodes: 8192)

    /// - Parameter octets: the request as JSON, as it is sent.
    public init(parsing octets: Span<UInt8>) throws(RequestFault) {
        guard let document = try? JSONDocument(parsing: octets, limits: Self.limits) else { throw RequestFault("") }
        try self.init(document.root)
    }

    init(_ value: JSONValue) throws(RequestFault) {
        guard let nonce = value["nonce"]?.string, let number = try? ProofNumber(text: Array(nonce.utf8)) else {
            throw RequestFault("nonce")
        }
        self.nonce = nonce
        nonceNumber = number
        interval = try Self.interval(value["non_revoked"], "non_revoked")
        var attributes: [Attribute] = [], predicates: [PredicateItem] = []
        for member in try Self.items(value, "requested_attributes") {
            attributes.append(try Self.attribute(member.name, member.value, "requested_attributes." + member.name))
        }
        for member in try Self.items(value, "requested_predicates") {
            predicates.append(try Self.predicate(member.name, member.value, "requested_predicates." + member.name))
        }
        (self.attributes, self.predicates) = (attributes, predicates)
    }

    private static func items(_ value: JSONValue, _ name: String) throws(RequestFault) -> [JSONMember] {
        guard let items = value[name], !items.isNull else { return [] }
        guard let members = items.members, members.count <= Limits.referents else { throw RequestFault(name) }
        return Array(members)
    }

    private static func attribute(_ referent: String, _ value: JSONValue, _ path: String) throws(RequestFault) -> Attribute {
        var names: [String] = []
        let isGroup = value["name"] == nil
        if isGroup {
            guard let stated = value["names"]?.elements else { throw RequestFault(path + ".names") }
            for name in stated {
                guard let text = name.string else { throw RequestFault(path + ".names") }
                names.append(text)
            }
        } else {
            guard value["names"] == nil, let name = value["name"]?.string else { throw RequestFault(path + ".name") }
            names.append(name)
        }
        guard 1...Limits.attributes ~= names.count, Set(names.map { ExactText.view($0) }).count == names.count else {
            throw RequestFault(path + ".names")
        }
        return Attribute(
            referent: referent, names: names, isGroup: isGroup, restriction: .read(value["restrictions"]),
            interval: try interval(value["non_revoked"], path + ".non_revoked"))
    }

    private static func predicate(_ referent: String, _ value: JSONValue, _ path: String) throws(RequestFault) -> PredicateItem {
        guard let name = value["name"]?.string else { throw RequestFault(path + ".name") }
        guard let relation = value["p_type"]?.string.flatMap({ Predicate.Relation(sign: $0) }) else { throw RequestFault(path + ".p_type") }
        guard let bound = value["p_value"]?.int64.flatMap({ Int32(exactly: $0) }) else { throw RequestFault(path + ".p_value") }
        return PredicateItem(
            referent: referent, name: name, predicate: Predicate(attribute: .view(name), relation: relation, value: bound),
            restriction: .read(value["restrictions"]), interval: try interval(value["non_revoked"], path + ".non_revoked"))
    }

    /// A missing `from` is 0, a missing `to` is unbounded.
    private static func interval(_ value: JSONValue?, _ path: String) throws(RequestFault) -> Interval? {
        guard let value, !value.isNull else { return nil }
        guard value.kind == .object else { throw RequestFault(path) }
        func time(_ name: String, otherwise: Int64) throws(RequestFault) -> Int64 {
            guard let time = value[name], !time.isNull else { return otherwise }
            guard let seconds = time.int64, seconds >= 0 else { throw RequestFault(path + "." + name) }
            return seconds
        }
        return Interval(from: try time("from", otherwise: 0), to: try time("to", otherwise: .max))
    }
}
