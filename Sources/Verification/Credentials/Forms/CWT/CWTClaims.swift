import CBOR
import Envelopes

/// The claims of a CWT (RFC 8392 section 3.1) and the identity data of claim 169, read from a payload whose signature was verified.
struct CWTClaims {
    enum Label {
        static let issuer: Int64 = 1, subject: Int64 = 2, audience: Int64 = 3, expires: Int64 = 4, notBefore: Int64 = 5,
            issuedAt: Int64 = 6, id: Int64 = 7
        /// Claim 169 of MOSIP.
        static let identity: Int64 = 169
        /// Token Status List sections 5.2 and 6.3.
        static let statusList: Int64 = 65_533, timeToLive: Int64 = 65_534, status: Int64 = 65_535
    }

    let issuer: String?
    let subject: String?
    /// `aud`, one name or several (RFC 8392 section 3.1.3); nil when absent.
    let audience: [String]?
    let id: [UInt8]?
    let times: StatedTimes
    /// The map of claim 169, with its exact bytes. Inji puts it into a byte string; its offsets then count from the start of that.
    let identity: CBORItem?
    /// Every claim, those above too.
    let all: CBORItem

    /// Throws `payloadMalformed` for a claim of the wrong type, `timeMalformed` for a time that is none.
    init(_ claims: CBORItem) throws(RejectReason) {
        guard claims.kind == .map else { throw .payloadMalformed }
        all = claims
        issuer = try Self.claim(claims[Label.issuer], \.text)
        subject = try Self.claim(claims[Label.subject], \.text)
        // Under a text, as issuers write it that make tokens of JSON: whom it is for is not to be passed over.
        guard claims["aud"] == nil, claims["\(Label.audience)"] == nil else { throw .payloadMalformed }
        audience = try claims[Label.audience].map { (item) throws(RejectReason) in try Self.names(item) }
        id = try Self.claim(claims[Label.id], \.bytes)
        times = try StatedTimes(claims)
        identity = try Self.identity(claims[Label.identity])
    }

    private static func claim<Value>(_ item: CBORItem?, _ accessor: (CBORItem) -> Value?) throws(RejectReason) -> Value? {
        guard let item else { return nil }
        guard let value = accessor(item) else { throw .payloadMalformed }
        return value
    }

    private static func names(_ item: CBORItem) throws(RejectReason) -> [String] {
        if let one = item.text { return [one] }
        guard let elements = item.elements else { throw .payloadMalformed }
        var names: [String] = []
        for element in elements {
            guard let name = element.text else { throw .payloadMalformed }
            names.append(name)
        }
        return names
    }

    private static func identity(_ item: CBORItem?) throws(RejectReason) -> CBORItem? {
        guard let item else { return nil }
        // Signed all the same: the byte string is part of the payload.
        let map = item.kind == .bytes ? try? item.embedded(options: CWT.options).root : item
        guard let map, map.kind == .map else { throw .payloadMalformed }
        return map
    }
}
