import JSON

/// The times a credential states about itself, and what they mean now.
struct ClaimTimes {
    let validity: Validity
    private let reasons: [RejectReason]

    /// Times beyond this many seconds from 1970 (the year 33,658) are nonsense; below it doubles are exact.
    private static let farthest: Double = 1e12

    /// - Parameters:
    ///   - claims: the covered claims. `exp`, `nbf`, `iat` are NumericDates (RFC 7519 section 4.1). Inji Certify states the end only in the W3C way, as
    ///     `expirationDate` or `validUntil`: read too, because overlooking them would accept what the issuer calls expired.
    ///   - time: now, in seconds since 1970.
    ///   - skew: tolerance in seconds for times in the future.
    init(_ claims: JSONValue, at time: Seconds, skew: Seconds) throws(RejectReason) {
        let ends = [
            try Self.numeric(claims["exp"], .down), try Self.dateTime(claims["expirationDate"]), try Self.dateTime(claims["validUntil"]),
        ]
        let starts = [
            try Self.numeric(claims["nbf"], .up), try Self.dateTime(claims["issuanceDate"]), try Self.dateTime(claims["validFrom"]),
        ]
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

    private static func dateTime(_ value: JSONValue?) throws(RejectReason) -> Seconds? {
        guard let value else { return nil }
        guard let text = value.string, let time = Timestamp.seconds(text) else { throw .timeMalformed }
        return time
    }
}
