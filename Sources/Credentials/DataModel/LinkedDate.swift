import JSON
import LinkedData

/// One date a JSON-LD credential states about itself, as signed.
struct LinkedDate: Sendable {
    /// The dates of both data models. A credential of one may carry those of the other: the contexts define them all, so all count.
    static let members: [CredentialMember] = [.issuanceDate, .expirationDate, .validFrom, .validUntil]
    private static let datatypes = [SecurityTerms.dateTime, "http://www.w3.org/2001/XMLSchema#dateTimeStamp"]

    /// One of `members`.
    let member: CredentialMember
    /// Whole seconds since 1970, rounded down, whether a fraction was lost and whether UTC is a guess; nil for what is no date.
    let moment: (seconds: Seconds, isRounded: Bool, isZoneAssumed: Bool)?

    /// - Parameter datatype: the IRI of the statement's datatype.
    init(_ member: CredentialMember, text: String, datatype: String) {
        self.member = member
        moment = Self.datatypes.contains { $0.isExactly(datatype) } ? Timestamp.isoDateTime(text) : nil
    }

    /// - Parameter value: the object of the statement.
    init(_ member: CredentialMember, _ value: Term) {
        guard case .literal(let literal) = value else {
            self.init(member, text: "", datatype: "")
            return
        }
        self.init(member, text: literal.value.string, datatype: literal.datatype.string)
    }

    /// The dates of a credential that is signed as canonical JSON.
    static func dates(of signed: JSONValue) -> [LinkedDate] {
        members.compactMap { member in
            signed[member.rawValue].map { LinkedDate(member, text: $0.string ?? "", datatype: SecurityTerms.dateTime) }
        }
    }
}
