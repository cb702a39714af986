/// When a JSON-LD credential holds by its signed dates, and what that means now.
struct LinkedValidity: Sendable {
    let validity: Validity
    /// Why the credential does not hold now; empty when it does. `issuedInFuture` is of `issuanceDate`, `notYetValid` of `validFrom`.
    let faults: [RejectReason]
    /// A date names no time zone, and was taken as UTC.
    let isZoneAssumed: Bool

    /// - Parameters:
    ///   - dates: of both data models, each as often as it is stated.
    ///   - time: now, in seconds since 1970.
    ///   - skew: tolerance in seconds for times in the future. Ends have none: an expired credential is expired.
    init(_ dates: [LinkedDate], at time: Seconds, skew: Seconds) {
        func ends(_ member: CredentialMember) -> [Seconds] { dates.filter { $0.member == member }.compactMap { $0.moment?.seconds } }
        // Rounded so that the credential holds for less time, never more.
        func starts(_ member: CredentialMember) -> [Seconds] {
            dates.filter { $0.member == member }.compactMap { $0.moment.map { $0.isRounded ? $0.seconds + 1 : $0.seconds } }
        }
        isZoneAssumed = dates.contains { $0.moment?.isZoneAssumed == true }
        let issued = starts(.issuanceDate).max(), from = starts(.validFrom).max()
        validity = Validity(
            notBefore: [issued, from].compactMap { $0 }.max(), expires: (ends(.expirationDate) + ends(.validUntil)).min(), issuedAt: issued)
        var faults: [RejectReason] = dates.contains { $0.moment == nil } ? [.timeMalformed] : []
        if let expires = validity.expires, time >= expires { faults.append(.expired) }
        let (latest, overflow) = time.addingReportingOverflow(skew)
        let limit = overflow ? time : latest
        if let issued, issued > limit { faults.append(.issuedInFuture) }
        if let from, from > limit { faults.append(.notYetValid) }
        self.faults = faults
    }
}
