import CBOR
import Envelopes
import JSON

/// When a credential holds, in whole seconds since 1970.
public struct Validity: Hashable, Sendable {
    /// The latest of the times before which the credential does not hold.
    public let notBefore: Seconds?
    /// The earliest of the times from which it does not hold any more.
    public let expires: Seconds?
    public let issuedAt: Seconds?
}
/// The times a credential states about itself, whatever form it has, and what they mean now.
struct StatedTimes: Sendable {
    let validity: Validity
    /// A date that is none.
    var isMalformed = false
    /// A date names no time zone, and was taken as UTC.
    var isZoneAssumed = false
    /// Before this it does not hold; what is issued in the future is another fault.
    private let begins: Seconds?

    init(_ validity: Validity) {
        self.validity = validity
        begins = validity.notBefore
    }

    /// Why the credential does not hold at `time`; empty when it does.
    ///
    /// - Parameters:
    ///   - time: now, in seconds since 1970.
    ///   - skew: tolerance in seconds for times in the future. Ends have none: an expired credential is expired.
    func faults(at time: Seconds, skew: Seconds) -> [RejectReason] {
        var faults: [RejectReason] = isMalformed ? [.timeMalformed] : []
        // RFC 7519 section 4.1.4: valid only before `exp`.
        if let expires = validity.expires, time >= expires { faults.append(.expired) }
        let (latest, overflow) = time.addingReportingOverflow(max(skew, 0))
        let limit = overflow ? time : latest
        if let begins, begins > limit { faults.append(.notYetValid) }
        if let issued = validity.issuedAt, issued > limit { faults.append(.issuedInFuture) }
        return faults
    }

    /// Times beyond this many seconds from 1970 (the year 33,658) are nonsense; below it doubles are exact.
    private static let farthest = 1e12

    /// A NumericDate may have a fraction; it is rounded so that the credential holds for less time, never more.
    private static func numeric(_ number: Double?, _ rounding: FloatingPointRoundingRule) throws(RejectReason) -> Seconds? {
        guard let number, abs(number) <= farthest else { throw .timeMalformed }
        return Seconds(exactly: number.rounded(rounding))
    }
}

// MARK: Claims in JSON

extension StatedTimes {
    /// - Parameter claims: the covered claims. `exp`, `nbf`, `iat` are NumericDates (RFC 7519 section 4.1). Inji Certify states the end
    ///   only in the W3C way, as `expirationDate` or `validUntil`: read too, because overlooking them would accept what the issuer calls
    ///   expired.
    init(_ claims: JSONValue) throws(RejectReason) {
        var isZoneAssumed = false
        func dateTime(_ name: String) throws(RejectReason) -> Seconds? {
            try claims[name].flatMap { (value) throws(RejectReason) in try Self.dateTime(value.string, &isZoneAssumed) }
        }
        func numeric(_ name: String, _ rounding: FloatingPointRoundingRule) throws(RejectReason) -> Seconds? {
            try claims[name].flatMap { (value) throws(RejectReason) in try Self.numeric(value.double, rounding) }
        }
        let ends = [try numeric("exp", .down), try dateTime("expirationDate"), try dateTime("validUntil")]
        let starts = [try numeric("nbf", .up), try dateTime("issuanceDate"), try dateTime("validFrom")]
        self.init(
            Validity(
                notBefore: starts.compactMap { $0 }.max(), expires: ends.compactMap { $0 }.min(), issuedAt: try numeric("iat", .up)))
        self.isZoneAssumed = isZoneAssumed
    }

    /// RFC 3339, and the same without a zone: issuers that mean their own by that lose or gain some hours, and the verdict says so.
    private static func dateTime(_ text: String?, _ isZoneAssumed: inout Bool) throws(RejectReason) -> Seconds {
        guard let text else { throw .timeMalformed }
        if let time = Timestamp.seconds(text) { return time }
        guard let time = Timestamp.seconds(text + "Z") else { throw .timeMalformed }
        isZoneAssumed = true
        return time
    }
}

// MARK: Claims in CBOR

extension StatedTimes {
    /// `exp`, `nbf`, `iat` of a CWT: NumericDates (RFC 8392 section 2), integers or floats and never under tag 1. Issuers that make tokens
    /// of JSON leave the W3C's names as they are, beside an end of their own: read as in JSON.
    init(_ claims: CBORItem) throws(RejectReason) {
        // Names that have a number, as a text: not to be passed over, and nobody says what is meant.
        let numbered = [CWTClaims.Label.expires, CWTClaims.Label.notBefore, CWTClaims.Label.issuedAt].map { "\($0)" }
        for name in ["exp", "nbf", "iat"] + numbered where claims[name] != nil { throw .timeMalformed }
        var isZoneAssumed = false
        func dateTime(_ name: String) throws(RejectReason) -> Seconds? {
            try claims[name].flatMap { (item) throws(RejectReason) in try Self.dateTime(item.text, &isZoneAssumed) }
        }
        func numeric(_ label: Int64, _ rounding: FloatingPointRoundingRule) throws(RejectReason) -> Seconds? {
            try claims[label].flatMap { (item) throws(RejectReason) in
                try Self.numeric(item.int64.map(Double.init) ?? item.float?.double, rounding)
            }
        }
        let ends = [try numeric(CWTClaims.Label.expires, .down), try dateTime("expirationDate"), try dateTime("validUntil")]
        let starts = [try numeric(CWTClaims.Label.notBefore, .up), try dateTime("issuanceDate"), try dateTime("validFrom")]
        self.init(
            Validity(
                notBefore: starts.compactMap { $0 }.max(), expires: ends.compactMap { $0 }.min(),
                issuedAt: try numeric(CWTClaims.Label.issuedAt, .up)))
        self.isZoneAssumed = isZoneAssumed
    }
}

// MARK: Signed dates

extension StatedTimes {
    /// The dates of both JSON-LD data models, each as often as it is stated. `issuedAt` is `issuanceDate`, before which the credential does
    /// not hold either; what begins later by `validFrom` is not yet valid.
    init(_ dates: [LinkedDate]) {
        func ends(_ member: CredentialMember) -> [Seconds] { dates.filter { $0.member == member }.compactMap { $0.moment?.seconds } }
        // Rounded so that the credential holds for less time, never more.
        func starts(_ member: CredentialMember) -> [Seconds] {
            dates.filter { $0.member == member }.compactMap { $0.moment.map { $0.isRounded ? $0.seconds + 1 : $0.seconds } }
        }
        let issued = starts(.issuanceDate).max(), from = starts(.validFrom).max()
        validity = Validity(
            notBefore: [issued, from].compactMap { $0 }.max(), expires: (ends(.expirationDate) + ends(.validUntil)).min(), issuedAt: issued)
        begins = from
        isMalformed = dates.contains { $0.moment == nil }
        isZoneAssumed = dates.contains { $0.moment?.isZoneAssumed == true }
    }
}
