import Envelopes
import Trust

/// What can be asked, of what a site wishes and a bundle has: one request for all definitions that name what is asked alike.
struct ProofPlan: Sendable {
    /// At least one, `most` at the most, in the order of the bundle. Whoever has a credential of another is not asked for it.
    let definitions: [BelievedDefinition]
    private let shape: Shape

    /// Restrictions are in the code on the screen, and a person reads no longer list.
    static let most = 16

    /// What is asked of credentials, by the names of one schema.
    private struct Shape: Sendable {
        /// To be shown, the portrait last.
        var names: [String] = []
        var portrait: String?
        var predicates: [ProofWishes.Predicate] = []
        var birthDate: String?
        var expiry: String?
        var isStatusDue = false

        func isAlike(_ other: Shape) -> Bool {
            func views(_ names: [String?]) -> [String?] { names.map { $0.map(ProofName.view) } }
            return views(names) == views(other.names)
                && views([portrait, birthDate, expiry])
                    == views(
                        [other.portrait, other.birthDate, other.expiry])
                && isStatusDue == other.isStatusDue
        }
    }

    /// - Parameters:
    ///   - needsPortrait: faces are compared with portraits.
    ///   - now: seconds since 1970.
    init(_ wishes: ProofWishes, _ belief: AnonCredsBelief, needsPortrait: Bool, at now: Seconds) throws(ProofObstacle) {
        let candidates = belief.definitions.filter { definition in
            definition.isCurrent(at: now)
                && (wishes.definitions.isEmpty || wishes.definitions.contains { $0.isExactly(definition.id) })
        }
        var found: [BelievedDefinition] = [], shape: Shape?, obstacle = ProofObstacle.nobodyBelieved
        for definition in candidates where found.count < Self.most {
            do throws(ProofObstacle) {
                let own = try Self.shape(definition, wishes, needsPortrait: needsPortrait)
                guard shape.map({ $0.isAlike(own) }) ?? true else { continue }
                if shape == nil { shape = own }
                found.append(definition)
            } catch {
                if obstacle == .nobodyBelieved { obstacle = error }
            }
        }
        guard let shape else { throw obstacle }
        (definitions, self.shape) = (found, shape)
    }

    private static func shape(
        _ definition: BelievedDefinition, _ wishes: ProofWishes, needsPortrait: Bool
    ) throws(ProofObstacle) -> Shape {
        var shape = Shape()
        func spelling(_ name: String) throws(ProofObstacle) -> String {
            guard let own = definition.attributes.first(where: { ProofName.areOne($0, name) }) else {
                throw .attributeMissing(name)
            }
            return own
        }
        for name in wishes.attributes { shape.names.append(try spelling(name)) }
        for wanted in wishes.predicates {
            shape.predicates.append(ProofWishes.Predicate(try spelling(wanted.attribute), wanted.relation, wanted.value))
        }
        if wishes.leastAge != nil {
            guard let date = definition.roles[.birthDate] else { throw .birthDateMissing }
            shape.birthDate = date
        }
        if needsPortrait, let portrait = definition.roles[.portrait] {
            shape.portrait = portrait
            shape.names.removeAll { ProofName.areOne($0, portrait) }
            shape.names.append(portrait)
        }
        shape.expiry = definition.expiry
        if definition.owesStatus {
            shape.isStatusDue = true
            guard definition.registries.contains(where: { $0.newest != nil }) else { throw .statusListMissing }
        }
        let hasPredicates = shape.birthDate != nil || shape.expiry != nil || !shape.predicates.isEmpty
        guard !shape.names.isEmpty || hasPredicates else { throw .nothingAsked }
        return shape
    }

    /// To be shown, all of one credential.
    var names: [String] { shape.names }

    /// To be proven, each under a name of the request.
    ///
    /// - Parameter day: of today, YYYYMMDD.
    func predicates(_ wishes: ProofWishes, on day: Int32) -> [(referent: String, predicate: ProofWishes.Predicate)] {
        var all: [(String, ProofWishes.Predicate)] = []
        if let date = shape.birthDate, let years = wishes.leastAge {
            all.append(("age", ProofWishes.Predicate(date, .atMost, Self.birthDate(of: years, on: day))))
        }
        if let expiry = shape.expiry { all.append(("expiry", ProofWishes.Predicate(expiry, .atLeast, day))) }
        for (place, wanted) in shape.predicates.enumerated() { all.append(("p\(place)", wanted)) }
        return all
    }

    /// Who was born on that day, or before it, is at least so many years old. A plain subtraction from the year is right for 29 February,
    /// too (anoncreds.md section 9).
    ///
    /// - Parameter day: YYYYMMDD, as the result.
    static func birthDate(of years: Int, on day: Int32) -> Int32 { day - Int32(clamping: years) * 10_000 }

    /// When a status list has to be of: those that the gate takes, as it knows them now; nil where nobody has to prove not to be revoked.
    ///
    /// - Parameter now: seconds since 1970.
    func interval(at now: Seconds) -> ClosedRange<Seconds>? {
        guard shape.isStatusDue else { return nil }
        var first: Seconds?, last: Seconds?
        for definition in definitions {
            for registry in definition.registries {
                guard let newest = registry.newest else { continue }
                last = max(last ?? newest.timestamp, newest.timestamp)
                // A list is taken for a while after the next was published.
                let lists = registry.lists
                let taken = lists.indices.first { place in
                    guard place + 1 < lists.count else { return true }
                    let superseded = lists[place + 1].timestamp
                    return now < superseded || now - superseded < definition.status.grace
                }
                let oldest = taken.map { lists[$0].timestamp } ?? newest.timestamp
                first = min(first ?? oldest, oldest)
            }
        }
        guard let first, let last, first >= 0, first <= last else { return nil }
        return first...last
    }
}

extension BelievedDefinition {
    /// Whether a credential of it has to prove that it is not revoked.
    var owesStatus: Bool {
        guard canBeRevoked, !status.isIgnored else { return false }
        return status.unknown == .reject || registries.contains { $0.newest != nil }
    }
}

/// Names of attributes, which are compared without blanks and without regard to case (anoncreds.md section 1).
enum ProofName {
    static func view(_ name: String) -> String {
        var view = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where scalar != " " { view.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars) }
        return String(view)
    }

    /// Octet for octet, as a schema tells its attributes apart: two spellings that look alike are two.
    static func areOne(_ name: String, _ other: String) -> Bool { view(name).isExactly(view(other)) }
}

/// Why nobody can be asked for a proof.
public enum ProofObstacle: Error, Hashable, Sendable {
    /// The bundle has no definition that is current, or none of those that the site names.
    case nobodyBelieved
    /// No definition has an attribute that the site asks for, by its name.
    case attributeMissing(String)
    /// An age is asked for, and no trust entry says where the date of birth stands.
    case birthDateMissing
    /// Whether a credential was revoked has to be known, and the bundle has no status list.
    case statusListMissing
    /// Neither an attribute nor anything to prove is asked for.
    case nothingAsked
    /// The invitation has more characters than a code on a screen holds.
    case codeTooLong(Int)
    /// The invitation has more octets than are said over the air.
    case invitationTooLong(Int)
    /// A fault of the gate: no randomness, no memory, or a request that its own verifier does not read.
    case unavailable
}

extension ProofObstacle {
    public var sentence: String {
        switch self {
        case .nobodyBelieved: "the trust bundle has no AnonCreds definition that may be asked for"
        case .attributeMissing(let name): "no definition of the trust bundle has the attribute \(name)"
        case .birthDateMissing: "an age is asked for, and no trust entry says where the date of birth stands (claims.birthDate)"
        case .statusListMissing: "the trust bundle has no status list, and whether a credential was revoked has to be known"
        case .nothingAsked: "neither an attribute nor an age, an expiry or another predicate is asked for"
        case .codeTooLong(let count): "the code would have \(count) characters, and a screen shows 1840: ask for less, or of fewer issuers"
        case .invitationTooLong(let count):
            "the invitation would have \(count) octets, and 4096 are sent: ask for less, or of fewer issuers"
        case .unavailable: "the gate cannot make a request"
        }
    }
}
