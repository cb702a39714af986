import JSON

/// The times a credential states about itself, and what they mean now.
struct ClaimTimes {
    let validity: Validity
    /// A date names no time zone, and was taken as UTC.
    let isZoneAssumed: Bool
    private let reasons: [RejectReason]

    /// Times beyond this many seconds from 1970 (the year 33,658) are nonsense; below it doubles are exact.
    private static let farthest: Double = 1e12

    /// - Parameters:
    ///   - claims: the covered claims. `exp`, `nbf`, `iat` are NumericDates (RFC 7519 section 4.1). Inji Certify states the end only in the W3C way, as
    ///     `expirationDate` or `validUntil`: read too, because overlooking them would accept what the issuer calls expired.
    ///   - time: now, in seconds since 1970.
    ///   - skew: tolerance in seconds for times in the future.
    init(_ claims: JSONValue, at time: Seconds, skew: Seconds) throws(RejectReason) {
        var isZoneAssumed = false
        func dateTime(_ name: String) throws(RejectReason) -> Seconds? { try Self.dateTime(claims[name], &isZoneAssumed) }
        let ends = [try Self.numeric(claims["exp"], .down), try dateTime("expirationDate"), try dateTime("validUntil")]
        let starts = [try Self.numeric(claims["nbf"], .up), try dateTime("issuanceDate"), try dateTime("validFrom")]
        self.isZoneAssumed = isZoneAssumed
        validity = Validity(
            notBefore: starts.compactMap { $0 }.max(), expires: ends.compactMap { $0 }.min(), issuedAt: try Self.numeric(claims["iat"], .up))
        var reasons: [RejectReason] = []
        // RFC 7519 section 4.1.4: valid only before `exp`. No tolerance: an expired credential is expired.
        if let expires = validity.expires, time >= expires { reasons.append(.expired) }
        let (latest, overflow) = time.addingReportingOverflow(skew)
        let limit = overflow ? time : latest
        if let notBefore = validity.notBefore, notBefore > limit { reasons.append(.notYetValid) }
        if let issuedAt = validity.issuedAt, issuedAt > limit { reasons.append(.issuedInFuture) }
        self.reasons = reasons
    }

    /// Why the credential does not hold now; empty when it does.
    var faults: [RejectReason] { reasons }

    /// A NumericDate may have a fraction; it is rounded so that the credential holds for less time, never more.
    private static func numeric(_ value: JSONValue?, _ rounding: FloatingPointRoundingRule) throws(RejectReason) -> Seconds? {
        guard let value else { return nil }
        guard let double = value.double, abs(double) <= farthest else { throw .timeMalformed }
        return Seconds(exactly: double.rounded(rounding))
    }

    /// RFC 3339, and the same without a zone: issuers that mean their own by that lose or gain some hours, and the verdict says so.
    private static func dateTime(_ value: JSONValue?, _ isZoneAssumed: inout Bool) throws(RejectReason) -> Seconds? {
        guard let value else { return nil }
        guard let text = value.string else { throw .timeMalformed }
        if let time = Timestamp.seconds(text) { return time }
        guard let time = Timestamp.seconds(text + "Z") else { throw .timeMalformed }
        isZoneAssumed = true
        return time
    }
}
