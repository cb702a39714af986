import AnonCreds
import Envelopes
import Trust

/// What a gate makes of a presentation: a credential that proves enough, or why there is none.
public enum ProofFinding: Sendable {
    case accept(ProvenCredential)
    /// What is known of the credential besides, where the proof held.
    case reject(ProofReason, ProvenCredential?)

    /// A proof held, of a credential that the gate knows: no stranger's doing.
    public var isOfGenuineCredential: Bool {
        switch self {
        case .accept: true
        case .reject(let reason, _): reason.isOfGenuineCredential
        }
    }
}

/// What a presentation proves of one credential, by an issuer that is trusted for it. Its values are for the face stage alone.
public struct ProvenCredential: Sendable {
    /// The definition's `issuerId`, one of the trust entry's ids.
    public let issuer: String
    /// The first of the types that the definition is believed for; nil where there is none.
    public let type: String?
    public let definitionID: String
    /// `birth_date <= 20080926`.
    public let statements: [String]
    /// Base64, or a `data:` URI, as it was signed.
    public let portrait: String?
    /// It can be revoked, and was not at the time of the list.
    public let hasStatus: Bool
    /// Words of the record's.
    public let notes: [String]
}

/// Judges by what the site wishes and the bundle says now, whatever was asked: both may have changed meanwhile.
struct ProofJudgement {
    let wishes: ProofWishes
    /// What was to be proven.
    let demands: [ProofWishes.Predicate]
    let belief: AnonCredsBelief
    let needsPortrait: Bool
    /// Seconds since 1970.
    let now: Seconds

    func finding(_ presentation: VerifiedPresentation) -> ProofFinding {
        // All that was asked has one credential's proof, or it may be about several people.
        guard presentation.credentials.count == 1, let credential = presentation.credentials.first else {
            return .reject(.severalCredentials, nil)
        }
        guard let definition = belief.definition(credential.definitionID) else { return .reject(.typeNotTrusted, nil) }
        let proven = ProvenCredential(credential, definition, presentation.notes.map(\.rawValue))
        guard proven.type != nil else { return .reject(.typeNotTrusted, proven) }
        if let name = missing(credential, definition) { return .reject(.claimMissing(name), proven) }
        return isOfThisDay(definition) ? .accept(proven) : .reject(.dayPassed, proven)
    }

    /// Whether what was proven of dates says enough on the day of the verdict. They were asked on another day where midnight passed
    /// meanwhile, or somebody set the clock.
    private func isOfThisDay(_ definition: BelievedDefinition) -> Bool {
        guard let day = AriesQuestion.day(now, zone: wishes.zone) else { return false }
        if let expiry = definition.expiry, !isDemanded(expiry, .atLeast, enough: { $0 >= day }) { return false }
        guard let years = wishes.leastAge, let date = definition.roles[.birthDate] else { return true }
        let latest = ProofPlan.birthDate(of: years, on: day)
        return isDemanded(date, .atMost, enough: { $0 <= latest })
    }

    /// The first thing that a gate lets nobody in without, by its name.
    private func missing(_ credential: VerifiedPresentation.Credential, _ definition: BelievedDefinition) -> String? {
        for name in wishes.attributes where value(of: name, credential) == nil { return name }
        for demand in demands where !isProven(demand, credential) { return demand.attribute }
        // The bundle may name another attribute now than when the visit began.
        if let expiry = definition.expiry, !isDemanded(expiry, .atLeast) { return expiry }
        if wishes.leastAge != nil {
            guard let date = definition.roles[.birthDate], isDemanded(date, .atMost) else { return ClaimRole.birthDate.rawValue }
        }
        if needsPortrait, let portrait = definition.roles[.portrait], value(of: portrait, credential) == nil { return portrait }
        // What is not shown is there all the same: an issuer signs every attribute of the schema. What is shown may be empty.
        for role in definition.requires {
            guard let name = definition.roles[role] else { return role.rawValue }
            if let value = value(of: name, credential), value.isEmpty { return name }
        }
        guard definition.owesStatus else { return nil }
        if case .notRevoked = credential.revocation { return nil }
        return "status"
    }

    private func value(of name: String, _ credential: VerifiedPresentation.Credential) -> String? {
        credential.revealed.first { ProofName.areOne($0.name, name) }?.raw
    }

    private func isProven(_ demand: ProofWishes.Predicate, _ credential: VerifiedPresentation.Credential) -> Bool {
        credential.predicates.contains { statement in
            ProofName.areOne(statement.attribute, demand.attribute) && statement.relation == demand.relation.rawValue
                && statement.value == demand.value
        }
    }

    private func isDemanded(
        _ name: String, _ relation: ProofWishes.Predicate.Relation, enough: (Int32) -> Bool = { _ in true }
    ) -> Bool {
        demands.contains { $0.relation == relation && ProofName.areOne($0.attribute, name) && enough($0.value) }
    }
}

extension ProvenCredential {
    /// Nobody of whom there is no date has a credential that ends.
    static let neverExpires = "never-expires"

    fileprivate init(_ credential: VerifiedPresentation.Credential, _ definition: BelievedDefinition, _ notes: [String]) {
        issuer = definition.issuerID
        type = definition.types.first
        definitionID = definition.id
        statements = credential.predicates.map(\.text)
        portrait = definition.roles[.portrait].flatMap { name in
            credential.revealed.first { ProofName.areOne($0.name, name) }?.raw
        }
        hasStatus = if case .notRevoked = credential.revocation { true } else { false }
        self.notes = notes + (definition.expiry == nil ? [Self.neverExpires] : [])
    }
}
