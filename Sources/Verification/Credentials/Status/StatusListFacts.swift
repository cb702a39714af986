import CBOR
import Envelopes
import JSON
import Trust

/// What a status list says of itself, whoever made it: for an operator who has just fetched one. Nothing of it is believed; what a list
/// says to a gate comes out of `TrustStore.statusLists(at:)`.
public struct StatusListFacts: Hashable, Sendable {
    /// As the standards call them.
    public enum Form: String, Hashable, Sendable, CaseIterable {
        case bitstring = "BitstringStatusListCredential"
        case statusList2021 = "StatusList2021Credential"
        case jwt = "statuslist+jwt"
        case cwt = "statuslist+cwt"
    }

    public let form: Form
    /// `iss`, or `issuer`; a token need not say it.
    public private(set) var issuer: String?
    /// `sub`, or `id`: what it calls itself.
    public private(set) var name: String?
    /// `iat`, or the beginning of its validity.
    public private(set) var signed: Seconds?
    public private(set) var expires: Seconds?
    /// Seconds after which it would like to be fetched anew.
    public private(set) var timeToLive: Int64?
    /// `revocation`, `suspension`, ...; empty for a token, whose values say it themselves.
    public private(set) var purposes: [String] = []
    /// Of one bit for a W3C list.
    public private(set) var entries: UInt64 = 0

    /// Throws `listMalformed` for what is no list that this gate reads.
    ///
    /// - Parameter octets: as they came.
    public init(_ octets: [UInt8]) throws(StatusListFault) {
        let parsed = try ParsedStatusList(PinnedStatusList(url: "", fetched: 0, bytes: octets))
        switch parsed.form {
        case .credential(let json): self = try Self.credential(json.root)
        case .text(_, let claims): self = try Self.token(claims)
        case .binary(let token): self = try Self.token(token)
        }
        issuer = parsed.statedIssuer
    }

    private init(_ form: Form) { self.form = form }

    /// Bitstring Status List section 2.2, StatusList2021 section 4.2, by the short names: they are the issuer's word only once the proof
    /// was verified.
    private static func credential(_ root: JSONValue) throws(StatusListFault) -> StatusListFacts {
        func all(_ value: JSONValue?) -> [JSONValue] { value.map { $0.elements.map(Array.init) ?? [$0] } ?? [] }
        func time(_ names: String...) -> Seconds? {
            names.compactMap { root[$0]?.string }.first.flatMap { Timestamp.isoDateTime($0)?.seconds }
        }
        guard let subject = all(root["credentialSubject"]).first, let encoded = subject["encodedList"]?.string else { throw .listMalformed }
        let types = all(subject["type"]), isOld = types.contains { $0.isString("StatusList2021") }
        guard isOld || types.contains(where: { $0.isString("BitstringStatusList") }),
            let bits = try? BitstringStatusList(encodedList: encoded, format: isOld ? .statusList2021 : .bitstring)
        else { throw .listMalformed }
        var facts = StatusListFacts(isOld ? .statusList2021 : .bitstring)
        facts.name = root["id"]?.string
        facts.signed = time("validFrom", "issuanceDate")
        facts.expires = time("validUntil", "expirationDate")
        facts.timeToLive = subject["ttl"]?.int64.map { $0 / 1000 }
        facts.purposes = all(subject["statusPurpose"]).compactMap(\.string)
        facts.entries = bits.count
        return facts
    }

    /// Token Status List section 5.1.
    private static func token(_ claims: JSONValue) throws(StatusListFault) -> StatusListFacts {
        guard let described = claims["status_list"], let list = try? TokenStatusList(described) else { throw .listMalformed }
        var facts = StatusListFacts(.jwt)
        facts.name = claims["sub"]?.string
        facts.signed = claims["iat"]?.int64
        facts.expires = claims["exp"]?.int64
        facts.timeToLive = claims["ttl"]?.int64
        facts.entries = list.count
        return facts
    }

    /// Token Status List section 5.2. The claims of a `CWT` exist only once they were verified, so the payload is read on its own.
    private static func token(_ token: CWT) throws(StatusListFault) -> StatusListFacts {
        guard let claims = try? CBORDocument(parsing: token.signed.payload, options: CWT.options).root,
            let described = claims[CWTClaims.Label.statusList], let list = try? TokenStatusList(described)
        else { throw .listMalformed }
        var facts = StatusListFacts(.cwt)
        facts.name = claims[CWTClaims.Label.subject]?.text
        facts.signed = claims[CWTClaims.Label.issuedAt]?.int64
        facts.expires = claims[CWTClaims.Label.expires]?.int64
        facts.timeToLive = claims[CWTClaims.Label.timeToLive]?.int64
        facts.entries = list.count
        return facts
    }
}
